import { createHash } from "node:crypto";
import type { AuditDetails, AuditValue } from "./audit-entry.ts";

/** With the name of its target, an entry takes less than 1,500 bytes of the log's room. */
export const detailsBytesMax = 800;

/** Bytes that are left of each value, tried one after the other. */
const allowances = [300, 200, 100, 50, 20, 0];

/**
 * Details that take no more than an entry may: the beginnings of long values, with how much more there is and a hash over all of it, by
 * which the value is known again. Many settings that change at once get less each.
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
  const [setting, all] = ["*", JSON.stringify(details.changes)];
  // Nothing changes so much today; what is left says that it was much, and can be compared.
  return { ...details, changes: [{ setting, from: null, to: `… ${hashOf(all)}` }] };
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
  let shown = "";
  let bytes = 0;
  for (const character of text) {
    bytes += bytesOf(character) - 2; // without its quotation marks
    if (bytes > allowance) break;
    shown += character;
  }
  return `${shown}… ${text.length - shown.length} characters more, ${hashOf(text)}`;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function hashOf(text: string): string {
  return `sha256 ${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}
