/** The kinds of ids and their prefixes: TypeID 0.3.0, prefix + UUIDv7 (RFC 9562 section 5.7) in 26 characters of base32. */
const prefixes = {
  form: "form",
  submission: "sub",
  apiKey: "key",
  delivery: "dlv",
  event: "evt",
  account: "acc",
} as const;

export type IdKind = keyof typeof prefixes;
export type Id<Kind extends IdKind> = `${(typeof prefixes)[Kind]}_${string}`;
export type FormId = Id<"form">;
export type SubmissionId = Id<"submission">;
export type ApiKeyId = Id<"apiKey">;
export type DeliveryId = Id<"delivery">;
export type EventId = Id<"event">;
export type AccountId = Id<"account">;

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** A fresh id: time-ordered to the millisecond, 74 random bits. `now` is milliseconds since the Unix epoch. */
export function createId<Kind extends IdKind>(kind: Kind, now: number = Date.now()): Id<Kind> {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  for (let index = 0; index < 6; index++) bytes[index] = Math.floor(now / 2 ** (8 * (5 - index))) % 256;
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return `${prefixes[kind]}_${encodeBase32(bytes)}`;
}

/** Whether `text` is a well-formed id of this kind. Says nothing about whether it exists. */
export function isId<Kind extends IdKind>(kind: Kind, text: unknown): text is Id<Kind> {
  return typeof text === "string" && idPatterns[kind].test(text);
}

/** The same rule as `isId`, as a regular expression source for schemas. 128 bits, so the first character is 0 to 7. */
export function idPattern(kind: IdKind): string {
  return `^${prefixes[kind]}_[0-7][${alphabet}]{25}$`;
}

const idPatterns = Object.fromEntries(
  Object.keys(prefixes).map((kind) => [kind, new RegExp(idPattern(kind as IdKind))]), // keys of `prefixes` are the kinds
) as Record<IdKind, RegExp>;

function encodeBase32(bytes: Uint8Array): string {
  // 128 bits, with two zero bits before them, in 26 groups of five.
  let text = "";
  let buffer = 0;
  let bits = 2;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(buffer >> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  return text;
}
