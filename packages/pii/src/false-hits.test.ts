import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type CountryCode, getCountries, getExampleNumber } from "libphonenumber-js/min";
import examples from "libphonenumber-js/mobile/examples";
import { dialledLengths, trunkPrefix } from "../corpus/countries.ts";
import { fill } from "../corpus/random.ts";
import { findPii } from "./find.ts";
import { optionalTrunk } from "./phone-plan.ts";
import { stripPii } from "./strip.ts";

const countries = getCountries();
const lengths = Array.from({ length: 12 }, (_, index) => index + 4);
const perLength = 12;

/** The share of the numbers that is taken for personal data, each on a line of its own. */
function takenOf(numbers: readonly string[], country: CountryCode): number {
  return findPii(numbers.join("\n;\n"), { country }).length / numbers.length;
}

function numbersOf(length: number): string[] {
  return Array.from({ length: perLength }, () => fill(`*${"#".repeat(length - 1)}`));
}

/** Whether a number that begins with another digit differs from an amount. */
function hasTrunkPrefix(country: CountryCode): boolean {
  return trunkPrefix(country) !== undefined;
}

suite("bare figures are not taken for telephone numbers, in any country that libphonenumber knows", () => {
  test("where numbers are dialled with a trunk prefix, at most one figure in twenty goes, of any length", () => {
    for (const country of countries.filter(hasTrunkPrefix)) {
      const taken = lengths.map((length) => takenOf(numbersOf(length), country));
      assert.ok(Math.max(...taken) <= 0.25, `${country}: ${taken}`);
      assert.ok(taken.reduce((sum, share) => sum + share) / lengths.length <= 0.05, `${country}: ${taken}`);
    }
  });
  test("elsewhere figures go only where they are as long as the country's numbers", () => {
    for (const country of countries.filter((code) => !hasTrunkPrefix(code))) {
      for (const length of lengths.filter((other) => !dialledLengths(country).has(other)))
        assert.ok(takenOf(numbersOf(length), country) <= 0.25, `${country}: ${length}`);
    }
  });
  test("dates without marks and sums in thousands stay, whatever the country", () => {
    const years = ["1987", "1999", "2024", "2031"];
    const figures = [
      ...years.flatMap((year) => [`${year}1126`, `2611${year}`, `1126${year}`, `0102${year}`, `${year}0102093015`]),
      ...lengths.flatMap((length) =>
        length < 7 ? [] : [fill(`*${"#".repeat(length - 4)}000`), `*`.padEnd(length, "0")],
      ),
    ].map(fill);
    for (const country of countries) assert.equal(takenOf(figures, country), 0, country);
  });
  test("a number, and what is typed into an input for numbers, loses nothing without a word for a telephone", () => {
    for (const country of countries) {
      const numbers = lengths.flatMap((length) => (length > 11 ? [] : numbersOf(length)));
      const plain = Object.fromEntries(numbers.map((number, index) => [`q${index}x`, Number(number)]));
      assert.deepEqual(stripPii(plain, {}, { country }).stripped, [], country);
      const typed = Object.fromEntries(numbers.map((number, index) => [`q${index}x`, number]));
      const hints = Object.fromEntries(Object.keys(typed).map((name) => [name, { type: "number" }]));
      assert.deepEqual(stripPii(typed, hints, { country }).stripped, [], country);
    }
    assert.deepEqual(
      { ...stripPii({ telefon_privat: 491712345678 }, {}, { country: "DE" }).fields },
      { telefon_privat: null },
    );
  });
});

suite("a country's own numbers are found as people write them", () => {
  const nationals = countries.flatMap((country) => {
    const example = getExampleNumber(country, examples);
    return example === undefined
      ? []
      : [{ country, national: example.formatNational(), international: example.format("E.164") }];
  });

  function isFound(text: string, number: string, country: CountryCode): boolean {
    const start = text.indexOf(number);
    return findPii(text, { country }).some((hit) => hit.start <= start && hit.end >= start + number.length);
  }

  test("after a word for a telephone, and with the calling code, all of them of six digits or more", () => {
    const enough = nationals.filter(({ national }) => national.replace(/\D/g, "").length > 6);
    assert.ok(enough.length > 220);
    for (const { country, national, international } of enough) {
      for (const number of [national, national.replace(/\D/g, ""), international])
        assert.ok(isFound(`Tel. ${number}`, number, country), `${country} ${number}`);
    }
  });
  test("with no word, those that are longer than seven digits and no row of threes; with a trunk prefix also bare", () => {
    const missed = nationals.filter(
      ({ country, national }) =>
        national.replace(/\D/g, "").length > 7 && !isFound(`Hi ${national} ok`, national, country),
    );
    // Two digits and two threes are a number in thousands; BO and KI write eight bare digits without their prefix.
    assert.deepEqual(
      missed.map(({ country }) => country),
      ["BO", "BW", "KI", "LB", "LV", "TN"],
    );
    const leftOut = nationals.filter(({ country, national }) => {
      const prefix = trunkPrefix(country);
      return prefix !== undefined && !national.replace(/\D/g, "").startsWith(prefix);
    });
    assert.deepEqual(new Set(leftOut.map(({ country }) => country)), optionalTrunk);
    for (const { country, national } of nationals) {
      const bare = national.replace(/\D/g, "");
      if (bare.length < 9 || (hasTrunkPrefix(country) && !bare.startsWith(trunkPrefix(country) ?? ""))) continue;
      assert.ok(isFound(bare, bare, country), `${country} ${bare}`);
    }
  });
});
