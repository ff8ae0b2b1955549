import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlurals } from "./plurals.ts";

test("a count selects the form that its language has for it", () => {
  const english = createPlurals("en", ["one", "other"]);
  assert.deepEqual(
    [0, 1, 2, 1005].map((count) => english.counted(count, { one: "key", other: "keys" })),
    ["0 keys", "1 key", "2 keys", "1,005 keys"],
  );
  const polish = createPlurals("pl", ["one", "few", "many", "other"]);
  const forms = { one: "klucz", few: "klucze", many: "kluczy", other: "klucza" };
  assert.deepEqual(
    [1, 2, 5, 22].map((count) => polish.plural(count, forms)),
    ["klucz", "klucze", "kluczy", "klucze"],
  );
});

test("a language that names other plural categories than it has is refused when it is loaded", () => {
  assert.throws(() => createPlurals("pl", ["one", "other"]), /pl has the plural categories few, many, one, other/);
  assert.throws(() => createPlurals("en", ["one", "few", "other"]), /en has/);
});
