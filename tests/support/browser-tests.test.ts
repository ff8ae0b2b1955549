import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runTestsInBrowser } from "./browser-tests.ts";

/** The control of all tests that run in Chromium: there, too, a false assertion fails and a true one passes. */
test("in Chromium a failing assertion is reported as a failure", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sealpost-browser-"));
  const file = join(folder, "sample.test.ts");
  await writeFile(file, sample);
  try {
    const results = await runTestsInBrowser([file]);
    assert.ok(results.length > 0);
    for (const { title, failure } of results)
      assert.equal(failure === undefined, title.startsWith("passes"), `${title}: ${failure}`);
    assert.deepEqual(
      results.map(({ title }) => title.split(":")[0]),
      [...Array(11).fill("passes"), ...Array(16).fill("fails")],
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

const sample = `
import assert from "node:assert/strict";
import { test } from "node:test";
test("passes: secure context", () => assert.ok(isSecureContext));
test("passes: a page, not Node", () => assert.equal(typeof document, "object"));
test("passes: deepEqual", () => assert.deepEqual({ a: [1, { b: new Uint8Array([1]) }] }, { a: [1, { b: new Uint8Array([1]) }] }));
test("passes: deepEqual of an own __proto__", () => assert.deepEqual(JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')));
test("passes: equal NaN", () => assert.equal(NaN, NaN));
test("passes: notEqual", () => assert.notEqual({}, {}));
test("passes: match", () => assert.match("abc", /b/));
test("passes: throws a class", () => assert.throws(() => { throw new TypeError("no"); }, TypeError));
test("passes: throws what an expression matches", () => assert.throws(() => { throw new Error("no"); }, /no/));
test("passes: throws what a function finds right", () => assert.throws(() => { throw new Error("no"); }, ({ message }) => message === "no"));
test("passes: rejects", () => assert.rejects(Promise.reject(new TypeError("no")), TypeError));
test("fails: throws", () => { throw new Error("no"); });
test("fails: throws another class", () => assert.throws(() => { throw new Error("no"); }, TypeError));
test("fails: throws what a function finds wrong", () => assert.throws(() => { throw new Error("no"); }, () => false));
test("fails: rejection", async () => { throw "no"; });
test("fails: ok", () => assert.ok(0));
test("fails: equal", () => assert.equal(1, "1"));
test("fails: notEqual", () => assert.notEqual("a", "a"));
test("fails: deepEqual value", () => assert.deepEqual({ a: [1] }, { a: [2] }));
test("fails: deepEqual missing member", () => assert.deepEqual({ a: 1, b: undefined }, { a: 1 }));
test("fails: deepEqual other member", () => assert.deepEqual({ a: undefined }, { b: undefined }));
test("fails: deepEqual own __proto__", () => assert.deepEqual(JSON.parse('{"__proto__":1}'), {}));
test("fails: deepEqual other kind", () => assert.deepEqual(new Uint8Array([1]), [1]));
test("fails: deepEqual length", () => assert.deepEqual([1, 2], [1]));
test("fails: match", () => assert.match("abc", /d/));
test("fails: rejects nothing", () => assert.rejects(Promise.resolve(1), TypeError));
test("fails: rejects otherwise", () => assert.rejects(Promise.reject(new Error("no")), TypeError));
`;
