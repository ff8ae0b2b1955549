import { type AuditHead, hashAuditEntry, startAuditLog } from "@sealpost/wire";
import { type EntryLine, type LogLine, parseEntryLine, parseLogLine } from "./log-lines.ts";

/** Something that is not as it should be, or that could not be checked. */
export interface LogFinding {
  readonly exit: "differs" | "unavailable";
  readonly message: string;
}

/** Facts that the auditor knows from elsewhere. */
export interface Expectations {
  /** Heads that were noted earlier. */
  readonly heads: readonly AuditHead[];
  /** The export was asked for as a whole. */
  readonly isWhole?: boolean | undefined;
  /** The least number of the last entry. */
  readonly atLeast?: number | undefined;
  /** No entry may have been removed before it was so many days old. */
  readonly keptDays?: number | undefined;
}

export interface LogVerdict {
  readonly organization: string | undefined;
  readonly exportedAt: number | undefined;
  readonly entries: number;
  /** The head before the first entry. */
  readonly start: AuditHead | undefined;
  readonly removed: LogLine["removed"];
  /** The last time that an owner removed the oldest entries, as the log itself says it: up to this number. */
  readonly shortened: Shortening | undefined;
  /** The head at the last entry that follows; to be noted for the next time. */
  readonly head: AuditHead | undefined;
  /** Times of the first and the last entry. */
  readonly times: readonly [from: number, to: number] | undefined;
  readonly findings: readonly LogFinding[];
  /** There may be more than are listed. */
  readonly findingCount: number;
}

export interface Shortening {
  readonly sequence: number;
  readonly timestamp: number;
}

const findingsMax = 100;
const dayMilliseconds = 86_400_000;
/** The service removes a few minutes early. */
const graceMilliseconds = 3_600_000;

/** Checks an export, parsed line by line, in constant memory. A line that is no JSON comes as `undefined`. */
export async function checkAuditLog(lines: AsyncIterable<unknown>, expected: Expectations): Promise<LogVerdict> {
  const check = createCheck(expected);
  let number = 0;
  for await (const line of lines) await check.line(line, ++number);
  return check.end();
}

function createCheck({ heads, isWhole, atLeast, keptDays }: Expectations) {
  const findings: LogFinding[] = [];
  let findingCount = 0;
  let log: LogLine | undefined;
  let last: AuditHead | undefined;
  /** The last entry that any of the lines about the log names. */
  let named = 0;
  let entries = 0;
  let times: readonly [number, number] | undefined;
  let start: AuditHead | undefined;
  let shortened: Shortening | undefined;

  function add(message: string, exit: LogFinding["exit"] = "differs"): void {
    if (findings.length < findingsMax) findings.push({ exit, message });
    findingCount++;
  }

  /** Compares with heads that the auditor noted of this place. */
  function compare({ sequence, hash }: AuditHead): void {
    for (const head of heads)
      if (head.sequence === sequence && head.hash !== hash)
        add(`entry ${sequence} is another one than when its head was noted: the log was rewritten up to there`);
  }

  async function begin(next: LogLine): Promise<void> {
    if (log === undefined || last === undefined) {
      ({ start } = next);
      last = start;
      if (start.sequence === 0 && start.hash !== (await startAuditLog(next.organization)).hash)
        add("the log does not begin as one of this organization");
      if (isWhole && start.sequence !== (next.removed?.count ?? 0))
        add(
          `the log begins after entry ${start.sequence}, and the service does not say that those before were removed for their age or by an owner`,
        );
      compare(start);
    } else if (next.organization !== log.organization) add(`another organization's log follows: ${next.organization}`);
    else if (next.start.sequence !== last.sequence || next.start.hash !== last.hash)
      add(`the next export does not continue after entry ${last.sequence}`);
    log = next;
    named = Math.max(named, next.head.sequence);
  }

  async function follow(entry: EntryLine, before: AuditHead): Promise<void> {
    const { sequence, previous, hash, timestamp } = entry;
    const expectedNumber = before.sequence + 1;
    if (sequence < expectedNumber)
      return add(
        sequence === before.sequence
          ? `entry ${sequence} is there twice`
          : `entry ${sequence} comes after entry ${before.sequence}: it is in the wrong place, or there twice`,
      );
    const isMissing = sequence > expectedNumber;
    if (isMissing) add(`${nameEntries(expectedNumber, sequence - 1)} missing`);
    else if (previous !== before.hash)
      add(`entry ${sequence} does not follow this entry ${before.sequence}: one of them was changed`);
    // If an entry follows nothing, the service can't have said what was before.
    if (!isMissing && (await hashOf(entry)) !== hash) add(`entry ${sequence} was changed`);
    compare(entry);
    shortened = findShortening(entry) ?? shortened;
    entries++;
    times = [times?.[0] ?? timestamp, timestamp];
    last = { sequence, hash };
  }

  return {
    async line(value: unknown, number: number): Promise<void> {
      const next = parseLogLine(value);
      if (next !== undefined) return begin(next);
      if (last === undefined) {
        if (number === 1) add("the first line is not that of an exported audit log");
        return;
      }
      const entry = parseEntryLine(value);
      if (entry === undefined) add(`line ${number} is no entry of an audit log`);
      else await follow(entry, last);
    },
    end(): LogVerdict {
      if (log === undefined) {
        if (findingCount === 0) add("there is no line of an exported audit log");
      } else if (last !== undefined) checkEnd(log, last);
      return {
        ...{ organization: log?.organization, exportedAt: log?.exportedAt, removed: log?.removed, shortened },
        ...{ entries, start, head: last, times, findings, findingCount },
      };
    },
  };

  function checkEnd({ head, removed, exportedAt }: LogLine, end: AuditHead): void {
    if (end.sequence < named) add(`${nameEntries(end.sequence + 1, named)} missing at the end`);
    else if (end.sequence !== head.sequence || end.hash !== head.hash)
      add("the last entry is not the one that the log's first line names");
    for (const noted of heads) {
      if (noted.sequence > end.sequence)
        add(
          `the log ends with entry ${end.sequence}, before the noted entry ${noted.sequence}: it was cut, or rewritten`,
        );
      if (start !== undefined && noted.sequence < start.sequence)
        add(
          `the noted entry ${noted.sequence} is not in this export, which begins after entry ${start.sequence}`,
          "unavailable",
        );
    }
    if (atLeast !== undefined && end.sequence < atLeast)
      add(`the log ends with entry ${end.sequence}, and should have at least ${atLeast}`);
    // An owner's removal is no matter of the operator's days.
    const isByAge = removed !== undefined && removed.count > (shortened?.sequence ?? 0);
    if (keptDays !== undefined && isByAge) {
      const days = (exportedAt - removed.timestamp) / dayMilliseconds;
      if (exportedAt - removed.timestamp < keptDays * dayMilliseconds - graceMilliseconds)
        add(`entry ${removed.count} was removed when it was ${Math.floor(days)} days old`);
    }
  }
}

/** The removal by an owner that an entry tells of. */
function findShortening({ content, timestamp }: EntryLine): Shortening | undefined {
  if (content.action !== "audit_log.shortened") return undefined;
  const { changes } = Object(content.details) as { readonly changes?: unknown }; // members of anything
  const change: unknown = Array.isArray(changes)
    ? changes.find((one) => Object(one).setting === "auditLogStart")
    : undefined;
  const [sequence] = String(Object(change).to).split(":").map(Number);
  return Number.isSafeInteger(sequence) ? { sequence: Number(sequence), timestamp } : undefined;
}

async function hashOf({ content }: EntryLine): Promise<string | undefined> {
  try {
    return await hashAuditEntry(content);
  } catch {
    return undefined; // nested so deeply that no service wrote it
  }
}

function nameEntries(first: number, last: number): string {
  return first === last ? `entry ${first} is` : `entries ${first} to ${last} are`;
}
