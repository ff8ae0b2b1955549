import { type AuditHead, auditFormat } from "@sealpost/wire";

/** The line that an export begins with. */
export interface LogLine {
  readonly organization: string;
  readonly exportedAt: number;
  /** The head before the first entry of the export. */
  readonly start: AuditHead;
  /** Entries that the service has removed, for their age or because an owner asked for it. */
  readonly removed: { readonly count: number; readonly timestamp: number } | undefined;
  readonly head: AuditHead;
}

/** A line that is an entry, with all its members. */
export interface EntryLine extends AuditHead {
  readonly previous: string;
  readonly timestamp: number;
  readonly content: Readonly<Record<string, unknown>>;
}

/** `undefined` when it is no such line. */
export function parseLogLine(value: unknown): LogLine | undefined {
  const { format, organization, exportedAt, start, removed, head } = membersOf(value);
  const isWhole =
    format === auditFormat &&
    typeof organization === "string" &&
    isTime(exportedAt) &&
    isHead(start) &&
    isHead(head) &&
    (removed === undefined || isRemoval(removed));
  return isWhole ? { organization, exportedAt, start, removed, head } : undefined;
}

/** `undefined` when it is no entry. */
export function parseEntryLine(value: unknown): EntryLine | undefined {
  const content = membersOf(value);
  const { sequence, previous, hash, timestamp } = content;
  const isWhole = isWholeNumber(sequence) && sequence > 0 && isHash(previous) && isHash(hash) && isTime(timestamp);
  return isWhole ? { sequence, previous, hash, timestamp, content } : undefined;
}

function isHead(value: unknown): value is AuditHead {
  const { sequence, hash } = membersOf(value);
  return isWholeNumber(sequence) && isHash(hash);
}

function isRemoval(value: unknown): value is NonNullable<LogLine["removed"]> {
  const { count, timestamp } = membersOf(value);
  return isWholeNumber(count) && isTime(timestamp);
}

export function isHash(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Milliseconds that a date can have: what has others can be shown nowhere, and no service wrote it. */
function isTime(value: unknown): value is number {
  return isWholeNumber(value) && value <= 8.64e15;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>) // an object of JSON
    : {};
}
