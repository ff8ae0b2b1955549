import assert from "node:assert/strict";
import { test } from "node:test";
import { hostilePieces, repeatTo } from "../corpus/hostile.ts";
import { detectors, findWith } from "./find.ts";
import type { Detector } from "./scan.ts";
import { finish } from "./steps.ts";
import { defaultTypes } from "./types.ts";

/** How often a text is read from its beginning until nothing more is found. */
function countRounds(text: string, country: string): number {
  let rounds = 0;
  // biome-ignore lint/correctness/useYield: a detector that does nothing but count
  const counter: Detector = function* () {
    rounds++;
  };
  const search = { types: new Set(defaultTypes), country, fieldWords: [], countingWords: [], isFigure: false };
  finish(findWith([counter, ...detectors], text, search));
  return rounds;
}

test("no row of characters makes a text be read more than three times, so its time stays linear", () => {
  const pieces = hostilePieces();
  assert.ok(pieces.length > 5_000);
  const slow = pieces.flatMap((piece, index) => {
    const rounds = countRounds(repeatTo(piece, 160), index % 2 === 0 ? "US" : "DE");
    return rounds > 3 ? [`${JSON.stringify(piece)}: ${rounds}`] : [];
  });
  assert.deepEqual(slow, []);
});
