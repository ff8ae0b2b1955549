import { drawBytes } from "./bytes.ts";

/** The kinds of ids and their prefixes: TypeID 0.3.0, prefix + UUIDv7 (RFC 9562 section 5.7) in 26 characters of base32. */
const prefixes = {
  form: "form",
  submission: "sub",
  apiKey: "key",
  delivery: "dlv",
  event: "evt",
  account: "acc",
  file: "fil",
} as const;

export type IdKind = keyof typeof prefixes;
export type Id<Kind extends IdKind> = `${(typeof prefixes)[Kind]}_${string}`;
export type FormId = Id<"form">;
export type SubmissionId = Id<"submission">;
export type ApiKeyId = Id<"apiKey">;
export type DeliveryId = Id<"delivery">;
export type EventId = Id<"event">;
export type AccountId = Id<"account">;
export type FileId = Id<"file">;

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * A fresh id: time-ordered to the millisecond, 74 random bits. `now` is milliseconds since the Unix epoch.
 *
 * Two zero bits and the 128 of the UUID are 26 groups of five, written straight: 48 bits of time fill the first ten; the
 * version (0111) begins the eleventh, and the variant (10) stands one bit into the fourteenth.
 */
export function createId<Kind extends IdKind>(kind: Kind, now: number = Date.now()): Id<Kind> {
  return createWithPrefix(prefixes[kind], now);
}

/** `createId("submission", now)`, for bundles that count bytes: it brings no other kind along. */
export function createSubmissionId(now: number): SubmissionId {
  return createWithPrefix("sub", now);
}

function createWithPrefix<Prefix extends string>(prefix: Prefix, now: number): `${Prefix}_${string}` {
  // Not by Array.from, which some pages replace.
  const groups = [...drawBytes(26)].map((random, index) => {
    if (index < 10) return Math.floor(now / 32 ** (9 - index));
    if (index === 10) return 0b01110 | (random & 0b00001);
    return index === 13 ? 0b01000 | (random & 0b10011) : random;
  });
  return `${prefix}_${groups.map((group) => alphabet[group % 32]).join("")}`;
}

/** Whether `text` is a well-formed id of this kind. Says nothing about whether it exists. */
export function isId<Kind extends IdKind>(kind: Kind, text: unknown): text is Id<Kind> {
  return typeof text === "string" && idPatterns[kind].test(text);
}

/** The same rule as `isId`, as a regular expression source for schemas. 128 bits, so the first character is 0 to 7. */
export function idPattern(kind: IdKind): string {
  return patternOf(prefixes[kind]);
}

/** `idPattern("form")`, as `createSubmissionId`. */
export function formIdPattern(): string {
  return patternOf("form");
}

function patternOf(prefix: string): string {
  return `^${prefix}_[0-7][${alphabet}]{25}$`;
}

// Marked pure, so that a bundle that never calls `isId` (the script for other people's pages) goes without.
const idPatterns = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ Object.keys(prefixes).map((kind) => [kind, new RegExp(idPattern(kind as IdKind))]), // keys of `prefixes` are the kinds
) as Record<IdKind, RegExp>;
