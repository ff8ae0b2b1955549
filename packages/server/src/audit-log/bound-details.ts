import { createHash } from "node:crypto";
import type { AuditDetails, AuditValue } from "./audit-entry.ts";

/** With the name of its target, an entry takes less than 1,500 bytes of the log's room. */
export const detailsBytesMax = 800;

/** Bytes that are left of each value, tried one after the other. */
const allowances = [300, 200, 100, 50, 20, 0];

/**
 * Details that take no more than an entry may: the beginnings of long values, with how much more there is and a hash over all of it, by
 * which the value is known again. Many settings that change at once get less each. Of an address the scheme, host and port stay whole: where
 * submissions go is said by the end of the host, however long it is and whatever else changes at once.
 */
export function boundDetails(details: AuditDetails | undefined): AuditDetails | undefined {
  if (details?.changes === undefined) return details;
  for (const allowance of allowances) {
    const changes = details.changes.map(({ setting, from, to }) => ({
      setting,
      from: cut(from, allowance),
      to: cut(to, allowance),
    }));
    const bounded = { ...details, changes };
    if (bytesOf(bounded) <= detailsBytesMax) return bounded;
  }
  const named = { ...details, changes: details.changes.map(shorten) };
  if (bytesOf(named) <= detailsBytesMax) return named;
  const all = { setting: "*", from: null, to: `… ${hashOf(JSON.stringify(details.changes))}` };
  const addresses = details.changes.filter(isOfAddress).map(shorten);
  const bounded = { ...details, changes: [...addresses, all] };
  // The hash says that it was much, and can be compared.
  return bytesOf(bounded) <= detailsBytesMax ? bounded : { ...details, changes: [all] };
}

type Change = NonNullable<AuditDetails["changes"]>[number];

function isOfAddress({ from, to }: Change): boolean {
  return originOf(from) !== "" || originOf(to) !== "";
}

/** As short as it gets: of an address where it leads, of anything else one hash of both values. */
function shorten(change: Change): Change {
  const { setting, from, to } = change;
  if (isOfAddress(change)) return { setting, from: cut(from, 0), to: cut(to, 0) };
  const hashed = { setting, from: null, to: `… ${hashOf(JSON.stringify([from, to]))}` };
  return bytesOf(change) <= bytesOf(hashed) ? change : hashed;
}

function cut(value: AuditValue, allowance: number): AuditValue {
  if (typeof value === "string") return bytesOf(value) <= allowance + markBytes ? value : cutText(value, allowance);
  if (typeof value !== "object" || value === null || bytesOf(value) <= allowance + markBytes) return value;
  const shown: string[] = [];
  let bytes = 0;
  for (const item of value) {
    bytes += bytesOf(item);
    if (bytes > allowance) break;
    shown.push(item);
  }
  return [...shown, `… ${value.length - shown.length} more, ${hashOf(JSON.stringify(value))}`];
}

/** Nothing that is shorter gets shorter by a mark of what is missing. */
const markBytes = 40;

function cutText(text: string, allowance: number): string {
  const origin = originOf(text);
  let shown = origin;
  let bytes = bytesOf(origin) - 2;
  for (const character of text.startsWith(origin) ? text.slice(origin.length) : "") {
    bytes += bytesOf(character) - 2; // without its quotation marks
    if (bytes > allowance) break;
    shown += character;
  }
  return `${shown}… ${text.length - shown.length} characters more, ${hashOf(text)}`;
}

/** Scheme, host and port of an address; empty for anything else. */
function originOf(value: AuditValue): string {
  return typeof value === "string" && /^https?:/i.test(value) ? (URL.parse(value)?.origin ?? "") : "";
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function hashOf(text: string): string {
  return `sha256 ${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}
