import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { detectors, findWith } from "./find.ts";
import { fold } from "./fold.ts";
import { createWordsBefore, type Detector, findDigitGroups } from "./scan.ts";
import type { Steps } from "./steps.ts";
import { stripPii, stripPiiInSteps } from "./strip.ts";
import { allTypes } from "./types.ts";

/** For each detector a text in which it has to look at every word. */
const texts: Readonly<Record<string, readonly string[]>> = {
  findEmails: ["a@b.co "],
  findUrlCredentials: ["/?key=a "],
  findPhoneNumbers: ["212-555-0147 ", "212-555-0147, ", "1-"],
  findCreditCards: ["4111 1111 1111 1111 "],
  findIbans: ["DE89 3704 0044 0532 0130 00 "],
  findIpAddresses: ["192.0.2.1 ", "2001:db8::1 "],
  findMacAddresses: ["00-00-5E-00-53-01 "],
  findUsNumbers: ["078-05-1120 "],
  findUkNumbers: ["943 476 5919 ", "AB 12 34 56 C "],
  findCryptoAddresses: ["1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2 "],
  findNationalNumbers: ["X1234567L "],
  findTexts: ["https://example.org/a ", "2020-02-03 ", "zip 12345 "],
};
const wordsOfText = 4_000;

function run(detector: Detector, text: string): Steps<void> {
  return detector({
    text,
    groups: findDigitGroups(text),
    country: "US",
    fieldWords: [],
    countingWords: [],
    isFigure: false,
    wordsBefore: createWordsBefore(text),
    wants: () => true,
    report: () => {},
  });
}

function countSteps(steps: Iterable<unknown>): number {
  return Array.from(steps).length;
}

test("every detector stops again and again in a long text, and so does folding", () => {
  for (const detector of detectors) {
    for (const piece of texts[detector.name] ?? assert.fail(`no text for ${detector.name}`)) {
      const count = countSteps(run(detector, piece.repeat(wordsOfText)));
      assert.ok(count > wordsOfText / 100, `${detector.name} stops ${count} times in ${piece}`);
    }
  }
  assert.ok(countSteps(fold("ü".repeat(wordsOfText))) > wordsOfText / 100);
});

test("between two fields, two members of a list and two rounds it stops too", () => {
  const search = { types: new Set(allTypes), country: "US", fieldWords: [], countingWords: [], isFigure: false };
  const none: Detector[] = [];
  assert.equal(countSteps(findWith(none, "x", search)), 0);
  const fields = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, index % 2 === 0]));
  assert.ok(countSteps(stripPiiInSteps(fields)) >= 20);
  assert.ok(countSteps(stripPiiInSteps({ list: Object.values(fields) })) >= 20);
});

test("in steps, with other strippings in between, the result is that of doing it at once", () => {
  const fragments = ["a@b.example", "212-555-0147", " ", "078-05-1120", "x", "192.0.2.1", "[EMAIL]", "tel "];
  const field = fc.array(fc.constantFrom(...fragments), { maxLength: 12 }).map((parts) => parts.join(""));
  const fields = fc.dictionary(fc.oneof(field, fc.constantFrom("email", "note")), field, { maxKeys: 5 });
  fc.assert(
    fc.property(fields, fields, (one, other) => {
      const steps = stripPiiInSteps(one);
      for (;;) {
        const step = steps.next();
        if (step.done) {
          assert.deepEqual(step.value, stripPii(one));
          return;
        }
        stripPii(other);
      }
    }),
    { numRuns: 50 },
  );
});
