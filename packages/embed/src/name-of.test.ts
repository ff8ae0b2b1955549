import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import good from "../../wire/vectors/good.json" with { type: "json" };
import { nameOf } from "./collect.ts";

test("names of ours get one more dollar sign, as the vector has them, and all others are unchanged", () => {
  const vector = good.find(({ typed }) => typed !== undefined);
  assert.ok(vector?.typed);
  const sealed = Object.entries(vector.typed).map(([name, value]) => [nameOf(name), value]);
  assert.equal(JSON.stringify(Object.fromEntries(sealed)), vector.plaintext);
  for (const name of ["$price", "$", "$Sealpost", "a$sealpost", "$ sealpost", "__proto__", "", "[]", "sealpost"])
    assert.equal(nameOf(name), name);
  assert.deepEqual(["$sealpost[]", "$price[]", "a[][]"].map(nameOf), ["$$sealpost", "$price", "a[]"]);
});

test("no two names become alike, and none becomes one of ours", () => {
  const name = fc.oneof(
    fc.string(),
    fc
      .tuple(fc.stringMatching(/^\$*$/), fc.constantFrom("", "sealpost", "seal"), fc.string())
      .map((all) => all.join("")),
  );
  const other = (one: string) => !one.endsWith("[]");
  fc.assert(
    fc.property(fc.uniqueArray(name.filter(other)), (names) => {
      const sealed = names.map(nameOf);
      assert.equal(new Set(sealed).size, names.length);
      assert.ok(!sealed.some((one) => /^\$sealpost/.test(one)));
    }),
  );
});
