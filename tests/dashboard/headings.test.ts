import assert from "node:assert/strict";
import { test } from "node:test";
import { headingsOf } from "../../packages/dashboard/src/submissions/row-view.ts";

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
