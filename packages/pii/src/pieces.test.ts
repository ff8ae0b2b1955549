import assert from "node:assert/strict";
import { test } from "node:test";
import { remainder97 } from "./checksums.ts";
import { findPii } from "./find.ts";
import { stripPii } from "./strip.ts";

const countries = ["US", "DE", "AT", "FR", "GB", "PL"];

function strip(text: string, country: string): string {
  return String(stripPii({ message: text }, {}, { country }).fields.message);
}

test("of a telephone number with digits after it no piece of four survives, however they are joined", () => {
  const numbers = [
    "+49 171 1234567",
    "0171 1234567",
    "212-555-0147",
    "(212) 555-0147",
    "0171/1234567",
    "+44 20 7946 0958",
    "06 12 34 56 78",
  ];
  const tails = ["-8866", "-88", "/8866", ".8866", "-8866-12", " ext. 8866", "-8866-1234", "-88661"];
  for (const country of countries)
    for (const number of numbers)
      for (const tail of tails) {
        const rest = strip(`${number}${tail}`, country);
        // Not taken at all are decimals, and more digits than a number can have.
        const isKept = rest === `${number}${tail}` && (tail === ".8866" || rest.replace(/\D/g, "").length > 15);
        assert.ok(isKept || !/\d{3}/.test(rest), `${country} ${number}${tail} → ${rest}`);
      }
});

test("a number in brackets right after a word is one", () => {
  for (const text of ["Tel(0171)1234567", "Tel(0171) 1234567", "phone(212)555-0147"])
    for (const country of countries) assert.doesNotMatch(strip(text, country), /\d/, text);
});

test("a Polish account goes whole or stays whole", () => {
  for (let round = 0; round < 97; round++) {
    const account = `1090101400000712${String(19812800 + round)}`;
    const check = String(98 - Number(remainder97(`PL00${account}`))).padStart(2, "0");
    for (const [digits, isValid] of [
      [check + account, true],
      [`${check === "61" ? "16" : "61"}${account}`, false],
    ] as const) {
      const grouped = digits.replace(/^(..)|(.{4})(?=.)/g, "$1$2 ");
      for (const country of countries) {
        if (isValid)
          assert.deepEqual(findPii(`Nr ${grouped}.`, { country }), [{ type: "IBAN_CODE", start: 3, end: 35 }], grouped);
        if (isValid) assert.equal(strip(digits, country), "[IBAN]", digits);
        const stripped = strip(`konto: ${grouped}`, country);
        assert.equal(stripped, "konto: [IBAN]", `${country} ${grouped}`);
      }
    }
  }
});

test("a National Insurance number is found by pairs and by threes", () => {
  for (const text of ["AB 12 34 56 C", "AB123456C", "AB 123 456 C", "AB-123-456-C", "ab123 456c"])
    assert.equal(strip(`mine: ${text}`, "GB"), "mine: [NINO]", text);
});
