import assert from "node:assert/strict";
import { test } from "node:test";
import { makeUp, withoutData } from "../testing/made-up.ts";

test("a made-up text has no English letter but in what it was given", () => {
  const texts = makeUp({
    save: "Save",
    hello: (name: string) => `Hello, ${name}!`,
    role: (role: string) => (role === "owner" ? "An owner" : role),
    list: (names: readonly string[]) => [`First: ${names[0]}`, "Then the rest"],
  });
  assert.equal(texts.save, "Šàṽé");
  assert.equal(texts.hello("Ada"), "Ĥéļļó, \u2068Ada\u2069!");
  assert.equal(texts.role("owner"), "Àñ óŵñéŕ");
  assert.equal(texts.role("other"), "\u2068other\u2069");
  assert.deepEqual(texts.list(["Bob"]), ["Ƒíŕšŧ: \u2068Bob\u2069", "Ŧĥéñ ŧĥé ŕéšŧ"]);
  assert.equal(withoutData(texts.hello("Ada")), "Ĥéļļó, !");
});
