import assert from "node:assert/strict";
import { test } from "node:test";
import { isInvisible, parsePublicKey } from "@sealpost/wire";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { createOpenApiDocument } from "../../../../scripts/openapi-document.ts";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { parseName } from "../forms/form.ts";
import { parsePostedSubmission } from "../submissions/submission.ts";

// The rules that only the document has, held to the parsers that the routes have instead.

interface Operation {
  readonly requestBody: { readonly required: boolean; readonly content: { "application/json": { schema: object } } };
}
const document = (await createOpenApiDocument()) as { paths: Record<string, Record<string, Operation>> }; // OpenAPI 3.1
const ajv = new Ajv2020({ strict: false, logger: false }).addSchema(document, "openapi");
const bodyOf = (path: string) =>
  ajv.compile({
    $ref: `openapi#/paths/${path.replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D")}/post/requestBody/content/application~1json/schema`,
  });
const createForm = bodyOf("/api/forms");
const postSubmission = bodyOf("/api/forms/{form_id}/submissions");
const { publicKey } = takeKeyPair();

test("a form's name fits the document and can be seen exactly when the service takes it", () => {
  const name = fc.oneof(
    fc.string({ unit: fc.constantFrom(..."\u00ad\u200b\u2060\u2800\u3164\ufe0f a"), maxLength: 4 }),
    fc.string({ unit: fc.constantFrom(..." \t\n\f\r\u0085\u00a0\u1680\u2003\u2028\u202f\u3000\ufeff\u0000\u001cab𝕏") }),
    fc.string({ unit: fc.constantFrom("a", "𝕏", " "), minLength: 95, maxLength: 105 }),
    fc.string({ unit: "grapheme" }),
  );
  fc.assert(
    fc.property(name, (text) => {
      const isTaken = "name" in parseName(text);
      assert.equal(createForm({ name: text }) && !isInvisible(text), isTaken, JSON.stringify(text));
    }),
    { numRuns: 2000 },
  );
});

test("a public key fits the document exactly when the service takes it", () => {
  const bytes = fc.oneof(
    ...[255, 256, 257, 258, 259, 510, 511, 512, 513].map((length) =>
      fc.uint8Array({ minLength: length, maxLength: length }),
    ),
  );
  const modulus = bytes.map((value) => Buffer.from(value).toString("base64url"));
  const last = fc.constantFrom(..."ABQEwghz019_-=+");
  const n = fc.oneof(
    modulus,
    fc.tuple(modulus, last).map(([text, end]) => text.slice(0, -1) + end),
  );
  let taken = 0;
  fc.assert(
    fc.property(n, (text) => {
      const key = { ...publicKey, n: text };
      const isTaken = typeof parsePublicKey(key) !== "string";
      if (isTaken) taken += 1;
      assert.equal(createForm({ name: "a", publicKey: key }), isTaken, text);
    }),
    { numRuns: 1000 },
  );
  assert.ok(taken > 100);
});

test("a sealed payload fits the document exactly when the service takes it, but for the length of its key", () => {
  const base64 = (lengths: readonly number[]) =>
    fc
      .oneof(...lengths.map((length) => fc.uint8Array({ minLength: length, maxLength: length })))
      .map((value) => Buffer.from(value).toString("base64"));
  const broken = (text: fc.Arbitrary<string>) =>
    fc.oneof(
      { weight: 5, arbitrary: text },
      fc.tuple(text, fc.constantFrom("=", "A", "B", "_", " ")).map(([value, end]) => value.slice(0, -1) + end),
    );
  const payload = fc.record({
    encrypted: fc.constant(true),
    version: fc.constant("sp1"),
    data: broken(base64([15, 16, 17, 18, 19, 20, 100])),
    key: fc.oneof(broken(base64([256, 257, 258, 384, 510, 511])), base64([512])),
    iv: broken(base64([11, 12, 12, 12, 12, 13])),
  });
  let taken = 0;
  fc.assert(
    fc.property(payload, (sealed) => {
      const body = { id: "sub_01m7xz0vfeesrsmf1n08gdpt02", keyVersion: 1, payload: sealed };
      const isTaken = !("errors" in parsePostedSubmission(body));
      if (isTaken) taken += 1;
      assert.equal(postSubmission(body), isTaken, JSON.stringify(sealed));
    }),
    { numRuns: 1000 },
  );
  assert.ok(taken > 50);
});

test("only bodies that may be left out are optional in the document", () => {
  const optional = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
    )
    .filter(({ operation }) => operation.requestBody?.required === false)
    .map(({ name }) => name);
  assert.deepEqual(optional, [
    "post /api/forms/{form_id}/rotate-keys",
    "post /api/forms/{form_id}/webhook-secret/rotate",
  ]);
});
