import assert from "node:assert/strict";
import { test } from "node:test";
import {
  defaultTypes,
  halfOf,
  nearMissesReported,
  readCorpus,
  recall,
  type Share,
  tornSpans,
  unchanged,
} from "../corpus/corpus.ts";
import { findPii } from "./find.ts";

function assertShare({ good, all, others }: Share, min: number): void {
  assert.ok(all > 0 && good / all >= min, `${good} of ${all}:\n${others.join("\n")}`);
}

for (const half of ["tune", "report"] as const) {
  test(`in the ${half} half, at least 98 of 100 are found of every type (95 phone numbers), and none is torn`, () => {
    for (const type of defaultTypes) assertShare(recall(type, half), type === "PHONE_NUMBER" ? 0.95 : 0.98);
    assertShare(tornSpans(half), 1);
  });
  test(`in the ${half} half, at most 5 of 100 near misses are reported, and 2 of 100 other texts change`, () => {
    for (const type of defaultTypes) assertShare(nearMissesReported(type, half), 0.95);
    assertShare(unchanged("prose", half), 0.98);
    assertShare(unchanged("figures", half), 0.98);
  });
}

test("the corpus has 100 positives of every default type, and every label stands on what it names", () => {
  const cases = [...readCorpus("positives", "tune"), ...readCorpus("positives", "report")];
  for (const type of defaultTypes)
    assert.ok(cases.filter((entry) => entry.spans.some((span) => span.type === type)).length >= 100, type);
  for (const { text, spans } of cases)
    for (const { start, end } of spans)
      assert.ok(start < end && end <= text.length && text.slice(start, end).trim() !== "");
});

test("the text alone decides which half an entry belongs to", () => {
  assert.deepEqual(
    ["a", "b", "4111 1111 1111 1111", "привет"].map(halfOf),
    ["a", "b", "4111 1111 1111 1111", "привет"].map(halfOf),
  );
  assert.notEqual(readCorpus("prose", "tune").length, 0);
  assert.notEqual(readCorpus("prose", "report").length, 0);
});

test("of two hits side by side no piece of four characters survives", () => {
  const values = (["tune", "report"] as const).flatMap((half) =>
    readCorpus("positives", half).flatMap(({ text, spans }) =>
      spans.filter(({ type }) => type !== "URL_CREDENTIALS").map(({ start, end }) => text.slice(start, end)),
    ),
  );
  const alone = values.filter((value) => findPii(value).some(({ start, end }) => start === 0 && end === value.length));
  assert.ok(alone.length > 1_000);
  for (const [index, separator] of [", ", "\n", "; ", " and ", " / ", " - ", "|", " (", ": "].entries()) {
    for (let first = index; first < alone.length; first += 4) {
      // A step prime to the length pairs every type with every other.
      const [one = "", other = ""] = [alone[first], alone[(first * 577 + index) % alone.length]];
      const text = one + separator + other;
      const rest = findPii(text).reduceRight((left, hit) => left.slice(0, hit.start) + left.slice(hit.end), text);
      assert.ok(rest.replace(separator.trim(), "").replace(/[^\p{L}\p{N}]/gu, "").length < 4, text);
    }
  }
});
