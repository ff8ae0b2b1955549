import { createHash } from "node:crypto";
import { createId } from "@sealpost/wire";

/** All times of the examples begin here. */
const base = Date.UTC(2026, 0, 15, 12);
/** The same, as ids begin with it. */
const moment = createId("form", base).slice(5, 15);
const [hour, day] = [3_600_000, 86_400_000];
/** Later ones were chosen by the recording itself. */
const daysMax = 400;
const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/;
const dates = /\b\d{4}-\d\d-\d\d\b/;
const milliseconds = /\b\d{13}\b/;
const ids = /\b[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/;
const recipients = /\bage1[a-z0-9]{50,}\b/;
const hex = /\b[0-9a-f]{16,}\b/;
const base64 = /[A-Za-z0-9+/_-]{16,}={0,2}/;
const random = new RegExp(
  [times, dates, milliseconds, ids, recipients, hex, base64].map(({ source }) => source).join("|"),
  "g",
);
const within = new RegExp(`${ids.source}|${hex.source}`, "g");
/** Names, paths and sentences: base64 has letters of both cases, in any order. */
const words = /^(?:[a-z]+(?:[A-Z][a-z]+)*|[^A-Z]*|[^a-z]*)$/;
/** The parts of a random text that say what it is: a kind of secret or hash, the beginning of an age file. */
const kinds = /^(?:sha384-|whsec_|sp_|\d+-(?=[\w-]{43}$)|YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0)?/;
const alphabets = {
  id: "0123456789abcdefghjkmnpqrstvwxyz",
  recipient: "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
  hex: "0123456789abcdef",
  base64: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
} as const;

/**
 * The same examples with the same ids, keys, hashes and times as in any other run that began at another moment: so that only what
 * operations answer makes a difference. What was the same text stays the same text.
 */
export function settleExamples<Value>(examples: Value, startedAt: number): Value {
  const settled = new Map<string, string>();

  function settleTime(time: number): number {
    const passed = time - startedAt;
    return passed < -hour || passed > daysMax * day ? time : base + Math.round(passed / hour) * hour;
  }

  function settleDate(date: string): string {
    const days = Math.round((Date.parse(date) - Math.floor(startedAt / day) * day) / day);
    return Math.abs(days) > daysMax ? date : new Date(base + days * day).toISOString().slice(0, 10);
  }

  function replace(text: string): string {
    if (new RegExp(`^${times.source}$`).test(text)) {
      const length = text.includes(".") ? 23 : 19;
      return `${new Date(settleTime(Date.parse(text))).toISOString().slice(0, length)}Z`;
    }
    if (new RegExp(`^${dates.source}$`).test(text)) return settleDate(text);
    if (new RegExp(`^${milliseconds.source}$`).test(text)) return String(settleTime(Number(text)));
    const kind = kindOf(text);
    // A path, say, with an id in it.
    return kind === undefined && !settled.has(text) ? text.replace(within, replace) : remember(text, kind);
  }

  function remember(text: string, kind: keyof typeof alphabets = "base64"): string {
    const known = settled.get(text) ?? draw(text, kind, settled.size);
    settled.set(text, known);
    return known;
  }

  function settle(value: unknown, name = ""): unknown {
    if (name === "duration") return 12;
    // So short that it may look like a word.
    if (name === "iv" && typeof value === "string") return remember(value);
    // A modulus is odd, and as long as it says.
    if (name === "n" && typeof value === "string") return `s${remember(value).slice(1, -1)}B`;
    if (typeof value === "number") return settleTime(value);
    if (typeof value === "string") return name === "prefix" ? settlePrefix(value) : value.replace(random, replace);
    if (Array.isArray(value)) return value.map((one) => settle(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, settle(one, member)]));
  }

  /** The beginning of a key that was shown before. */
  function settlePrefix(prefix: string): string {
    const [, key = prefix] = [...settled].find(([text]) => text.startsWith(prefix)) ?? [];
    return key.slice(0, prefix.length);
  }

  return settle(examples) as Value; // of the same shape
}

function kindOf(text: string): keyof typeof alphabets | undefined {
  const is = ({ source }: RegExp) => new RegExp(`^(?:${source})$`).test(text);
  if (is(ids)) return "id";
  if (is(recipients)) return "recipient";
  if (is(hex)) return "hex";
  return words.test(text) ? undefined : "base64";
}

/** A text of the same length and kind, drawn by its place among all. */
function draw(text: string, kind: keyof typeof alphabets, place: number): string {
  const prefix = (kind === "id" ? /^[a-z]+_/ : kind === "recipient" ? /^age1(?:pq1)?/ : kinds).exec(text)?.[0] ?? "";
  const kept = kind === "id" ? prefix + moment : prefix;
  const padding = text.match(/=*$/)?.[0] ?? "";
  const alphabet = alphabets[kind];
  let drawn = "";
  for (let round = 0; drawn.length < text.length; round++)
    for (const byte of createHash("sha256").update(`${kind} ${place} ${round}`).digest())
      drawn += alphabet[byte % alphabet.length];
  const rest = drawn.slice(0, text.length - kept.length - padding.length);
  // The last digit of base64 stands for some bits alone, which are zero in this one.
  return kept + (kind === "base64" ? `${rest.slice(0, -1)}A` : rest) + padding;
}
