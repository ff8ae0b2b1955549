import { sha256 } from "@noble/hashes/sha2.js";
import { passesLuhn, remainder97 } from "../src/checksums.ts";
import { fill, pick, random } from "./random.ts";
import { contexts, phoneContexts, sentences } from "./sentences.ts";

/** Where a value comes from: a list of published examples, then patterns that are filled until there are enough. */
export interface Source {
  readonly examples: readonly string[];
  readonly next?: () => string;
  /** Sentences of its own for values that only a word before them tells. */
  readonly inContext?: { readonly sentences: readonly string[]; readonly next: () => string };
}

export { sentences };

const names = ["anna", "j.doe", "maria.garcia", "o'brien", "li-wei", "tom+forms", "info_desk", "a", "x.y.z", "team2026", "user%name", "no.reply", "jean-luc.martin"];
const domains = ["example.com", "example.org", "mail.example.net", "sub.domain.example.co.uk", "ex-ample.example", "example.museum", "a1.example.de", "xn--bcher-kva.example"];

/** Documentation domains of RFC 2606; forms of RFC 5322, 5321 and 6531. */
const emails: Source = {
  examples: [
    "simple@example.com", "very.common@example.com", "disposable.style.email.with+symbol@example.com", "other.email-with-hyphen@example.com", "x@example.com",
    "example-indeed@strange-example.com", "\"john..doe\"@example.org", "\"John Smith\"@example.com", "mailhost!username@example.org", "user%example.com@example.org",
    "müller@bücher.example", "用户@例子.测试", "δοκιμή@παράδειγμα.δοκιμή", "अजय@डाटा.भारत", "user@[192.0.2.1]", "postmaster@[IPv6:2001:db8::1]", "user@example.xn--p1ai",
    "ANNA@EXAMPLE.COM", "anna＠example．com", "john%40example.com", "anna.\u200bdoe@exam\u00adple.com", "квіточка@пошта.укр", "jürgen.groß@example.de", "mary@example.com.",
  ].map((text) => text.replace(/\.$/, "")),
  next: () => `${pick(names)}${pick(["", "", fill("##"), fill("*")])}@${pick(domains)}`,
};

/** Numbers kept for fiction (NANP 555-01XX, Ofcom, ARCEP, Bundesnetzagentur, ACMA) and made-up ones, as people type them. */
const phonePatterns = [
  "(212) 555-01##", "212-555-01##", "212.555.01##", "212 555 01##", "+1 212 555 01##", "+1-212-555-01##", "1-800-555-01##", "+1 (212) 555-01##", "(212)555-01##", "+1212555 01##",
  "001 212 555 01##", "(212) 555-01## ext. 12", "212-555-01## x12", "+44 20 7946 0###", "+44 (0)20 7946 0###", "020 7946 0###", "(020) 7946 0###", "01632 960###", "0113 496 0###", "07700 900###",
  "07700 900 ###", "07700900###", "+447700900###", "0044 7700 900###", "020-7946-0###", "+33 1 99 00 ## ##", "01 99 00 ## ##", "06 39 98 ## ##", "06.39.98.##.##", "06-39-98-##-##", "063998####",
  "+33 (0)6 39 98 ## ##", "+33639980###", "030 23125 ###", "030/23125###", "+49 30 23125###", "+49 (0) 171 / 39200##", "0171 39200##", "0171-39200##", "0171/39200##", "0171 392 00 ##", "(030) 23125###",
  "017139200##*", "+4915799####**", "0049 171 39200##", "+49-171-39200##", "+34 6## ### ###", "6## ## ## ##", "9## ### ###", "+34 9*# ## ## ##", "+39 06 #### ####", "+39 3## ### ####", "06 #### ####",
  "3## ### ## ##", "+31 6 #### ####", "06-########", "06 ## ## ## ##", "020-#######", "+31 (0)20 ### ####", "+351 9## ### ###", "9** ### ###", "21# ### ###", "+41 44 ### ## ##", "044 ### ## ##", "+43 1 #######",
  "+46 8 ### ### ##", "08-### ### ##", "070-### ## ##", "+45 ## ## ## ##", "+47 ## ## ## ##", "+48 ### ### ###", "+61 2 5550 ####", "(02) 5550 ####", "0491 570 ###", "+91 98### #####", "+86 138 #### ####", "+81 3-####-####",
  "03-####-####", "+55 11 9####-####", "(11) 9####-####", "+7 9## ###-##-##", "8 (9##) ###-##-##", "+353 1 ### ####", "+32 4## ## ## ##", "0475 ## ## ##", "0475/## ## ##", "+1.212555**##", "+٤٤ ٢٠ ٧٩٤٦ ٠٩٥٨", "２１２－５５５－０１４７",
  "+44\u00a020\u00a07946\u00a00###", "212\u2011555\u201101##", "+49\u2009171\u200939200##", "(212) 555\u201301##", "+44 20\u200b 7946 0###", "(+49) 171 39200##", "+ 49 171 39200##",
  // Out of reach without a word before them; people type them all the same, so they count.
  "98### #####", "2# ## ## ##", "6########", "171/39200##",
];
const localPatterns = ["212555####", "1212555####", "030 #######", "3920##*", "555-01##", "## ## ## ##", "6########", "9########", "0612######", "3#########", "171 39200##", "0########"];
let nextPattern = 0;
const phones: Source = {
  examples: [],
  next: () => fill(phonePatterns[nextPattern++ % phonePatterns.length] ?? ""), // each once before any twice
  inContext: { sentences: phoneContexts, next: () => fill(pick(localPatterns)) },
};

/** Test numbers that the schemes and their gateways publish. */
const testCards = [
  "4111111111111111", "4012888888881881", "4222222222222", "5555555555554444", "5105105105105100", "2223003122003222", "2720992593319364", "378282246310005", "371449635398431", "378734493671000",
  "30569309025904", "38520000023237", "36227206271667", "6011111111111117", "6011000990139424", "3530111333300000", "3566002020360505", "6200000000000005", "6205500000000000004", "6759649826438453",
  "6304000000000000", "2200000000000004", "6011601160116611", "6062826786276634", "5018000000000009",
];
const cardPrefixes: ReadonlyArray<readonly [string, number]> = [
  ["4", 16], ["4", 16], ["4", 19], ["4", 13], ["51", 16], ["55", 16], ["2221", 16], ["2720", 16], ["34", 15], ["37", 15], ["36", 14], ["300", 14], ["6011", 16], ["65", 16], ["3528", 16], ["62", 16], ["6759", 16], ["6304", 12],
  ["67", 18], ["2200", 16], ["508", 16], ["9792", 16], ["8600", 16], ["1", 15], ["81", 16],
];

function completeLuhn(prefix: string, length: number): string {
  const body = (prefix + fill("#".repeat(length))).slice(0, length - 1);
  const check = [..."0123456789"].find((digit) => passesLuhn(body + digit)) ?? "";
  return body + check;
}

export function groupCard(digits: string, separator: string): string {
  const form = digits.length === 15 ? /^(.{4})(.{6})(.{5})$/ : digits.length === 14 ? /^(.{4})(.{6})(.{4})$/ : undefined;
  if (form !== undefined) return digits.replace(form, `$1${separator}$2${separator}$3`);
  return (digits.match(/.{1,4}/g) ?? []).join(separator);
}

export function widen(text: string): string {
  return text.replace(/[0-9A-Za-z]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));
}

export function arabic(text: string): string {
  return text.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));
}

const cards: Source = {
  examples: testCards,
  next: () => {
    const [prefix, length] = pick(cardPrefixes);
    const grouped = groupCard(completeLuhn(prefix, length), pick(["", " ", " ", "-", "\u00a0", "\u2011", " "]));
    return random() < 0.06 ? widen(grouped) : random() < 0.05 ? arabic(grouped) : grouped;
  },
};

/** The registry's example of each country; none that fails mod 97 gets in. */
export const registryIbans = (
  "AD1200012030200359100100 AE070331234567890123456 AL47212110090000000235698741 AT611904300234573201 AZ21NABZ00000000137010001944 BA391290079401028494 BE68539007547034 BG80BNBG96611020345678 " +
  "BH67BMAG00001299123456 BR1800360305000010009795493C1 BY13NBRB3600900000002Z00AB00 CH9300762011623852957 CR05015202001026284066 CY17002001280000001200527600 CZ6508000000192000145399 " +
  "DE89370400440532013000 DK5000400440116243 DO28BAGR00000001212453611324 EE382200221020145685 EG380019000500000000263180002 ES9121000418450200051332 FI2112345600000785 FO6264600001631634 " +
  "FR1420041010050500013M02606 GB29NWBK60161331926819 GE29NB0000000101904917 GI75NWBK000000007099453 GL8964710001000206 GR1601101250000000012300695 GT82TRAJ01020000001210029690 HR1210010051863000160 " +
  "HU42117730161111101800000000 IE29AIBK93115212345678 IL620108000000099999999 IQ98NBIQ850123456789012 IS140159260076545510730339 IT60X0542811101000000123456 JO94CBJO0010000000000131000302 " +
  "KW81CBKU0000000000001234560101 KZ86125KZT5004100100 LB62099900000001001901229114 LC55HEMM000100010012001200023015 LI21088100002324013AA LT121000011101001000 LU280019400644750000 LV80BANK0000435195001 " +
  "LY83002048000020100120361 MC5811222000010123456789030 MD24AG000225100013104168 ME25505000012345678951 MK07250120000058984 MR1300020001010000123456753 MT84MALT011000012345MTLCAST001S " +
  "MU17BOMM0101101030300200000MUR NL91ABNA0417164300 NO9386011117947 PK36SCBL0000001123456702 PL61109010140000071219812874 PS92PALS000000000400123456702 PT50000201231234567890154 " +
  "QA58DOHB00001234567890ABCDEFG RO49AAAA1B31007593840000 RS35260005601001611379 SA0380000000608010167519 SC18SSCB11010000000000001497USD SE4550000000058398257466 SI56263300012039086 " +
  "SK3112000000198742637541 SM86U0322509800000000270100 ST23000100010051845310146 SV62CENR00000000000000700025 TL380080012345678910157 TN5910006035183598478831 TR330006100519786457841326 " +
  "UA213223130000026007233566001 VA59001123000012345678 VG96VPVG0000012345678901 XK051212012345678906 SO211000001001000100141 NI45BAPR00000013000003558124 RU0304452522540817810538091310419 " +
  "BI4210000100010000332045181 SD8811123456789012 MN121234123456789123 FK88SC123456789012 OM810180000001299123456 YE15CBYE0001018861234567890123 HN88CABF00000000000250005469"
)
  .split(" ")
  .filter((iban) => remainder97(iban) === 1);

const ibanPatterns = ["DE####################", "GB##^^^^##############", "FR#########################", "NL##^^^^##########", "ES######################", "AT##################", "CH###################", "BE##############"];

export function completeIban(pattern: string): string {
  const body = fill(pattern);
  for (let check = 2; check < 99; check++) {
    const iban = body.slice(0, 2) + String(check).padStart(2, "0") + body.slice(4);
    if (remainder97(iban) === 1) return iban;
  }
  throw new RangeError(`No check digits for ${body}`);
}

const ibans: Source = {
  examples: registryIbans,
  next: () => {
    const iban = completeIban(pick(ibanPatterns));
    const grouped = (iban.match(/.{1,4}/g) ?? []).join(pick(["", " ", " ", "-", "\u00a0", "\u202f"]));
    return random() < 0.15 ? grouped.toLowerCase() : random() < 0.05 ? widen(grouped) : grouped;
  },
};

/** Documentation ranges (RFC 5737, 3849) and the textual forms of RFC 4291 and 5952. */
const ips: Source = {
  examples: [
    "192.0.2.1", "198.51.100.255", "203.0.113.77", "192.0.2.0/24", "10.0.0.1", "255.255.255.255", "8.8.8.8", "ABCD:EF01:2345:6789:ABCD:EF01:2345:6789", "2001:DB8:0:0:8:800:200C:417A", "FF01:0:0:0:0:0:0:101",
    "0:0:0:0:0:0:0:1", "2001:DB8::8:800:200C:417A", "FF01::101", "::1", "0:0:0:0:0:0:13.1.68.3", "0:0:0:0:0:FFFF:129.144.52.38", "::13.1.68.3", "::FFFF:129.144.52.38", "2001:0DB8:0000:CD30:0000:0000:0000:0000/60",
    "2001:0DB8::CD30:0:0:0:0/60", "2001:0DB8:0:CD30::/60", "2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:0001", "fe80::1%eth0", "fe80::1ff:fe23:4567:890a%3", "fe80::1%en0/64", "2001:db8::/32",
    "64:ff9b::192.0.2.33", "::ffff:192.0.2.128", "2001:db8::aaaa", "１９２．０．２．１",
  ],
  next: () =>
    pick([
      () => `192.0.2.${Math.floor(random() * 256)}`, () => `198.51.100.${Math.floor(random() * 256)}`, () => `203.0.113.${Math.floor(random() * 256)}/32`, () => `1${fill("#")}.2${fill("4#").slice(0, 2)}.${fill("*")}.${fill("*")}`,
      () => fill("2001:db8:~~~~:~~~~:~~~~:~~~~:~~~~:~~~~"), () => fill("2001:db8::~~~~"), () => fill("2001:DB8:*~~::~:~"), () => fill("fe80::~~~~:~~ff:fe~~:~~~~"), () => fill("2001:db8:*:*::/64"), () => `::ffff:203.0.113.${Math.floor(random() * 256)}`,
    ])(),
};

/** The documentation range of RFC 7042 (00-00-5E-00-53), and any other. */
const macs: Source = {
  examples: ["00-00-5E-00-53-00", "00:00:5e:00:53:ff", "00-00-5E-EF-10-00-00-00", "0000.5e00.5301", "0000.5eef.1000.0001", "00:1A:2B:3C:4D:5E", "ac:de:48:23:45:67:ab:cd"],
  next: () => {
    const mac = fill(pick(["~~:~~:~~:~~:~~:~~", "~~-~~-~~-~~-~~-~~", "~~~~.~~~~.~~~~", "~~:~~:~~:~~:~~:~~:~~:~~", "00:00:5e:00:53:~~", "~~-~~-~~-~~-~~-~~-~~-~~"]));
    return random() < 0.5 ? mac.toUpperCase() : mac;
  },
};

function nextSsn(separator: string): string {
  const area = 1 + Math.floor(random() * 898);
  return [String(area === 666 ? 665 : area).padStart(3, "0"), fill("#*"), fill("##*#")].join(separator);
}

function nextItin(separator: string): string {
  return [fill("9##"), pick(["50", "58", "65", "70", "79", "88", "90", "92", "94", "99"]), fill("####")].join(separator);
}

export function nhsNumber(pattern: string): string {
  for (;;) {
    const body = fill(pattern);
    const sum = [...body].reduce((total, digit, index) => total + Number(digit) * (10 - index), 0);
    const check = (11 - (sum % 11)) % 11;
    if (check !== 10 && new Set(body + check).size > 1) return body + check;
  }
}

function groupNhs(digits: string): string {
  return digits.replace(/^(...)(...)(....)$/, pick(["$1 $2 $3", "$1 $2 $3", "$1-$2-$3", "$1\u00a0$2\u00a0$3", "$1$2$3"]));
}

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** BIP 13: version, 20 bytes, four bytes of double SHA-256. */
export function base58Address(version: number): string {
  const body = Uint8Array.from({ length: 21 }, (_, index) => (index === 0 ? version : Math.floor(random() * 256)));
  const bytes = [...body, ...sha256(sha256(body)).slice(0, 4)];
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = "";
  for (; number > 0n; number /= 58n) text = (base58[Number(number % 58n)] ?? "") + text;
  return "1".repeat(bytes.findIndex((byte) => byte !== 0)) + text;
}

const cryptos: Source = {
  examples: [
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
    "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y", "BC1SW50QGDZ25J", "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb", "0x52908400098527886E0F7030069857D2E4169EE7", "0xde709f2102306220921060314715629080e2fb77",
  ],
  next: () => pick([() => base58Address(0), () => base58Address(5), () => `0x${fill("~".repeat(40))}`])(),
};

const secrets: Source = {
  examples: ["user:pw", "admin:S3cret!", "token", "postgres:postgres", "ghp_abcDEF123", "anna%40example.com:pass%20word"],
  next: () => pick(["sk_live_~~~~~~~~~~~~", "~~~~~~~~~~~~", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.~~~~~~~~~~~~", "######", "~~~~~~~~~~~~-~~~~~~~~~~~~-~~~~~~~~~~~~", "A%2B~~~~%3D"]).replace(/[~#]/g, (mark) => fill(mark)),
};
/** The sentence frames of URL_CREDENTIALS: `{}` in user-info for the examples, in a parameter for the others. */
export const userInfoUrls = ["https://{}@example.com/path", "ftp://{}@files.example.org", "postgres://{}@db.example.net:5432/app", "see https://{}@192.0.2.1:8443/ there"];
export const parameterUrls = [
  "https://example.com/?token={}", "https://example.com/login?user=1&password={}&x=2", "https://example.com/cb#access_token={}&type=b", "https://api.example.com/v1?api_key={}", "www.example.com/reset?code={}", "https://example.com/?sessionId={}",
  "https://s3.example.com/f?X-Amz-Signature={}", "/reset?otp={}", "https://example.com/a?sig={}", "Link: https://example.com/?jwt={} (valid for an hour)", "https://example.com/?client_secret={}.", "<https://example.com/?auth={}>",
];

export const sources: Readonly<Record<string, Source>> = {
  EMAIL_ADDRESS: emails,
  PHONE_NUMBER: phones,
  CREDIT_CARD: cards,
  IBAN_CODE: ibans,
  IP_ADDRESS: ips,
  MAC_ADDRESS: macs,
  US_SSN: {
    examples: ["078-05-1120", "219-09-9999", "457-55-5462"],
    next: () => nextSsn(pick(["-", "-", " ", ".", "\u2011", "\u00a0"])),
    inContext: { sentences: contexts.US_SSN ?? [], next: () => nextSsn("") },
  },
  US_ITIN: {
    examples: ["900-70-0000", "912-90-3457"],
    next: () => nextItin(pick(["-", "-", " ", ".", "\u2013"])),
    inContext: { sentences: contexts.US_ITIN ?? [], next: () => nextItin("") },
  },
  UK_NINO: {
    examples: ["AA 01 23 44 B", "AB123456C", "JG 10 37 59 A", "SE-21-57-06-D", "ab123456c"],
    next: () => {
      const prefix = pick(["AA", "AB", "CE", "EH", "GJ", "HK", "JG", "LM", "NP", "PX", "SR", "TW", "WE", "YZ", "ZY"]);
      const nino = fill(`${prefix}${pick(["######", " ## ## ## ", "-##-##-##-", " ###### ", "\u00a0##\u00a0##\u00a0##\u00a0"])}`) + pick(["A", "B", "C", "D"]);
      return random() < 0.15 && !/^\S+ \d{6} /.test(nino) ? nino.toLowerCase() : nino;
    },
  },
  UK_NHS: {
    examples: ["943 476 5919", "9434765919", "485 777 3456", "401 023 2137", "999-123-4560"].filter((text) => isNhs(text)),
    next: () => groupNhs(nhsNumber(pick(["4########", "6########", "7########", "999######", "3200#####"]))),
    inContext: { sentences: contexts.UK_NHS ?? [], next: () => groupNhs(nhsNumber("#########")) },
  },
  CRYPTO: cryptos,
  URL_CREDENTIALS: secrets,
};

function isNhs(text: string): boolean {
  const digits = text.replace(/\D/g, "");
  return [...digits].reduce((sum, digit, index) => sum + Number(digit) * (10 - index), 0) % 11 === 0;
}
