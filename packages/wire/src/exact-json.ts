import type { Fields, FieldValue } from "./payload.ts";

/**
 * A number as it was sealed, where JavaScript has no number that it would write with these digits: `9007199254740993`,
 * `1e400`, `1.0`. A number of JSON is its text (SPECIFICATION.md section 4).
 */
export class SealedNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  /** For `JSON.stringify`, which can write no digits of ours: a text that has them. `formatExactly` writes the number. */
  toJSON(): string {
    return this.text;
  }
}

/** Fields whose numbers are written with the digits that were sealed. */
export type ExactFields = { readonly [name: string]: ExactValue };
export type ExactValue = FieldValue | SealedNumber | readonly ExactValue[] | ExactFields;

/** An opened payload: `text` is there where some of its numbers are not as JavaScript writes them. */
interface Content {
  readonly fields: Fields;
  readonly text?: string;
}

const kept = new WeakMap<Content, ExactFields>();

/** The fields for writing them down again, in an export or a table. The same object each time. */
export function exactFieldsOf(content: Content): ExactFields {
  if (content.text === undefined) return content.fields;
  const fields = kept.get(content) ?? (readExactly(content.text) as ExactFields); // `text` is that of an object
  kept.set(content, fields);
  return fields;
}

/** The fields as JSON with the digits that were sealed, every name once. */
export function textOf({ fields, text = JSON.stringify(fields) }: Content): string {
  return text;
}

const textsAndNumbers = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?[0-9][-+.0-9Ee]*/g;
const tokens = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[[\]{},:]|[^\s[\]{},:"]+/g;

/** Whether a JSON text has a number that JavaScript would write with other characters. */
export function hasOtherNumbers(json: string): boolean {
  for (const [token] of json.matchAll(textsAndNumbers)) if (isOther(token)) return true;
  return false;
}

const isOther = (token: string) => /^[-0-9]/.test(token) && String(Number(token)) !== token;

/** The value of a JSON text that `JSON.parse` takes. Of a name that is there twice, the last value counts, as there. */
export function readExactly(json: string): ExactValue {
  const all = json.matchAll(tokens);
  const next = () => all.next().value?.[0] ?? "";
  function read(token: string): ExactValue {
    if (token === "[") return readList();
    if (token === "{") return readObject();
    return isOther(token) ? new SealedNumber(token) : JSON.parse(token);
  }
  function readList(): ExactValue {
    const items: ExactValue[] = [];
    for (let token = next(); token !== "]"; token = next()) if (token !== ",") items.push(read(token));
    return items;
  }
  function readObject(): ExactValue {
    const members: [string, ExactValue][] = [];
    for (let token = next(); token !== "}"; token = next()) {
      if (token === ",") continue;
      next(); // the colon
      members.push([JSON.parse(token), read(next())]);
    }
    return Object.fromEntries(members);
  }
  return read(next());
}

/** Whether an object of a JSON text that `JSON.parse` takes has a member twice, however its name is written. */
export function hasDoubledNames(json: string): boolean {
  /** For each open bracket the names so far; `undefined` in a list. */
  const open: (Set<string> | undefined)[] = [];
  let before = "";
  for (const [token] of json.matchAll(tokens)) {
    const names = open.at(-1);
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (names && token !== "," && token !== ":" && before !== ":") {
      const name: string = JSON.parse(token);
      if (names.has(name)) return true;
      names.add(name);
    }
    before = token;
  }
  return false;
}

/** `JSON.stringify`, in which each `SealedNumber` is a number with its digits. */
export function formatExactly(value: unknown, indent = 0): string {
  return format(value, " ".repeat(indent), "");
}

function format(value: unknown, step: string, lead: string): string {
  if (value instanceof SealedNumber) return value.text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inner = lead + step;
  const items = Array.isArray(value)
    ? value.map((item) => format(item, step, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${JSON.stringify(name)}:${step && " "}${format(member, step, inner)}`);
  const [begin, end] = Array.isArray(value) ? "[]" : "{}";
  if (items.length === 0 || step === "") return `${begin}${items.join()}${end}`;
  return `${begin}\n${inner}${items.join(`,\n${inner}`)}\n${lead}${end}`;
}
