import { type AuditHead, hashAuditEntry } from "@sealpost/wire";
import { client } from "../api/client.ts";
import { Explained } from "../api/describe-error.ts";
import { text } from "../texts/text.ts";

/** The log's lines, as a file has them. Fails where the answer breaks off, so that no part is taken for the whole. */
export async function readLog(): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of client.auditLog.export()) lines.push(`${JSON.stringify(line)}\n`);
  return lines;
}

/** The log, and where it may be cut off. */
export interface CheckedLog {
  readonly lines: readonly string[];
  /** The last of its oldest entries from before a day; `undefined`: there are none. */
  readonly until: AuditHead | undefined;
  /** How many entries these are. */
  readonly count: number;
}

/** Reads the log, and checks that each entry follows the one before: nothing else may take the place of what is removed. */
export async function readCheckedLog(before: number): Promise<CheckedLog> {
  const lines = await readLog();
  const [first = "{}", ...rest] = lines;
  const { start, head }: { readonly start: AuditHead; readonly head: AuditHead } = JSON.parse(first);
  let last = start;
  let until: AuditHead | undefined;
  let isOld = true;
  for (const line of rest) {
    const { hash, ...content } = JSON.parse(line);
    const { sequence, previous, timestamp } = content;
    const isNext = sequence === last.sequence + 1 && previous === last.hash;
    if (!isNext || (await hashAuditEntry(content)) !== hash) throw new Explained(text.auditLog.shorten.broken);
    last = { sequence, hash };
    isOld &&= timestamp < before;
    if (isOld) until = last;
  }
  if (last.hash !== head.hash) throw new Explained(text.auditLog.shorten.broken);
  return { lines, until, count: (until?.sequence ?? start.sequence) - start.sequence };
}
