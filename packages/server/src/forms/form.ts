import { type AccountId, type FormId, type HybridPublicKey, isInvisible, type PublicKey } from "@sealpost/wire";
import type { AuditChange, AuditValue } from "../audit-log/audit-entry.ts";
import { isDisplayable } from "../http/display-text.ts";
import { originLengthMax, type Settings } from "./form-settings.ts";

export const nameLengthMax = 100;
/** More than anybody makes by hand: so that a program in a loop, or a stolen key, ends somewhere. */
export const formsMax = 10_000;
export const keyVersionsMax = 1000;
/** The last ones are for owners with a session, so that nobody else can use up what ends a key that they know. */
export const keyVersionsForOwners = 100;

export interface Form {
  readonly id: FormId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly settings: Settings;
  readonly keyVersion: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The hybrid key of a key version, against quantum computers, and its thumbprint. */
export interface HybridFormKey {
  readonly publicKey: HybridPublicKey;
  readonly fingerprint: string;
}

export interface FormKey {
  readonly version: number;
  readonly publicKey: PublicKey;
  /** RFC 7638 thumbprint, base64url. */
  readonly fingerprint: string;
  /** Only where it was asked for when the version was made. */
  readonly hybrid: HybridFormKey | undefined;
  readonly createdAt: number;
  /** The maker of the pair. */
  readonly madeBy: "owner" | "service";
  /** When somebody first said that the private key opened something. It is their word: the service cannot look. */
  readonly provedAt: number | undefined;
  /** When it stops accepting submissions that are sealed to it; always `undefined` for the newest version. */
  readonly closesAt?: number | undefined;
}

export const keyProofs = ["proved", "unproved"] as const;
/** Whether anybody has said that they hold the private key. */
export type KeyProof = (typeof keyProofs)[number];

/** The changes of an update; omitted members keep their value (contract, section 5.3). */
export interface FormChange {
  readonly name?: string;
  readonly settings?: Partial<Form["settings"]>;
}

/**
 * The members of `change` that differ from what the form has, or `undefined` when none does: then nothing is written and
 * no event is emitted (contract, section 5.3).
 */
export function findChanges(form: Form, change: FormChange): FormChange | undefined {
  const settings = Object.fromEntries(
    Object.entries(change.settings ?? {}).filter(
      ([member, value]) => JSON.stringify(value) !== JSON.stringify(form.settings[member as keyof Form["settings"]]), // its type names its members
    ),
  );
  const changes = {
    ...(change.name !== undefined && change.name !== form.name && { name: change.name }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/**
 * Whether changes only keep less or let in less: a service without room still makes them, since they free room, or end what
 * somebody else set up.
 */
export function isOnlyLess({ settings: before }: Form, { name, settings = {} }: FormChange): boolean {
  const isLess: { readonly [Member in keyof Form["settings"]]?: boolean } = {
    encryption: settings.encryption === true,
    webhookUrl: settings.webhookUrl === null,
    submissionBytesMax: (settings.submissionBytesMax ?? Number.POSITIVE_INFINITY) < before.submissionBytesMax,
    submissionsPerHour:
      (settings.submissionsPerHour ?? Number.POSITIVE_INFINITY) <
      (before.submissionsPerHour ?? Number.POSITIVE_INFINITY),
    binDays: (settings.binDays ?? Number.POSITIVE_INFINITY) < before.binDays,
  };
  const members = Object.keys(settings) as (keyof Form["settings"])[]; // its type names its members
  return name === undefined && members.every((member) => isLess[member] === true);
}

/** The differences in `after`, with old and new values, by the API's names. */
export function listChanges(before: Form, after: Form): readonly AuditChange[] {
  const describe = ({ name, settings }: Form): Readonly<Record<string, AuditValue>> => ({ name, ...settings });
  const [from, to] = [describe(before), describe(after)];
  return Object.keys(to).flatMap((setting) => {
    const [old = null, now = null] = [from[setting], to[setting]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    const [was, is] = Array.isArray(old) && Array.isArray(now) ? tellLists(old, now) : [old, now];
    return [{ setting, from: was, to: is }];
  });
}

const listedMax = 10;

/**
 * The difference of two lists that are too long to be kept with every change, and how many more there are: fifty origins that
 * change all the time would otherwise fill the audit log.
 */
function tellLists(old: readonly string[], now: readonly string[]): readonly [AuditValue, AuditValue] {
  if (old.length <= listedMax && now.length <= listedMax) return [old, now];
  const tell = (list: readonly string[], other: readonly string[]) => {
    const others = new Set(other);
    const shown = list.filter((item) => !others.has(item)).slice(0, listedMax);
    return shown.length === list.length ? shown : [...shown, `… ${list.length - shown.length} more`];
  };
  return [tell(old, now), tell(now, old)];
}

/** The trimmed name, or the sentence that says what is wrong with it. Lone surrogates and NUL do not survive every database. */
export function parseName(text: string): { readonly name: string } | { readonly issue: string } {
  return parseLine(text, nameLengthMax);
}

/** The same about another line of text. */
export function parseLine(text: string, lengthMax: number): { readonly name: string } | { readonly issue: string } {
  const name = text.trim();
  if (isInvisible(name)) return { issue: "Must not be empty" };
  if ([...name].length > lengthMax) return { issue: `Must have at most ${lengthMax} characters` };
  if (!name.isWellFormed()) return { issue: "Must not contain half a character: type it again" };
  if (!isDisplayable(name)) return { issue: "Must be one line, without control characters" };
  return { name };
}

/**
 * The name in the form for comparison: one form per account whatever the case. NFKC, so that look-alike widths count as one; upper
 * case first, because "ß" and "ς" have several lower-case spellings of one upper-case one.
 */
export function toNameKey(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

/**
 * `*`, an exact origin, or `https://*.example.com`, in the spelling that browsers send; `undefined` for anything else. A
 * `*` anywhere else would stay a letter that no browser's origin has, so a form would refuse what it seems to allow.
 */
export function parseOrigin(text: string): string | undefined {
  if (text.length > originLengthMax) return undefined;
  if (text === "*") return text;
  const wildcard = /^https:\/\/\*\.(.+)$/.exec(text);
  const plain = wildcard === null ? text : `https://${wildcard[1]}`;
  if (!/^https?:\/\/[^/?#@\\\s]+$/.test(plain) || !URL.canParse(plain)) return undefined;
  const { host, origin } = new URL(plain);
  // Looked for in what the parser makes of it, which has decoded `%2A` and other ways to write it. The parser takes other signs
  // too, such as the ";" between two addresses, but no browser's origin has one.
  if (!/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]+)?$/.test(host)) return undefined;
  if (wildcard === null) return origin;
  // A wildcard below a single label would open a whole top-level domain; ports are written out, not guessed at.
  const hasPort = /:[0-9]*$/.test(plain);
  return !hasPort && /^[^.]+(\.[^.]+)+$/.test(host) && !/^[0-9.]+$/.test(host) ? `https://*.${host}` : undefined;
}

/** Whether a browser's `Origin` may post to the form. `null` (a sandboxed page, a file) passes only with `*`. */
export function isOriginAllowed(origin: string, allowedOrigins: readonly string[]): boolean {
  if (allowedOrigins.includes("*")) return true;
  if (!URL.canParse(origin)) return false;
  return allowedOrigins.some((allowed) => {
    if (!allowed.startsWith("https://*.")) return origin === allowed;
    const suffix = allowed.slice("https://*".length);
    return (
      origin.startsWith("https://") && origin.endsWith(suffix) && origin.length > "https://".length + suffix.length
    );
  });
}
