import assert from "node:assert/strict";
import { test } from "node:test";
import { headingsOf } from "../../packages/dashboard/src/submissions/row-view.ts";
import { text } from "../../packages/dashboard/src/texts/text.ts";

test("names that programs write become headings for people, names written for people and names that collide stay as they were sent", () => {
  const headings = {
    email: "Email",
    first_name: "First name",
    "your-name": "Your name",
    "e-mail": "E-mail",
    lastName: "Last name",
    vatID: "Vat ID",
    größe_in_cm: "Größe in cm",
    "Wie heißen Sie?": "Wie heißen Sie?",
    "topics[]": "topics[]",
    IBAN: "IBAN",
    "a.b": "a.b",
    _: "_",
    zipCode: "zipCode",
    zip_code: "zip_code",
  };
  const headingOf = headingsOf(Object.keys(headings));
  for (const [name, heading] of Object.entries(headings)) assert.equal(headingOf(name), heading);
  const long = "a".repeat(1_000_000);
  assert.equal(headingsOf([long])(long).length, 301);
});

test("a count above a thousand has its separator in every text", () => {
  const texts = allTexts(text, "").map(([name, make]) => ({
    name,
    made: String(make(...Array(make.length).fill(1005))),
  }));
  assert.ok(texts.filter(({ made }) => made.includes("1,005")).length > 50, "it reads texts that say a count");
  const units = "ms|s|bytes|characters|API keys|keys|forms|submissions|fields|files|days|hours|minutes|sessions|types";
  for (const { name, made } of texts) assert.doesNotMatch(made, new RegExp(`\\b1005 (?:${units})\\b`), name);
});

type MakeText = (...counts: number[]) => unknown;

/** These take words where the others take a count. */
const takingWords = ["wrongOrigins", "planHint"];

/** The texts that something is put into. */
function allTexts(part: object, path: string): [string, MakeText][] {
  return Object.entries(part).flatMap(([name, value]): [string, MakeText][] => {
    if (typeof value === "function") return takingWords.includes(name) ? [] : [[path + name, value]];
    return typeof value === "object" && value !== null ? allTexts(value, `${path}${name}.`) : [];
  });
}
