import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { findPii } from "./find.ts";
import { stripPii } from "./strip.ts";
import type { PiiType } from "./types.ts";

/** The findings, as `TYPE:text`. */
function found(text: string, types?: PiiType[]): string[] {
  return findPii(text, types === undefined ? {} : { types }).map(
    (hit) => `${hit.type}:${text.slice(hit.start, hit.end)}`,
  );
}

/** Each text, wholly and alone, is a hit of the type; inside a sentence nothing around it goes. */
function assertHits(type: PiiType, texts: readonly string[], types?: PiiType[]): void {
  for (const text of texts) {
    assert.deepEqual(found(text, types), [`${type}:${text}`]);
    assert.deepEqual(found(`see (${text}), ok.`, types), [`${type}:${text}`]);
  }
}

function assertMisses(type: PiiType, texts: readonly string[], types?: PiiType[]): void {
  for (const text of texts)
    assert.ok(!found(text, types).some((hit) => hit.startsWith(`${type}:`)), `${type}: ${text}`);
}

suite("PHONE_NUMBER", () => {
  test("numbers are found as people type them, valid or not", () => {
    assertHits("PHONE_NUMBER", [
      "(212) 555-0147",
      "212-555-0147",
      "212.555.0147 ext. 12",
      "+1 212 555 0147",
      "+44 (0)20 7946 0958",
      "0044 20 7946 0958",
      "0171/1234567",
      "06 12 34 56 78",
      "06.12.34.56.78",
      "+49 (0) 171 / 123 45 67",
      "612 345 678",
      "070-123 45 67",
      "+1.2125550147",
      "800-555-0199x123",
      "+1-201-555-0123;ext=5",
      "07700900123",
    ]);
  });
  test("bare digits need a word before them, in any of the seven languages", () => {
    for (const word of [
      "phone",
      "Mobile:",
      "Handynummer",
      "téléphone :",
      "llámame al",
      "chiamare il",
      "bel",
      "telemóvel",
    ])
      assert.deepEqual(
        found(`${word} 3920012345`).map((hit) => hit.slice(0, 12)),
        ["PHONE_NUMBER"],
      );
    assertMisses("PHONE_NUMBER", ["3920012345", "order 2125550147", "#2125550147"]);
  });
  test("dates, times, versions, decimals, prices, IP addresses and longer runs are no phone numbers", () => {
    const misses = [
      "2026-11-21 10:30",
      "21.11.2026 - 28.11.2026",
      "1.2.3.4.5",
      "3.14159265358979",
      "1.234.567.890,50 €",
      "$ 1 234 567 890",
      "48.858370 2.294481",
    ];
    assertMisses("PHONE_NUMBER", [
      ...misses,
      "192.168.100.200",
      "MA 02110-1301",
      "04 54 65 73 74 30 82",
      "1234567890123456",
      "978-3-16-148410-0",
      "XY-123456-7890-Z",
      "call 911",
      "6-4 3-6 7-6 6-3 6-4",
      "1 000 000 000",
    ]);
  });
  test("versions of browsers and systems are neither phone numbers nor addresses", () => {
    const versions = [
      "Chrome 101.0.4951.64",
      "Chrome/101.0.44.64",
      "Edg 121.0.2277.128",
      "Firefox 128.0.0.1",
      "Windows 10.0.19045.4170",
      "115.0.5790.170",
      "it broke in 16.5.17126.20132",
      "4.18.1.553.16.1",
      "Version 212.555.0147",
    ];
    for (const text of versions) assert.deepEqual(found(text), [], text);
    assertHits("PHONE_NUMBER", ["06.12.34.56.78", "+33.6.12.34.56.78", "1.212.555.0147", "044.123.45.67"]);
    assert.deepEqual(found("tel 52.34.56.78.90"), ["PHONE_NUMBER:52.34.56.78.90"]);
  });
  test("a book's number is no phone number, whatever parts it; with a wrong check digit it is no book's", () => {
    for (const text of [
      "978 3 16 148410 0",
      "978-0-306-40615-7",
      "9780306406157",
      "979 10 90636 07 1",
      "tel 978 3 16 148410 0",
    ])
      assert.deepEqual(found(text), [], text);
    assertHits("PHONE_NUMBER", ["(978) 316-1484"]);
  });
  test("numbers of registers, customers, policies, cases and bookings are kept after their word, however they are grouped", () => {
    const numbers = [
      "VAT no. BE 0123.456.789",
      "VAT GB 123 4567 89",
      "USt-IdNr.: DE 812 526 315",
      "FR83 404 833 048",
      "SIREN 732 829 320",
      "RCS Paris n° 632 829 320",
      "Partita IVA 07643520567",
      "KvK-nummer 061234567",
      "Steuernummer 093/815/08152",
      "Kundennummer 061 234 5678",
      "Customer number: 612 345 678",
      "número de cliente 612 345 678",
      "numéro de client : 06 12 34 56 78",
      "policy no. 212-555-0147",
      "Aktenzeichen 0171/1234567",
      "case 212-555-0147",
      "your booking reference is 212 555 0147",
      "Part number: 555-123-4567-A",
      "ISBN 2 914571 14 3",
      "charity no. 0171 1234567",
    ];
    for (const text of numbers) assert.deepEqual(found(text), [], text);
    const phones = [
      "Customer: 212-555-0147",
      "To order 212-555-0147",
      "For reservations 212-555-0147",
      "customer phone no. 212-555-0147",
    ];
    for (const text of phones) assert.equal(findPii(text)[0]?.type, "PHONE_NUMBER", text);
    assert.deepEqual(stripPii({ customer_number: "612 345 678", phone: "612 345 678" }).stripped.length, 1);
  });
  test("addresses of articles, rows of threes, decimals with an error, other centuries and file numbers are kept", () => {
    const kept = [
      "https://shop.example/item/2125552368/reviews",
      "www.example.com/2125552368",
      "123 456 789",
      "123 456 789 012",
      "0.1171 (0.0022)",
      "11.71 (10.2211)",
      "Xu Hong (c. 1580–1660)",
      "EU/1/04/289/001",
    ];
    for (const text of kept) assert.deepEqual(found(text), [], text);
    assert.deepEqual(found("https://wa.me/?phone=2125552368"), ["PHONE_NUMBER:2125552368"]);
  });
  test("a postcode before a number stays, an extension goes with it", () => {
    assert.deepEqual(found("Saginaw, Michigan 48604 (989)755-1109"), ["PHONE_NUMBER:(989)755-1109"]);
    assert.deepEqual(found("San Diego, CA 92101 619-696-6966"), ["PHONE_NUMBER:619-696-6966"]);
    assert.deepEqual(found("0171 123-45-67"), ["PHONE_NUMBER:0171 123-45-67"]);
    assertHits("PHONE_NUMBER", [
      "(523)222-8888 x 623",
      "523-222-8888EXT623",
      "030/123456 Durchwahl 12",
      "212-555-0147, extension 5",
    ]);
  });
  test("a word after a number, or whose number it is, says that it is a phone number", () => {
    assert.deepEqual(found("3920012345 (fax)"), ["PHONE_NUMBER:3920012345"]);
    assert.deepEqual(found("455 6186 mobile"), ["PHONE_NUMBER:455 6186"]);
    assert.deepEqual(found("my number is 3920012345"), ["PHONE_NUMBER:3920012345"]);
    assert.deepEqual(found("meine Nummer: 3920012345"), ["PHONE_NUMBER:3920012345"]);
    assertHits("PHONE_NUMBER", ["(37) 788-063"]);
  });
  test("a bare number is one where it is valid in the form's country", () => {
    const numbers = {
      DK: "22345678",
      NO: "41234567",
      GB: "07400123456",
      FR: "0612345678",
      ES: "612345678",
      IN: "08123456789",
    };
    for (const [country, number] of Object.entries(numbers)) {
      assert.deepEqual(
        findPii(number, { country }).map(({ type }) => type),
        ["PHONE_NUMBER"],
        country,
      );
    }
    for (const number of ["22345678", "612345678"]) assert.deepEqual(findPii(number), []);
  });
  test("numbers without + are those of the given country", () => {
    assert.deepEqual(findPii("2125552368").length, 1);
    assert.deepEqual(findPii("2125552368", { country: "FR" }), []);
    assert.deepEqual(
      findPii("22 34 56 78", { country: "dk" }).map((hit) => hit.type),
      ["PHONE_NUMBER"],
    );
  });
  test("an abbreviation before a number is a word before it", () => {
    for (const text of ["T:02079460958", "M: 3920012345", "Ph: 98765 43210", "Tlf. 22 12 34 56", "call 555.0147"]) {
      const [hit] = findPii(text);
      assert.deepEqual([hit?.type, hit?.end], ["PHONE_NUMBER", text.length], text);
    }
  });
  test("a word after a number is a word for it", () => {
    for (const [text, number] of [
      ["24 428557 office\n+1-743-438-6774 fax", "24 428557"],
      ["24 428557-Office", "24 428557"],
      ["085 175 7641-Office,3660170548-Fax", "085 175 7641"],
      ["3660170548-Fax", "3660170548"],
    ] as const)
      assert.equal(found(text)[0], `PHONE_NUMBER:${number}`, text);
    assert.deepEqual(found("call 33 93 31"), ["PHONE_NUMBER:33 93 31"]);
    for (const text of ["33 93 31", "5 000 000 office workers", "12 345678 office-related items", "3660170548-A"])
      assert.deepEqual(found(text), [], text);
  });
  test("of two numbers in a row both go", () => {
    for (const text of [
      "212-555-0147 212-555-0199",
      "0171 1234567 0172 7654321",
      "(212) 555-0147 (212) 555-0148",
      "+44 20 7946 0958 / 0171 1234567",
    ])
      assert.equal(
        findPii(text).reduce((rest, { start, end }) => rest - (end - start), text.replace(/[ /]+$/, "").length) < 4,
        true,
        text,
      );
  });
});
