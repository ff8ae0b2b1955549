import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createForm, first, parseLines } from "./testing/exported-form.ts";

/** The formats that can be continued, with what each needs. */
const resumable = [["ndjson"], ["sealed"], ["csv", "--column", "n"]];

/** A proxy before a service that answers an export in its own way. */
async function startProxy(
  t: TestContext,
  url: string,
  answerExport: (text: string, response: ServerResponse, headers: Headers) => void,
) {
  const proxy = createServer(async (request, response) => {
    const { authorization = "" } = request.headers;
    const answer = await fetch(url + request.url, { headers: { authorization } });
    const text = await answer.text();
    if (request.url?.includes("/export")) return answerExport(text, response, answer.headers);
    response.writeHead(answer.status).end(text);
  }).listen(0, "127.0.0.1");
  t.after(() => proxy.close());
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo; // listening on a port, so no pipe name and not null
  return `http://127.0.0.1:${port}`;
}

test("an export that breaks off says where, and continuing there loses and repeats nothing", async (t) => {
  const form = await createForm(t);
  const ids: string[] = [];
  for (let n = 0; n < 40; n++) ids.push(await form.submit({ n }, first, 1));
  // It cuts the line in the middle of an export.
  const proxy = await startProxy(t, form.url, (text, response) => {
    response.write(text.slice(0, text.length * 0.6), () => response.destroy());
  });
  const cut = await form.runAt(proxy, "--format", "ndjson", "--key", "v1.json");
  assert.equal(cut.code, 6, cut.errors);
  const last = /^Interrupted after (sub_\w+): --after continues there$/m.exec(cut.errors)?.[1] ?? "";
  const rest = await form.run("--format", "ndjson", "--key", "v1.json", "--after", last);
  const before = parseLines(cut.output).map((row) => row.id);
  assert.ok(before.length > 0 && before.length < ids.length);
  assert.deepEqual([...before, ...parseLines(rest.output).map((row) => row.id)], ids);

  for (const [format = "", ...more] of [...resumable, ["csv"], ["json"]]) {
    const keys = format === "sealed" ? [] : ["--key", "v1.json"];
    const parameters = ["--format", format, ...keys, ...more, "--output", "cut"];
    const ended = await form.runAt(proxy, ...parameters);
    assert.equal(ended.code, 6, ended.errors);
    const isKept = format !== "json" && (format !== "csv" || more.length > 0);
    const left = (await readdir(form.folder)).filter((name) => name.startsWith("cut"));
    assert.deepEqual(left, isKept ? ["cut.part"] : [], `${format}: no file has the name of a whole one`);
    assert.equal(/What came before is in cut\.part$/m.test(ended.errors), isKept);
    await rm(join(form.folder, "cut.part"), { force: true });
    const whole = await form.run(...parameters);
    assert.equal(whole.code, 0, whole.errors);
    assert.ok((await stat(join(form.folder, "cut"))).size > 0);
    assert.deepEqual(
      (await readdir(form.folder)).filter((name) => name.endsWith(".part")),
      [],
    );
    await rm(join(form.folder, "cut"));
  }
});

/** The ids of the rows in what was written of an export, whole lines alone, and of how it says that it was interrupted. */
function readPart(text: string, errors: string) {
  return {
    ids: text
      .split("\n")
      .slice(0, -1)
      .flatMap((line) => /sub_\w+/.exec(line)?.[0] ?? []),
    last: /^Interrupted after (sub_\w+): --after continues there/m.exec(errors)?.[1],
  };
}

test("an export that is interrupted names the last row that was written, in every format and whenever that happens", async (t) => {
  const form = await createForm(t);
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push(await form.submit({ n }, first, 1));
  for (const [format = "", ...more] of resumable) {
    const keys = format === "sealed" ? [] : ["--key", "v1.json"];
    const parameters = ["--format", format, ...keys, ...more];
    for (const isInFile of [false, true])
      for (const isWriting of isInFile ? [false] : [true, false]) {
        const interruption = new AbortController();
        let calls = 0;
        const interrupt = () => {
          // The third piece, or the third row that is done.
          if (++calls === (format === "csv" && isWriting ? 4 : 3)) interruption.abort();
        };
        const now = () => {
          interrupt();
          return Date.now();
        };
        const { code, output, errors } = await form.runWith(
          { signal: interruption.signal, ...(isWriting ? { onOutput: interrupt } : { now }) },
          ...parameters,
          ...(isInFile ? ["--output", "cut"] : []),
        );
        const title = `${format}, ${isInFile ? "file" : "pipe"}, ${isWriting ? "while a row is written" : "between rows"}: ${errors}`;
        assert.equal(code, 130, title);
        const text = isInFile ? await readFile(join(form.folder, "cut.part"), "utf8") : output;
        const part = readPart(text, errors);
        assert.ok(part.ids.length > 0 && part.ids.length < ids.length, title);
        assert.deepEqual(part.ids, ids.slice(0, part.ids.length), title);
        assert.equal(part.last, part.ids.at(-1), title);
        if (isInFile) await rm(join(form.folder, "cut.part"));
      }
  }
});

test("an export that a proxy cuts at the end of a line, again and again, has every submission, in every range", async (t) => {
  const form = await createForm(t);
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push(await form.submit({ n }, first, 1));
  const ranges = [[], ["--after", ids[0] ?? ""], ["--from", "2020-01-01"], ["--to", "2099-01-01"]];
  for (const keepsHeaders of [true, false]) {
    let asked = 0;
    const proxy = await startProxy(t, form.url, (text, response, headers) => {
      asked++;
      const name = "sealpost-last-submission";
      if (keepsHeaders && headers.has(name)) response.setHeader(name, headers.get(name) ?? "");
      response.end(
        text
          .split(/(?<=\n)/)
          .slice(0, 2)
          .join(""),
      );
    });
    for (const [format = "", ...more] of resumable)
      for (const range of ranges) {
        asked = 0;
        const keys = format === "sealed" ? [] : ["--key", "v1.json"];
        const cut = await form.runAt(proxy, "--format", format, ...keys, ...more, ...range, "--output", "cut");
        assert.equal(cut.code, 0, cut.errors);
        const expected = range[0] === "--after" ? ids.slice(1) : ids;
        assert.deepEqual(readPart(await readFile(join(form.folder, "cut"), "utf8"), "").ids, expected);
        // The header says which the last one is; without it only an answer without any ends the export.
        assert.equal(asked, keepsHeaders ? 3 : 4);
        await rm(join(form.folder, "cut"));
      }
  }
});

test("an export of which the last submission is deleted meanwhile is whole, and so is one of nothing", async (t) => {
  const form = await createForm(t);
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push(await form.submit({ n }, first, 1));
  const nothing = await startProxy(t, form.url, (_, response) => response.end());
  assert.equal((await form.runAt(nothing, "--format", "sealed")).code, 0);

  // Somebody deletes the last one between the count and the export.
  let isDeleted = false;
  const deleting = createServer(async (request, response) => {
    const headers = { authorization: request.headers.authorization ?? "" };
    if (request.url?.includes("/export") && !isDeleted) {
      isDeleted = true;
      await fetch(`${form.url}/api/forms/${form.id}/submissions/${ids.at(-1)}`, { method: "DELETE", headers });
    }
    const answer = await fetch(form.url + request.url, { headers });
    response.writeHead(answer.status).end(await answer.text());
  }).listen(0, "127.0.0.1");
  t.after(() => deleting.close());
  await once(deleting, "listening");
  const { port } = deleting.address() as AddressInfo; // listening on a port, so no pipe name and not null
  const whole = await form.runAt(`http://127.0.0.1:${port}`, "--format", "sealed");
  assert.deepEqual([whole.code, isDeleted, parseLines(whole.output).map(({ id }) => id)], [0, true, ids.slice(0, -1)]);
});
