import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import fc from "fast-check";
import { Problem } from "../problems/problem.ts";
import { submissionBytesMax } from "../submissions/public-submission-routes.ts";
import { countCalls } from "../testing/count-calls.ts";
import { countTurns } from "../testing/count-turns.ts";
import { pieceBytes } from "./encodings.ts";
import { readFormEntries } from "./form-entries.ts";
import { createReadHtmlForm } from "./read-html-form.ts";

const form = { accountId: createId("account", 0), id: createId("form", 0) };
const urlencoded = "application/x-www-form-urlencoded";
const multipart = "multipart/form-data; boundary=b";

const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

/** A post of nearly 1 MiB that says the same thing again and again. */
function post(type: string, piece: string, { name = "a", charset = "" } = {}) {
  const value = piece.repeat(Math.floor((submissionBytesMax - 1_000) / piece.length));
  const fields = [...(charset === "" ? [] : [["_charset_", charset] as const]), [name, value] as const];
  const text =
    type === urlencoded
      ? fields.map(([one, its]) => `${one}=${its}`).join("&")
      : `${fields.map(([one, its]) => part(one, its)).join("")}--b--\r\n`;
  return { body: Buffer.from(text, "latin1"), headers: { "content-type": type }, ip: "192.0.2.1" };
}

const posts = {
  "escapes of letters": post(urlencoded, "%41"),
  "escapes that are no UTF-8": post(urlencoded, "%FF"),
  spaces: post(urlencoded, "+"),
  "bytes that are no UTF-8": post(urlencoded, "\xff"),
  "escapes of another encoding": post(urlencoded, "%A4%A4", { charset: "big5" }),
  "marks without digits": post(urlencoded, "%"),
  "a name that is too long": post(urlencoded, "%FF", { name: "n".repeat(300) }),
  "nothing but a name": post(urlencoded, "%FF&", { name: "%FF".repeat(300_000) }),
  "as many fields as are taken": post(urlencoded, `${"%41".repeat(180)}&b=`),
  "parts of one byte": post(multipart, "-"),
  "beginnings of a boundary": post(multipart, "\r\n--"),
  "parts that are no UTF-8": post(multipart, "\xff"),
  "lines of one head": post(multipart, "a:\r\n"),
  "parts of another encoding": post(multipart, "\x81\x30", { charset: "gb18030" }),
} as const;

test("the work on a stranger's megabyte doesn't depend on what is in it: no function is called for each character", async () => {
  const read = createReadHtmlForm();
  for (const [name, posted] of Object.entries(posts)) {
    const enough = posted.body.length / 10;
    const calls = await countCalls(() => read(posted, form).catch(() => undefined), enough);
    assert.ok(calls < enough, `${name}: ${calls} calls for ${posted.body.length} bytes`);
  }
});

test("long posts leave everybody turns after each piece, and wait for each other", async () => {
  const read = createReadHtmlForm();
  const count = 4;
  const turns = await countTurns(() =>
    Promise.all(Array.from({ length: count }, () => read(posts["escapes of letters"], form))),
  );
  assert.ok(turns >= (count * submissionBytesMax) / pieceBytes - count, `${turns} turns`);
});

test("who sends many long posts at once to one form is put off, and nobody else is", async () => {
  const read = createReadHtmlForm();
  const status = (ip: string) =>
    read({ ...posts.spaces, ip }, form).then(
      () => 200,
      (error) => (error instanceof Problem ? error.status : 500),
    );
  const flood = Array.from({ length: 200 }, () => status("192.0.2.1"));
  const others = [status("192.0.2.2"), status("2001:db8::1")];
  assert.deepEqual(await Promise.all(others), [200, 200]);
  const answers = await Promise.all(flood);
  assert.ok(answers.filter((one) => one === 503).length > 100, "most of the flood");
  assert.ok(answers.filter((one) => one === 200).length > 0, "not all of it");
});

test("a name that is too long ends the reading before a value is decoded", async () => {
  for (const name of ["n".repeat(259), "%41".repeat(259), "%FF".repeat(2_000), "n".repeat(200_000)])
    await assert.rejects(readFormEntries(Buffer.from(`a=1&${name}=2`), urlencoded), RangeError);
  const longest = `${"n".repeat(256)}[]`;
  assert.deepEqual([...((await readFormEntries(Buffer.from(`${longest}=1`), urlencoded)) ?? [])], [[longest, "1"]]);
});

test("a control field with a name of any length keeps no form from being taken, in whatever way it is posted", async () => {
  const read = createReadHtmlForm();
  for (const length of [256, 258, 259, 3_096, 3_097, 100_000])
    for (const [written, name] of [
      ["_", "_"],
      ["%5F", "_"],
      ["%5f%C3%A9", "_é"],
    ] as const) {
      const long = "n".repeat(length);
      const body = {
        [urlencoded]: `a=1&${written}${long}=2&${written}${long}&b=3`,
        [multipart]: `${part("a", "1")}${part(`${name}${long}`, "2")}${part("b", "3")}--b--\r\n`,
      };
      for (const [type, text] of Object.entries(body)) {
        const posted = { body: Buffer.from(text), headers: { "content-type": type }, ip: "192.0.2.1" };
        const { fields } = await read(posted, form);
        assert.deepEqual(fields, { a: "1", b: "3" }, `${type}, ${name}, ${length}`);
      }
    }
});

test("urlencoded posts in UTF-8 are read as the platform reads them, wherever a piece ends", async () => {
  const fragment = fc.constantFrom(
    "&",
    "=",
    "+",
    "%",
    "%4",
    "%41",
    "%C3%A9",
    "%26",
    "%3D",
    "%00",
    "%%41",
    "é",
    "😀",
    "x",
    "_a",
    "%2B",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fragment, { maxLength: 30 }), fc.nat({ max: 8 }), async (fragments, before) => {
      for (const start of ["", `a=${"x".repeat(pieceBytes - 2 - before)}`]) {
        const text = start + fragments.join("");
        const entries = [...((await readFormEntries(Buffer.from(text), urlencoded)) ?? [])];
        // The platform misreads escapes after characters outside of ASCII.
        // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
        const escaped = text.replaceAll(/[^\x00-\x7f]+/gu, encodeURIComponent);
        assert.deepEqual(entries, [...new URLSearchParams(escaped)]);
      }
    }),
    { numRuns: 150 },
  );
});
