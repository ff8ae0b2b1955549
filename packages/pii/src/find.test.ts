import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { findPii } from "./find.ts";
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

suite("EMAIL_ADDRESS", () => {
  test("every form of RFC 5322, 5321 and 6531 is found, its closing punctuation is not", () => {
    assertHits("EMAIL_ADDRESS", [
      "simple@example.com",
      "very.common+tag@sub.example.co.uk",
      "o'brien@example.com",
      '"john doe"@example.com',
      "user@[192.0.2.1]",
      "用户@例子.测试",
      "अजय@डाटा.भारत",
      "a@example.xn--p1ai",
      `${"a".repeat(64)}@example.com`,
    ]);
    assert.deepEqual(found("write to <a@b.example>, c@d.example."), [
      "EMAIL_ADDRESS:a@b.example",
      "EMAIL_ADDRESS:c@d.example",
    ]);
    assert.deepEqual(found("?to=john%40example.com"), ["EMAIL_ADDRESS:john%40example.com"]);
  });
  test("in an address of the web only the parameter's value goes, however long the rest is", () => {
    assert.deepEqual(found("https://example.com/a?mail=j@b.example&x=1"), ["EMAIL_ADDRESS:j@b.example"]);
    assert.deepEqual(found(`https://example.com/${"a/".repeat(40)}j@b.example`), ["EMAIL_ADDRESS:j@b.example"]);
    assert.deepEqual(found("customer/department=shipping@example.com"), [
      "EMAIL_ADDRESS:customer/department=shipping@example.com",
    ]);
  });
  test("a domain with an underscore is one", () => {
    assertHits("EMAIL_ADDRESS", ["anna@my_shop.example", "a@mail_1.my_shop.example"]);
    assert.deepEqual(found("a@example.com_old"), ["EMAIL_ADDRESS:a@example.com"]);
  });
  test("what only has an @ is no address", () => {
    const misses = [
      "lodash@4.17.21",
      "@handle",
      "me @ home",
      "user@localhost",
      "a@b",
      "user@example.c0",
      "@types/node@26.6.6",
      `${"a".repeat(65)}@example.com`,
    ];
    assertMisses("EMAIL_ADDRESS", misses);
  });
});

suite("numbers with a check digit", () => {
  test("CREDIT_CARD: the schemes' test numbers in any grouping, and nothing that fails Luhn or has no issuer", () => {
    assertHits("CREDIT_CARD", [
      "4111111111111111",
      "4111 1111 1111 1111",
      "4111-1111-1111-1111",
      "3782 822463 10005",
      "30569309025904",
      "6011111111111117",
      "6200000000000005",
      "2223003122003222",
      "6304000000000000",
    ]);
    assertMisses("CREDIT_CARD", [
      "4111111111111112",
      "0000000000000000",
      "A4111111111111111",
      "41111111111111111",
      "4111 1111-1111 1111",
      "9111111111111111",
    ]);
  });
  test("IBAN_CODE: exactly the country's length, in any case and grouping", () => {
    assertHits("IBAN_CODE", [
      "DE89370400440532013000",
      "DE89 3704 0044 0532 0130 00",
      "gb29 nwbk 6016 1331 9268 19",
      "NO93-8601-1117-947",
      "MT84MALT011000012345MTLCAST001S",
    ]);
    assert.deepEqual(found("NO93 8601 1117 947 to pay"), ["IBAN_CODE:NO93 8601 1117 947"]);
    assertMisses("IBAN_CODE", [
      "DE89370400440532013001",
      "ZZ89370400440532013000",
      "XDE89370400440532013000",
      "DE893704004405320130",
      "DE89  3704 0044 0532 0130 00",
    ]);
  });
  test("UK_NHS: modulus 11, bare or 3-3-4, and no ISBN", () => {
    for (const text of ["943 476 5919", "943-476-5919", "4010232137", "6328769873", "3200231041", "0101234562"])
      assert.deepEqual(
        findPii(text, { country: "GB" }).map(({ type }) => type),
        ["UK_NHS"],
        text,
      );
    assert.deepEqual(found("NHS 9434765919"), ["UK_NHS:9434765919"]);
    assertMisses("UK_NHS", ["943 476 5918", "1111111111", "ISBN 0306406152", "94347659190", "9434 765 919"]);
  });
  test("UK_NHS: a bare number counts only within the ranges in use, and one that is a telephone number of the country is a telephone number first", () => {
    assertMisses("UK_NHS", ["9434765919", "5990128088", "8001239047", "2122200006"]);
    assert.deepEqual(found("Kim 713-853-3098"), ["PHONE_NUMBER:713-853-3098"]);
    assert.deepEqual(found("Kim 713-853-3098", ["UK_NHS"]), ["UK_NHS:713-853-3098"]);
  });
  test("a card or an IBAN with a wrong digit counts after its word, and only there", () => {
    assert.deepEqual(found("my card 4111 1111 1111 1112, please"), ["CREDIT_CARD:4111 1111 1111 1112"]);
    assert.deepEqual(found("Visa: 4111-1111-1111-1112"), ["CREDIT_CARD:4111-1111-1111-1112"]);
    assert.deepEqual(found("IBAN: DE89 3704 0044 0532 0130 01 of"), ["IBAN_CODE:DE89 3704 0044 0532 0130 01"]);
    for (const text of ["4111 1111 1111 1112", "DE89 3704 0044 0532 0130 01", "CR05 0152 0200 1026 2840 6"])
      assert.deepEqual(found(text), [], text);
    assert.deepEqual(found("card 42"), []);
  });
  test("CRYPTO: Base58Check, Bech32, Bech32m and Ethereum", () => {
    assertHits("CRYPTO", [
      "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
      "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
      "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
      "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
      "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn",
      "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc",
      "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx",
    ]);
    assertMisses("CRYPTO", [
      "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",
      "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5",
      "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4",
      `0x${"a".repeat(41)}`,
    ]);
  });
});

suite("numbers with a shape", () => {
  test("IP_ADDRESS: RFC 791, 4291 and 5952, with prefix and zone, without port and brackets", () => {
    assertHits("IP_ADDRESS", [
      "192.0.2.1",
      "192.0.2.0/24",
      "2001:DB8::8:800:200C:417A",
      "::1",
      "::ffff:192.0.2.128",
      "2001:db8::/32",
      "fe80::1%eth0",
      "0:0:0:0:0:0:0:1",
      "64:ff9b::192.0.2.33",
    ]);
    assert.deepEqual(found("[2001:db8::1]:443 192.0.2.1:80 192.0.2.1/33"), [
      "IP_ADDRESS:2001:db8::1",
      "IP_ADDRESS:192.0.2.1",
      "IP_ADDRESS:192.0.2.1",
    ]);
    assert.deepEqual(found("IPv6: 1::8, IP 1::7:8"), ["IP_ADDRESS:1::8", "IP_ADDRESS:1::7:8"]);
    assertMisses("IP_ADDRESS", [
      "1::8",
      "1.2.3",
      "1.2.3.4.5",
      "256.1.1.1",
      "192.0.02.1",
      "v1.2.3.4",
      "10:30::",
      "std::vector",
      "a::before",
      "f :: Int",
      "1:2:3:4:5:6:7",
      "2001:db8::1::2",
      "Chrome/142.0.0.0",
      "section 6.2.2.1",
    ]);
  });
  test("MAC_ADDRESS: six, eight or twenty pairs with one separator, or fours with dots", () => {
    assertHits("MAC_ADDRESS", [
      "00:1A:2B:3C:4D:5E",
      "00-1a-2b-3c-4d-5e",
      "001a.2b3c.4d5e",
      "00:11:22:33:44:55:66:77",
      "01 02 03 04 05 ab",
      "80:00:00:48:fe:80:00:00:00:00:00:00:00:02:c9:03:00:00:12:34",
      "8000.0048.fe80.0000.0000.0000.0002.c903.0000.1234",
    ]);
    assertMisses("MAC_ADDRESS", [
      "01 02 03 04 05 06",
      "ab cd ef ab cd ef",
      "01 02 03 04 05 ab cd",
      "00:1A:2B:3C:4D",
      "00:1A:2B:3C:4D:5E:6F",
      "00:1A-2B:3C-4D:5E",
      "00:1A:2B:3C:4D:5G",
      "x00:1A:2B:3C:4D:5E",
    ]);
  });
  test("US_SSN and US_ITIN: ranges as issued, one separator, bare only after their name", () => {
    assertHits("US_SSN", ["078-05-1120", "078 05 1120", "078.05.1120"]);
    assert.deepEqual(found("my SSN is 078051120"), ["US_SSN:078051120"]);
    assertMisses("US_SSN", [
      "000-12-3456",
      "666-12-3456",
      "900-12-3456",
      "123-00-4567",
      "123-45-0000",
      "078051120",
      "078-05 1120",
      "078-05-11201",
      "078-05-1120-1",
    ]);
    assertHits("US_ITIN", ["912-70-1234", "900 50 0000"]);
    assert.deepEqual(found("ITIN: 912701234"), ["US_ITIN:912701234"]);
    assertMisses("US_ITIN", ["912-49-1234", "912-66-1234", "912-93-1234", "812-70-1234", "912701234"]);
  });
  test("UK_NINO: HMRC's prefixes, by pairs or not", () => {
    assertHits("UK_NINO", ["AB123456C", "AB 12 34 56 C", "ab-12-34-56-c", "AB 123456 C"]);
    assertMisses("UK_NINO", [
      "BG123456A",
      "ZZ123456A",
      "DA123456A",
      "AO123456A",
      "AB123456E",
      "AB12345A",
      "XAB123456A",
      "at 123456 a head",
    ]);
  });
});

test("URL_CREDENTIALS: user-info and secret parameters, and the host stays", () => {
  assert.deepEqual(found("https://user:pw@example.com/?page=1&token=abc#access_token=xyz."), [
    "URL_CREDENTIALS:user:pw",
    "URL_CREDENTIALS:abc",
    "URL_CREDENTIALS:xyz",
  ]);
  assert.deepEqual(found("(www.example.com/?X-Amz-Signature=ab%3D)"), ["URL_CREDENTIALS:ab%3D"]);
  assert.deepEqual(found("https://example.com/?zipcode=90210&keyword=x&token= /token/ token=5"), []);
});

test("an unknown type is a TypeError, and field-only types are never found in text", () => {
  // A caller without types passes any string; the cast stands for it.
  assert.throws(() => findPii("a@b.example", { types: ["EMAIL" as PiiType] }), TypeError);
  assert.throws(() => findPii("a@b.example", { types: ["__proto__" as PiiType] }), TypeError);
  assert.deepEqual(findPii("My name is Anna Smith", { types: ["PERSON_NAME", "POSTAL_ADDRESS"] }), []);
});

test("only the given types are found", () => {
  assert.deepEqual(found("a@b.example 192.0.2.1 4111111111111111", ["IP_ADDRESS"]), ["IP_ADDRESS:192.0.2.1"]);
  assert.deepEqual(found("a@b.example", []), []);
});
