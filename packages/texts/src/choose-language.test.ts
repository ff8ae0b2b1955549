import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseLanguage } from "./choose-language.ts";

const available = [{ tag: "en" }, { tag: "de" }, { tag: "pt-BR" }, { tag: "zh-Hant" }] as const;
const choose = (...wanted: string[]) => chooseLanguage<{ readonly tag: string }>(wanted, available).tag;

test("the first wanted language that is available is shown, also one of another region", () => {
  assert.equal(choose("fr", "de-AT", "en"), "de");
  assert.equal(choose("pt-br", "en"), "pt-BR");
  assert.equal(choose("zh-Hant-TW"), "zh-Hant");
});

test("a part of a tag is compared as a whole", () => {
  assert.equal(choose("den", "d", "pt-B"), "en");
});

test("people who want no language that is available see the first one", () => {
  assert.equal(choose(), "en");
  assert.equal(choose("fr", "zh", "", "-"), "en");
});

test("ten tags are looked at, and none that is longer than tags are", () => {
  const others = (count: number) => Array.from({ length: count }, (_, number) => `x${number}`);
  assert.equal(choose(...others(9), "de"), "de");
  assert.equal(choose(...others(10), "de"), "en");
  assert.equal(choose(`de-${"a".repeat(32)}`), "de", "35 characters");
  assert.equal(choose(`de-${"a".repeat(33)}`), "en", "36 characters");
});
