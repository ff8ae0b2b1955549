/** How the texts and labels of other projects are read from a folder of each. Nothing of them is copied into this repository. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PiiType } from "../../packages/pii/src/index.ts";

export interface Span {
  /** `undefined`: labelled there as something that we do not look for in text, such as a person's name. */
  readonly type: PiiType | undefined;
  readonly start: number;
  readonly end: number;
}

export interface LabelledText {
  readonly id: string;
  readonly text: string;
  readonly spans: readonly Span[];
  readonly country?: string;
}

const typeNames: Readonly<Record<string, PiiType>> = {
  EMAIL: "EMAIL_ADDRESS",
  EMAIL_ADDRESS: "EMAIL_ADDRESS",
  PHONE: "PHONE_NUMBER",
  PHONE_NUMBER: "PHONE_NUMBER",
  CREDIT_CARD: "CREDIT_CARD",
  CREDIT_CARD_NUMBER: "CREDIT_CARD",
  IBAN_CODE: "IBAN_CODE",
  DE_IBAN: "IBAN_CODE",
  IP_ADDRESS: "IP_ADDRESS",
  US_SSN: "US_SSN",
  SSN: "US_SSN",
  US_SOCIAL_SECURITY_NUMBER: "US_SSN",
};

/** Sentences of a treebank (https://universaldependencies.org/format.html): only the comments with the whole text are read. */
export function readTreebank(folder: string): LabelledText[] {
  const texts: LabelledText[] = [];
  const known = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    if (!file.endsWith(".conllu")) continue;
    let id = "";
    for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
      if (line.startsWith("# sent_id = ")) id = line.slice(12).trim();
      if (!line.startsWith("# text = ")) continue;
      const text = line.slice(9).trim();
      if (!known.has(text)) texts.push({ id, text, spans: [] });
      known.add(text);
    }
  }
  return texts;
}

interface PresidioEntry {
  readonly full_text: string;
  readonly spans: ReadonlyArray<{ entity_type: string; start_position: number; end_position: number }>;
}

export function readPresidioResearch(folder: string): LabelledText[] {
  const texts = ["data/synth_dataset_v2.json", "tests/data/generated_large.json"].flatMap((file) => {
    const entries = JSON.parse(readFileSync(join(folder, file), "utf8")) as PresidioEntry[];
    return entries.map(({ full_text, spans }, index) => ({
      id: `${file}:${index}`,
      text: full_text,
      spans: spans.map((span) => ({
        type: typeNames[span.entity_type],
        start: span.start_position,
        end: span.end_position,
      })),
    }));
  });
  return withoutRepeats(texts);
}

const presidioFiles: Readonly<Record<string, PiiType>> = {
  credit_card: "CREDIT_CARD",
  crypto: "CRYPTO",
  email: "EMAIL_ADDRESS",
  iban: "IBAN_CODE",
  ip: "IP_ADDRESS",
  mac: "MAC_ADDRESS",
  phone: "PHONE_NUMBER",
  uk_nhs: "UK_NHS",
  uk_nino: "UK_NINO",
  us_itin: "US_ITIN",
  us_ssn: "US_SSN",
};

/** The parameter lists of the recognisers' tests: `("text", how many, ((start, end), …), …)`. */
export function readPresidioTests(folder: string): LabelledText[] {
  const texts = Object.entries(presidioFiles).flatMap(([name, type]) => {
    const file = `presidio-analyzer/tests/test_${name}_recognizer.py`;
    return readTuples(readFileSync(join(folder, file), "utf8")).map(({ text, rest }, index) => ({
      id: `${name}:${index}`,
      text,
      spans: Array.from(rest.matchAll(/\((\d+), ?(\d+)\)/g), (match) => ({
        type,
        start: Number(match[1]),
        end: Number(match[2]),
      })),
    }));
  });
  return withoutRepeats(texts);
}

/** Tuples of Python that begin with a string and a number. */
function readTuples(source: string): Array<{ text: string; rest: string }> {
  const tuples: Array<{ text: string; rest: string }> = [];
  for (const match of source.matchAll(/^ {8,9}\(("(?:[^"\\]|\\.)*"),\s*\d+,/gm)) {
    let depth = 1;
    let end = match.index + match[0].length;
    for (; depth > 0 && end < source.length; end++) depth += source[end] === "(" ? 1 : source[end] === ")" ? -1 : 0;
    tuples.push({ text: JSON.parse(match[1] ?? '""'), rest: source.slice(match.index + match[0].length, end) });
  }
  return tuples;
}

interface DatafogEntry {
  readonly id: string;
  readonly input: string;
  readonly expected_entities: ReadonlyArray<{ type: string; start: number; end: number }>;
}

export function readDatafog(folder: string): LabelledText[] {
  const files = ["structured_pii", "unstructured_pii", "mixed_pii", "edge_cases", "negative_cases"];
  return files.flatMap((name) => {
    const entries = JSON.parse(readFileSync(join(folder, `tests/corpus/${name}.json`), "utf8")) as DatafogEntry[];
    return entries.map(({ id, input, expected_entities }) => ({
      id: `${name}:${id}`,
      text: input,
      spans: expected_entities.map(({ type, start, end }) => ({ type: typeNames[type], start, end })),
    }));
  });
}

const validators: Readonly<Record<string, PiiType>> = {
  isEmail: "EMAIL_ADDRESS",
  isMACAddress: "MAC_ADDRESS",
  isCreditCard: "CREDIT_CARD",
  isIBAN: "IBAN_CODE",
  isBtcAddress: "CRYPTO",
  isEthereumAddress: "CRYPTO",
  isIP: "IP_ADDRESS",
};

/** The lists of valid values, of validators without arguments; and mobile numbers, each alone in a form of its country. */
export function readValidatorTests(folder: string): LabelledText[] {
  const source = ["test/validators.test.js", "test/validators/isIP.test.js"]
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  const lists = source.matchAll(/validator: '(\w+)',\s*valid: \[([^\]]*)\]/g);
  const values = Array.from(lists).flatMap(([, name = "", list = ""]) => {
    const type = validators[name];
    return type === undefined ? [] : quotedStrings(list).map((text) => whole(`${name}:${text}`, text, type));
  });
  return withoutRepeats(values);
}

export function readValidatorPhones(folder: string): LabelledText[] {
  const source = readFileSync(join(folder, "test/validators.test.js"), "utf8");
  const lists = source.matchAll(/locale: '[a-z]{2,3}-([A-Z]{2})',\s*valid: \[([^\]]*)\]/g);
  return withoutRepeats(
    Array.from(lists).flatMap(([, country = "", list = ""]) =>
      quotedStrings(list)
        .filter((text) => /^[+(\d]/.test(text) && text.replace(/\D/g, "").length > 6)
        .map((text) => ({ ...whole(`${country}:${text}`, text, "PHONE_NUMBER"), country })),
    ),
  );
}

/** `new NumberTest("650 253 0000", RegionCode.US)`: what the library must find in a text, and what it must not. */
export function readLibphonenumber(folder: string): LabelledText[] {
  const path = "java/libphonenumber/test/com/google/i18n/phonenumbers/PhoneNumberMatcherTest.java";
  const source = readFileSync(join(folder, path), "utf8");
  const lists = source.matchAll(
    /NumberTest\[\] (IMPOSSIBLE|VALID|STRICT_GROUPING|EXACT_GROUPING)_CASES = \{([^}]*)\}/g,
  );
  return Array.from(lists).flatMap(([, list = "", body = ""]) =>
    Array.from(body.matchAll(/NumberTest\("([^"]*)", RegionCode\.([A-Z]{2})\)/g), ([, json = "", country = ""]) => {
      const text: string = JSON.parse(`"${json}"`);
      const entry = { ...whole(`${list}:${text}`, text, "PHONE_NUMBER"), country };
      return list === "IMPOSSIBLE" ? { ...entry, spans: [] } : entry;
    }),
  );
}

const commonRegexLists: Readonly<Record<string, PiiType>> = {
  TestPhones: "PHONE_NUMBER",
  TestPhonesWithExts: "PHONE_NUMBER",
  TestEmails: "EMAIL_ADDRESS",
  TestIPs: "IP_ADDRESS",
  TestIPv6s: "IP_ADDRESS",
  TestBTCAddresses: "CRYPTO",
};

export function readCommonRegex(folder: string): LabelledText[] {
  const classes = readFileSync(join(folder, "test.py"), "utf8").split(/^class /m);
  return classes.flatMap((source) => {
    const type = commonRegexLists[/^\w+/.exec(source)?.[0] ?? ""];
    const list = /matching = \[([^\]]*)\]/.exec(source)?.[1] ?? "";
    return type === undefined ? [] : quotedStrings(list).map((text) => whole(`${type}:${text}`, text, type));
  });
}

export function readScrubadub(folder: string): LabelledText[] {
  const source = readFileSync(join(folder, "tests/test_detector_phone_numbers.py"), "utf8");
  const numbers = Array.from(source.matchAll(/check_phone_numbers\(([\s\S]*?)\n {8}\)/g), ([, list = ""]) => list);
  return numbers.flatMap(quotedStrings).map((number) => {
    const before = "My phone number is ";
    const span = { type: "PHONE_NUMBER" as const, start: before.length, end: before.length + number.length };
    return { id: number, text: before + number, spans: [span] };
  });
}

/** Pairs of a text and the same with names of types in it: the text in a name's place is the span. */
export function readRedactPii(folder: string): LabelledText[] {
  const source = readFileSync(join(folder, "test/redactor.test.ts"), "utf8");
  const pairs = source.matchAll(/\[\s*(['"])((?:(?!\1)[^\\]|\\.)*)\1,\s*(['"])((?:(?!\3)[^\\]|\\.)*)\3/g);
  return Array.from(pairs).flatMap(([, , text = "", , redacted = ""], index) => {
    const input = unquote(text);
    const spans = alignTokens(input, unquote(redacted));
    return spans === undefined ? [] : [{ id: `${index}`, text: input, spans }];
  });
}

function alignTokens(text: string, redacted: string): Span[] | undefined {
  const spans: Span[] = [];
  const parts = redacted.split(/\b([A-Z][A-Z_]{3,})\b/);
  let position = parts[0]?.length ?? 0;
  if (!text.startsWith(parts[0] ?? "")) return undefined;
  for (let index = 1; index < parts.length; index += 2) {
    const after = parts[index + 1] ?? "";
    const end = after === "" ? text.length : text.indexOf(after, position + 1);
    if (end < 0) return undefined;
    spans.push({ type: typeNames[parts[index] ?? ""], start: position, end });
    position = end + after.length;
  }
  return spans;
}

function whole(id: string, text: string, type: PiiType): LabelledText {
  return { id, text, spans: [{ type, start: 0, end: text.length }] };
}

function quotedStrings(source: string): string[] {
  return Array.from(source.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g), (match) =>
    unquote(match[1] ?? match[2] ?? ""),
  );
}

function unquote(literal: string): string {
  return literal.replace(/\\(?:u([\da-f]{4})|x([\da-f]{2})|(.))/gi, (_all, unit, byte, other) => {
    if (other !== undefined) return ({ n: "\n", t: "\t", r: "\r" } as Record<string, string>)[other] ?? other;
    return String.fromCharCode(Number.parseInt(unit ?? byte, 16));
  });
}

function withoutRepeats(texts: readonly LabelledText[]): LabelledText[] {
  return Array.from(new Map(texts.map((entry) => [`${entry.country} ${entry.text}`, entry])).values());
}

export function isThere(folder: string): boolean {
  return existsSync(folder);
}
