import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findPii } from "./find.ts";
import { fold, unfold } from "./fold.ts";
import { finish } from "./steps.ts";

function hitTexts(text: string): string[] {
  return findPii(text).map((hit) => text.slice(hit.start, hit.end));
}

test("offsets stay exact through folding", () => {
  assert.deepEqual(hitTexts("Ｅ－Ｍａｉｌ： ａnna＠example．com！"), ["ａnna＠example．com"]);
  assert.deepEqual(hitTexts("😀 +44\u00a020\u200b 7946\u00ad 0958 😀"), ["+44\u00a020\u200b 7946\u00ad 0958"]);
  assert.deepEqual(hitTexts("\ufb03 ４１１１\u2009１１１１\u202f1111\u00a01111 ﷺ"), [
    "４１１１\u2009１１１１\u202f1111\u00a01111",
  ]);
  assert.deepEqual(hitTexts("x٩٤٣ ٤٧٦ ٥٩١٩"), []);
  assert.deepEqual(hitTexts("x ٩٤٣ ٤٧٦ ٥٩١٩."), ["٩٤٣ ٤٧٦ ٥٩١٩"]);
  assert.deepEqual(hitTexts("see a%40b.example"), ["a%40b.example"]);
  assert.deepEqual(hitTexts("5️⃣55️⃣-123-4567 212\u2011555\u20110147"), ["5️⃣55️⃣-123-4567", "212\u2011555\u20110147"]);
});

test("a text in any script's digits folds to the same digits", () => {
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    const isZero =
      /^\p{Nd}$/u.test(String.fromCodePoint(codePoint)) &&
      !/^\p{Nd}$/u.test(String.fromCodePoint(codePoint - 1 < 0 ? 0 : codePoint - 1));
    if (!isZero) continue;
    const digits = Array.from({ length: 10 }, (_, value) => String.fromCodePoint(codePoint + value)).join("");
    assert.equal(finish(fold(digits)).text, "0123456789", codePoint.toString(16));
  }
});

test("every unit of the shadow knows its place, in order, and lone surrogates pass through", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\ud83d", "\ude00", "ﷺ", "\u200b", "½"))),
      (parts) => {
        const original = parts.join("");
        const shadow = finish(fold(original));
        assert.equal(shadow.starts.length, shadow.text.length);
        for (let index = 0; index < shadow.text.length; index++) {
          const { start, end } = unfold(shadow, { start: index, end: index + 1 });
          assert.ok(start < end && end <= original.length && start >= (shadow.starts[index - 1] ?? 0));
        }
      },
    ),
    { numRuns: 200 },
  );
  assert.equal(finish(fold("a\ud83db")).text, "a\ud83db");
});

test("ASCII other than tabs and %40 folds to itself", () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join("");
  assert.equal(finish(fold(ascii)).text, ascii.replace("\t", " "));
});
