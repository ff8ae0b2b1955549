import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { submissionBytesMax } from "../submissions/public-submission-routes.ts";
import { countTurns } from "../testing/count-turns.ts";
import { pieceBytes } from "./encodings.ts";
import { entriesMax, readFormEntries } from "./form-entries.ts";

const type = (boundary: string) => `multipart/form-data; boundary=${boundary}`;

/** As `readFormEntries` gives them: of files what is looked at. */
async function readOnPlatform(body: Buffer, contentType: string) {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
  return [...form].map(([name, value]) => [
    name,
    typeof value === "string" ? value : { name: value.name, size: value.size },
  ]);
}

/** Text near to the marks of the format, and text of people. */
const text = fc
  .array(
    fc.constantFrom(
      ...[
        "\r",
        "\n",
        "\r\n",
        "-",
        "--",
        "\r\n--",
        "\r\n--b",
        "--boundary",
        '"',
        "\\",
        "%",
        "%22",
        "%0d",
        ";",
        ":",
        "=",
      ],
      ...["a", "Zoë", "名前", "😀", "\ufeff", "\0", " ", "\t", "name=", "content-disposition: form-data"],
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(""));
/** The platform drops a mark of UTF-8 at the start of a name, which is no such mark there. */
const name = text.map((some) => some.replaceAll("\ufeff", ""));
const file = fc.record({ name, text });
const entry = fc.record({ name, value: fc.oneof({ weight: 3, arbitrary: text }, file) });

test("what browsers write of a form is read as the platform reads it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 8 }), fc.nat(20), async (entries, before) => {
      const form = new FormData();
      // Every mark crosses the end of a piece in some run.
      if (before > 0) form.append("first", "x".repeat(pieceBytes - 150 - before));
      for (const { name, value } of entries)
        if (typeof value === "string") form.append(name, value);
        else form.append(name, new File([value.text], value.name));
      // An empty form is its end alone, which has no line before it.
      form.append("last", "");
      const posted = new Response(form);
      const contentType = posted.headers.get("content-type") ?? "";
      const body = Buffer.from(await posted.arrayBuffer());
      const read = [...((await readFormEntries(body, contentType)) ?? [])];
      assert.deepEqual(read, await readOnPlatform(body, contentType));
    }),
    { numRuns: 300 },
  );
});

/** Parts as programs and older browsers write them. */
const written: Readonly<Record<string, readonly [head: string, value: string, expected: unknown]>> = {
  "the length and the type of a text": [
    'Content-Disposition: form-data; name="a"\r\nContent-Length: 1\r\nContent-Type: text/plain; charset=UTF-8',
    "ü",
    "ü",
  ],
  "a type before the name": ['Content-Type: text/plain\r\ncontent-disposition: form-data; name="a"', "1", "1"],
  "a name without quotes": ["Content-Disposition: form-data; name=a", "1", "1"],
  base64: ['Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64', "w7w=", "ü"],
  "an encoding that changes nothing": [
    'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: 8bit',
    "w7w=",
    "w7w=",
  ],
  "a file": ['Content-Disposition: form-data; name="a"; filename="b.txt"', "1", { name: "b.txt", size: 1 }],
  "no file": [
    'Content-Disposition: form-data; name="a"; filename=""\r\nContent-Type: application/octet-stream',
    "",
    { name: "", size: 0 },
  ],
  "a file's name in another encoding": [
    'Content-Disposition: form-data; name="a"; filename="b"; filename*=utf-8\'\'b',
    "1",
    { name: "b", size: 1 },
  ],
};

for (const [what, [head, value, expected]] of Object.entries(written))
  test(`a part of a program is read as the platform reads it: ${what}`, async () => {
    const body = Buffer.from(`--b\r\n${head}\r\n\r\n${value}\r\n--b--\r\n`);
    const read = [...((await readFormEntries(body, type("b"))) ?? [])];
    assert.deepEqual(read[0]?.[1], what.endsWith("another encoding") ? { name: "utf-8''b", size: 1 } : expected);
    assert.deepEqual(
      read.map(([name]) => name),
      (await readOnPlatform(body, type("b"))).map(([name]) => name),
    );
  });

const disposition = 'Content-Disposition: form-data; name="a"';
const broken: Readonly<Record<string, string>> = {
  nothing: "",
  "no end": `--b\r\n${disposition}\r\n\r\nx\r\n--b\r\n`,
  "no boundary": `${disposition}\r\n\r\nx`,
  "no head": "--b\r\nx\r\n--b--",
  "no name": "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--",
  "another disposition": '--b\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n--b--',
  "a quote without an end": '--b\r\nContent-Disposition: form-data; name="a\r\n\r\nx\r\n--b--',
  "a longer boundary": `--b\r\n${disposition}\r\n\r\nx\r\n--bb--`,
  "nine lines of a head": `--b\r\n${disposition}\r\n${"a: b\r\n".repeat(8)}\r\nx\r\n--b--`,
  "a head of 128 KiB": `--b\r\n${disposition}\r\na: ${"b".repeat(2 * pieceBytes)}\r\n\r\nx\r\n--b--`,
};

for (const [what, body] of Object.entries(broken))
  test(`a body that is no multipart form is refused: ${what}`, async () => {
    await assert.rejects(async () => readFormEntries(Buffer.from(body), type("b")), TypeError);
  });

test("a boundary that no program makes is refused", async () => {
  for (const boundary of ['""', "b".repeat(71)])
    await assert.rejects(async () => readFormEntries(Buffer.from("x"), type(boundary)), TypeError);
});

const part = (head: string, value: string) => `--b\r\n${head}\r\n\r\n${value}\r\n`;
const full = (piece: string) => piece.repeat(Math.floor((submissionBytesMax - 1_000) / piece.length));
const longName = `Content-Disposition: form-data; name="_${"n".repeat(60_000)}"`;
const charset = (label: string) => part('Content-Disposition: form-data; name="_charset_"', label);

/** Bodies of nearly 1 MiB, and how often each is gone through in pieces. */
const bodies: Readonly<Record<string, readonly [body: string, passes: number]>> = {
  "one value": [part(disposition, full("x")), 1],
  "beginnings of a boundary": [part(disposition, full("\r\n--")), 1],
  "beginnings of beginnings": [part(disposition, full("\r")), 1],
  "values that are no UTF-8": [part(disposition, full("\xff")), 2],
  "values of another encoding": [charset("gb18030") + part(disposition, full("\x81\x30")), 2],
  "values that switch their encoding": [charset("iso-2022-jp") + part(disposition, full("\x1b$B!!\x1b(B")), 2],
  "values in base64": [part(`${disposition}\r\nContent-Transfer-Encoding: base64`, full("AAAA")), 1],
  "heads of long names": [full(part(longName, "")), 2],
  "as many parts as are taken": [part(disposition, "x".repeat(450)).repeat(entriesMax), 4],
};

for (const [what, [text, passes]] of Object.entries(bodies))
  test(`everybody has a turn after each piece of a stranger's multipart form: ${what}`, async () => {
    const body = Buffer.from(`${text}--b--\r\n`, "latin1");
    const turns = await countTurns(async () => {
      const entries = [...((await readFormEntries(body, type("b"))) ?? [])];
      assert.ok(entries.length > 0 || what === "heads of long names");
    });
    const least = passes * Math.floor(body.length / (2 * pieceBytes));
    assert.ok(turns >= least, `${turns} turns of ${least}`);
  });

test("as many parts as may be are read, and one more is refused before any is", async () => {
  const bodyOf = (count: number) => Buffer.from(`${part(disposition, "x").repeat(count)}--b--`);
  assert.equal([...((await readFormEntries(bodyOf(entriesMax), type("b"))) ?? [])].length, entriesMax);
  assert.equal(await readFormEntries(bodyOf(entriesMax + 1), type("b")), undefined);
});
