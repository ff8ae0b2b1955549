import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import fastify from "fastify";
import { sampleEvery } from "../../../../tests/support/sample.ts";
import { createReadHtmlForm } from "../html-forms/read-html-form.ts";
import { submissionBytesMax } from "../submissions/public-submission-routes.ts";
import { findWrittenError } from "../submissions/written-error.ts";
import { countCalls } from "../testing/count-calls.ts";
import { installBodyParsers } from "./body-parsers.ts";

const sources = new URL("../", import.meta.url).pathname;

type Read = (body: Buffer) => Promise<unknown>;

function readHtml(contentType: string): Read {
  const read = createReadHtmlForm();
  const form = { accountId: createId("account", 0), id: createId("form", 0) };
  return (body) => read({ body, headers: { "content-type": contentType }, ip: "192.0.2.1" }, form);
}

function readJson(): Read {
  const app = fastify({ bodyLimit: submissionBytesMax });
  installBodyParsers(app);
  app.post("/", { config: { findWrittenError: (body) => findWrittenError(body) } }, async () => "read");
  return (payload) =>
    app.inject({ method: "POST", url: "/", headers: { "content-type": "application/json" }, payload }).then(() => {});
}

/** Every file that takes bodies, with the types that it names, and how each is read; or why it is not. */
const readers: Readonly<Record<string, Readonly<Record<string, Read | string>>>> = {
  "http/body-parsers.ts": { "application/json": readJson(), "*": "refused, whatever is in it" },
  "html-forms/html-form-routes.ts": {
    "application/x-www-form-urlencoded": readHtml("application/x-www-form-urlencoded"),
    "multipart/form-data": readHtml("multipart/form-data; boundary=b"),
  },
  "mail/unsubscribe-routes.ts": { "*": "nobody looks at it" },
};

test("every type of body that a stranger can send is tried below", () => {
  const found = globSync("**/*.ts", { cwd: sources, exclude: (path) => path.endsWith(".test.ts") }).flatMap((file) => {
    const text = readFileSync(`${sources}${file}`, "utf8");
    const types = [...text.matchAll(/\.addContentTypeParser\(\s*(\[[^\]]*\]|"[^"]*")/g)].flatMap(([, named = ""]) =>
      [...named.matchAll(/"([^"]*)"/g)].map(([, type]) => `${file} ${type}`),
    );
    assert.equal(types.length > 0, text.includes(".addContentTypeParser("), file);
    return types;
  });
  const tried = Object.entries(readers).flatMap(([file, types]) => Object.keys(types).map((type) => `${file} ${type}`));
  assert.deepEqual(found.toSorted(), tried.toSorted());
});

/** Pieces that cost work in one type or another, and where it can be in a body. */
const pieces = [
  "%41",
  "%FF",
  "+",
  "&",
  "=",
  "a:\r\n",
  "\r\n--",
  "--b\r\n",
  "\\u0041",
  "[",
  '"',
  ",",
  '{"a":',
  "0",
  "\xff",
];
const places: Readonly<Record<string, (piece: string) => string>> = {
  "the whole": (piece) => piece,
  "a value": (piece) => `a=${piece}`,
  "a head": (piece) => `--b\r\nContent-Disposition: form-data; name="a"\r\n${piece}\r\n\r\nx\r\n--b--`,
  "a part": (piece) => `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${piece}\r\n--b--`,
  "a text in JSON": (piece) => `{"a":"${piece}"}`,
};

const cases = Object.entries(places).flatMap(([place, bodyOf]) => pieces.map((piece) => ({ place, bodyOf, piece })));
const length = 200_000;

for (const [file, types] of Object.entries(readers))
  for (const [type, read] of Object.entries(types))
    if (typeof read !== "string")
      test(`the work on a stranger's body calls no function for each byte of it: ${type} (${file})`, async () => {
        await read(Buffer.from("x")).catch(() => undefined);
        for (const { place, bodyOf, piece } of sampleEvery(cases, 12)) {
          const body = Buffer.from(bodyOf(piece.repeat(Math.floor(length / piece.length))), "latin1");
          const calls = await countCalls(() => read(body).catch(() => undefined));
          assert.ok(calls < length / 10, `${calls} calls for ${place} of ${JSON.stringify(piece)}`);
        }
      });
