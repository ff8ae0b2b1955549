import assert from "node:assert/strict";
import { test } from "node:test";
import { findMeant } from "@sealpost/envelope";
import { findWrongWord, hasUncommonCharacters } from "./passphrase.ts";
import { loadEstimator, strengthBitsMin } from "./passphrase-strength.ts";
import { splitSheet } from "./read-sheet.ts";

const strong = "Minka steals seven turquoise umbrellas from the Łódź observatory";

test("what people choose is refused below 60 bits: quotations, few words in any language, repetitions, rows of keys, their own names", async () => {
  const estimate = await loadEstimator();
  const own = ["ada.lovelace@analytical.example", "Ada Lovelace"];
  for (const weak of [
    "",
    "correct horse battery staple",
    "CorrectHorseBatteryStaple",
    "to be or not to be that is the question",
    "one two three four five six seven eight nine ten",
    "meine Katze heißt Minka",
    "bonjour bonjour bonjour bonjour bonjour bonjour",
    "qwertyuiopasdfghjklzxcvbnm",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "v7#Kq9!xWz2$",
    "ada lovelace analytical example lovelace ada",
  ])
    assert.ok(estimate(weak, own) < strengthBitsMin, `${weak}: ${estimate(weak, own)}`);
  for (const enough of [strong, "v7#Kq9!xWz2$aB7&pQ3f", "我的猫叫小花很可爱，她喜欢睡觉吃鱼呢呀"])
    assert.ok(estimate(enough, own) >= strengthBitsMin, `${enough}: ${estimate(enough, own)}`);
  // A control: what is strong is weak to somebody who knows it.
  assert.ok(estimate(strong, [strong]) < strengthBitsMin);
});

test("characters that other keyboards lack or that nobody sees are refused; those of any script are not", () => {
  for (const typed of ["Zoë 🙏 我的猫", "می‌خواهم", "a\u00a0b\tc"])
    assert.equal(hasUncommonCharacters(typed), false, typed);
  for (const typed of ["a\u200bb", "a\u0000b", "a\ue000", "a\u{e0100}b\u{378}", "\ud800", "a\u202eb"])
    assert.ok(hasUncommonCharacters(typed), JSON.stringify(typed));
});

test("six words are taken as drawn, and also as typed: they may be a passphrase", () => {
  assert.deepEqual(findMeant("one two three four five six"), ["one two three four five six"]);
  assert.deepEqual(findMeant("1. One, two three four five six"), [
    "one two three four five six",
    "1. One, two three four five six",
  ]);
  assert.deepEqual(findMeant("A passphrase, of my own"), ["A passphrase, of my own"]);
});

test("six words are taken as people write them down: with numbers, commas, lines and capitals", () => {
  const words = "yo-yo felt-tip rumor crouch rumor hangover";
  const list = words.split(" ");
  const numbered = list.map((word, index) => `${index + 1}. ${word}`);
  for (const typed of [numbered.join("\n"), `${numbered.join(", ")}.`, list.join(","), words.toUpperCase()])
    assert.equal(findWrongWord(typed, words), undefined, typed);
  assert.deepEqual(findWrongWord("1. yo-yo", words), { count: 1 });
  assert.deepEqual(findWrongWord(list.with(2, "7").join(" "), words), { count: 5 });
  assert.deepEqual(findWrongWord(list.with(2, "felt").join(" "), words), { word: 3 });
});

test("a sheet is pasted as a whole, in one line or four, with or without numbers", () => {
  const lines = ["WQ12E AWYYR AQSTJ", "92R76 4MB8K 6VCDV", "1K5C0 7N4NM 8404K", "7108M Q51WV BW1S3"];
  const numbered = lines.map((line, index) => `${index + 1}. ${line}`);
  const close = (given: readonly string[]) => given.map((line) => line.replaceAll(" ", ""));
  for (const typed of [lines.join("\n"), lines.join(" "), numbered.join("\n"), numbered.join(" ")])
    assert.deepEqual(close(splitSheet(typed)), close(lines), typed);
  const five = [...lines, "7108M Q51WV BW1S3"];
  assert.deepEqual(close(splitSheet(five.join(""))), close(five), "a share has five");
  assert.deepEqual(splitSheet(lines[2] ?? ""), [lines[2]]);
});
