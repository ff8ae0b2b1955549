import assert from "node:assert/strict";
import { test } from "node:test";
import { isInvisible } from "@sealpost/wire";

test("text of which nothing can be seen is invisible, in every kind of character that shows nothing", () => {
  const nothing = [
    ["no character", ""],
    ["spaces", " \t\n\u00a0\u1680\u2003\u2028\u3000"],
    ["zero-width spaces and joiners", "\u200b\u200c\u200d\u2060\ufeff"],
    ["a soft hyphen", "\u00ad"],
    ["marks of direction", "\u200e\u202e\u2066\u061c"],
    ["fillers of Hangul", "\u115f\u1160\u3164\uffa0"],
    ["the braille pattern without dots", "\u2800"],
    ["variation selectors", "\ufe0f\u180b\u{e0100}"],
    ["a grapheme joiner", "\u034f"],
    ["tags", "\u{e0041}\u{e007f}"],
  ] as const;
  for (const [kind, text] of nothing) assert.equal(isInvisible(text), true, kind);
  assert.equal(isInvisible(nothing.map(([, text]) => text).join("")), true, "all of them");
});

test("one character that can be seen is enough, wherever it is", () => {
  const seen = ["a", "\u0007", "0", "🙂", "·", "ب", "한", "\u2801", "\u{f8ff}", "\u{1fae8}", "-", "\u0301"];
  for (const character of seen)
    for (const text of [character, `\u200b${character}`, ` ${character}\u2800`])
      assert.equal(isInvisible(text), false, JSON.stringify(text));
});
