import { completeIban, groupCard, nhsNumber, registryIbans, sources } from "./positives.ts";
import { fill, pick } from "./random.ts";

/** The last digit changed, so that any check digit is wrong. */
function spoil(text: string): string {
  return text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
}

/** A value of the type in plain figures, so that the last one can be spoilt. */
function valueOf(type: string): string {
  for (;;) {
    const value = sources[type]?.next?.() ?? "";
    if (/^[\x20-\x7e]*$/.test(value)) return value;
  }
}

/** For each type, what its rule excludes by a hair. Phone numbers have no check digit: theirs are the figures that look like one. */
export const nearMisses: Readonly<Record<string, ReadonlyArray<() => string>>> = {
  EMAIL_ADDRESS: [
    () => "user@localhost", () => "me @ home", () => "@handle", () => fill("lodash@4.17.##"), () => fill("@types/node@26.#.#"), () => "user@example", () => "user@.com", () => "@example.com", () => "user@-example", () => "user(at)example.com",
    () => `${"a".repeat(65)}@example.com`, () => "user@example.c0", () => "user@example.1", () => fill("react@19.#.#-rc.#"), () => "price @ 3.50", () => "a@b", () => "3 apples @ 1.20", () => "user@@", () => "@media (max-width: 40em)", () => "@Override",
  ],
  PHONE_NUMBER: [
    () => fill("order 12####"), () => fill("2026-1#-1# 10:30"), () => fill("1#.1#.2026"), () => fill("1.#.1#.4.5"), () => fill("1.234.###,## €"), () => fill("$ 1 234 567 8##"), () => fill("48.858###, 2.294###"), () => fill("48.858### 2.294###"), () => "call 911", () => "24/7",
    () => fill("XY-123###-Z"), () => fill("978-3-16-148410-#"), () => fill("0-306-40615-#"), () => fill("4#######################"), () => "100-200", () => fill("192.0.2.1##"), () => fill("invoice 202600####"), () => fill("550e8400-e29b-41d4-a716-4466554#####"), () => fill("3.14159265358979#"),
    () => fill("1763683###"), () => fill("ISSN 0378-595#"), () => fill("#### #### #### #### ####"), () => "6-4 3-6 7-6 6-3", () => fill("12 14 25 33 41 4#"), () => fill("4006381333###"), () => fill("9400 1000 0000 0000 00## ##"), () => fill("2019-2020-2021"), () => fill("90210-####"), () => fill("1 000 000 0##"),
    () => fill("0x1f####3b"), () => fill("order no. 48577#####"), () => fill("12#,456,789.##"),
  ],
  CREDIT_CARD: [
    () => spoil(valueOf("CREDIT_CARD")), () => spoil(groupCard("4111111111111111", pick([" ", "-"]))), () => `x${spoil("4111111111111111")}`, () => "A4111111111111111", () => "4111111111111111Z", () => "0000 0000 0000 0000", () => "4444 4444 4444 4444".replaceAll("4", "5"),
    () => fill("9###############"), () => fill("7### #### #### ####"), () => "4111 1111-1111 1111", () => "41111111111111111", () => fill("0############"), () => "4111.1111.1111.1111",
  ],
  IBAN_CODE: [
    () => spoil(pick(registryIbans)), () => spoil(completeIban("DE####################")), () => `${completeIban("NL##^^^^##########")}7`, () => completeIban("FR#########################").slice(0, -1), () => `X${completeIban("BE##############")}`,
    () => completeIban("ZZ##################"), () => completeIban("US##################"), () => fill("DE## ###"), () => completeIban("AT##################").replace(/^(....)/, "$1  "),
  ],
  IP_ADDRESS: [
    () => fill("1.2.#"), () => fill("1.2.3.4.#"), () => fill("256.1.1.#"), () => fill("192.0.2.3*#"), () => fill("192.0.02.#"), () => fill("v1.2.3.#"), () => fill("version 1.2.3.#"), () => "10:30::", () => "std::vector", () => "a::before", () => fill("12:3#:45"), () => "Foo::Bar", () => "2001:db8::1::2",
    () => "1:2:3:4:5:6:7", () => "1:2:3:4:5:6:7:8:9", () => "2001:db8:::1", () => "12345::1", () => fill("300.300.300.30#"), () => "std::face::add", () => "a :: Int -> Int", () => fill("2.5.#x"), () => fill("1.2.3.4a"), () => "Title :: Subtitle",
  ],
  MAC_ADDRESS: [
    () => fill("~~:~~:~~:~~:~~"), () => fill("~~:~~:~~:~~:~~:~~:~~"), () => fill("~~:~~-~~:~~-~~:~~"), () => fill("~~:~~:~~:~~:~~:~g"), () => fill("x~~:~~:~~:~~:~~:~~"), () => fill("~~~~.~~~~"), () => fill("~~~~.~~~~.~~~"), () => fill("~~~~:~~~~:~~~~"), () => fill("1#:3#:45:12"), () => fill("~~:~~:~~:~~:~~:~~z"), () => fill("~~~~~~-~~~~~~"),
    () => fill("~~~:~~:~~:~~:~~:~~"),
  ],
  US_SSN: [
    () => fill("000-12-345#"), () => fill("666-12-345#"), () => fill("9##-4#-345#"), () => fill("123-00-45#6"), () => fill("123-45-0000"), () => fill("1234-56-789#"), () => fill("123-456-78#"), () => fill("123-45-6789#"), () => fill("123-45 678#"), () => fill("A123-45-678#"), () => fill("123-45-678#-0"), () => fill("code 12345678#"), () => fill("ZIP 12345-678#"), () => fill("123-45-678#B"),
  ],
  US_ITIN: [
    () => fill("9##-4#-1234"), () => fill("9##-66-123#"), () => fill("9##-69-123#"), () => fill("9##-89-123#"), () => fill("9##-93-123#"), () => fill("812-70-123#"), () => fill("912-70-12345"), () => fill("x912-70-123#"), () => fill("91270123#"), () => fill("912-70 123#"), () => fill("912-70-123#-1"),
  ],
  UK_NINO: [
    () => fill("BG ## ## ## A"), () => fill("GB######B"), () => fill("NK######C"), () => fill("TN######D"), () => fill("ZZ######A"), () => fill("DA######A"), () => fill("FA######A"), () => fill("AO######A"), () => fill("AB######E"), () => fill("AB#####A"), () => fill("AB#######A"), () => fill("XAB######A"), () => fill("AB######AX"), () => fill("QQ######C"), () => "at 123456 a head", () => fill("AB######"),
  ],
  UK_NHS: [
    () => spoil(nhsNumber("4########")), () => spoil(nhsNumber("485######").replace(/^(...)(...)/, "$1 $2 ")), () => "1111111111", () => "ISBN 0306406152", () => `${nhsNumber("4########")}1`, () => nhsNumber("4########").slice(1), () => `A${nhsNumber("4########")}`, () => nhsNumber("485######").replace(/^(....)(...)/, "$1 $2 "),
    () => nhsNumber("485######").replace(/^(...)(...)/, "$1 $2-"), () => `order ${nhsNumber("4########")}`,
  ],
  CRYPTO: [
    () => "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", () => "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLz", () => "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", () => "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4", () => `0x${fill("~".repeat(39))}`, () => `0x${fill("~".repeat(41))}`, () => `0x${fill("~".repeat(64))}`, () => fill("~".repeat(40)),
    () => `1${fill("^".repeat(30))}`, () => "tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty", () => `x0x${fill("~".repeat(40))}`, () => "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNL",
  ],
  URL_CREDENTIALS: [
    () => "https://example.com/@user/post", () => fill("https://example.com/?page=#&sort=asc"), () => fill("https://example.com/?zipcode=9021#"), () => "https://example.com/?keyword=shoes", () => "https://example.com/?authority=x", () => "https://example.com/token/overview", () => "https://example.com/#section-2", () => "https://example.com/?token=",
    () => "the token = 5", () => "password=abc without a link", () => "https://example.com/?q=a@b", () => fill("https://example.com/?monkey=#"), () => "https://example.com/?encode=1",
  ],
};
