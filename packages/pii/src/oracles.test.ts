import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { getCountries, getCountryCallingCode } from "libphonenumber-js/min";
import isIban from "validator/lib/isIBAN.js";
import { trunkPrefix } from "../corpus/countries.ts";
import { completeIban, registryIbans } from "../corpus/positives.ts";
import { findPii } from "./find.ts";
import { isVersion6 } from "./ip-address.ts";
import { isValidPhone, mayBeDialled } from "./phone-plan.ts";

const group = fc.oneof(
  fc.constantFrom("", "0", "db8", "2001", "ffff", "12345", "g", "192.0.2.1", "1.2.3"),
  fc.nat(0xffff).map((value) => value.toString(16)),
);

test("what is an IPv6 address is what ipaddr.js says", () => {
  fc.assert(
    fc.property(fc.array(group, { minLength: 2, maxLength: 10 }), (groups) => {
      const address = groups.join(":");
      assert.equal(isVersion6(address), ipaddr.IPv6.isValid(address), address);
    }),
    { numRuns: 5_000 },
  );
});

test("what validator.js calls an IBAN is found, and every registry example too", () => {
  assert.ok(registryIbans.length > 75);
  for (const iban of registryIbans) {
    assert.deepEqual(findPii(`${iban} is mine`), [{ type: "IBAN_CODE", start: 0, end: iban.length }], iban);
    const spaced = iban.replace(/(.{4})(?=.)/g, "$1 ");
    assert.deepEqual(findPii(`${spaced}\nnext`), [{ type: "IBAN_CODE", start: 0, end: spaced.length }], iban);
  }
  for (let round = 0; round < 200; round++) {
    const iban = completeIban("DE####################");
    assert.ok(isIban.default(iban));
    assert.equal(findPii(iban)[0]?.type, "IBAN_CODE", iban);
  }
});

test("no number that begins as the country's do, and that libphonenumber calls valid, is left out", () => {
  let short = 0;
  for (const country of getCountries().filter((code) => getCountryCallingCode(code) !== "1")) {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{7,12}$/), (national) => {
        const digits = `${trunkPrefix(country) ?? ""}${national}`;
        if (mayBeDialled(digits, country, false)) return;
        short++;
        assert.ok(!isValidPhone(digits, country), `${country} ${digits}`);
      }),
      { numRuns: 40 },
    );
  }
  assert.ok(short > 500, String(short));
  assert.ok(!mayBeDialled("078051120", "US", true));
  assert.ok(mayBeDialled("0114420794", "US", false), "what begins as numbers abroad do is looked up");
  assert.deepEqual(
    ["12500000", "012500000"].map((digits) => mayBeDialled(digits, "DE", false)),
    [false, true],
  );
});
