import { type FormId, type KeyLogHead, type KeyLogSigners, type LoggedKey, verifyKeyLog } from "@sealpost/wire";
import type { Bytes } from "./age-header.ts";
import { findSignersToName } from "./continue-form-log.ts";
import type { FollowedKeyLog } from "./follow-key-log.ts";
import type { VerifiedList } from "./list.ts";
import { RefusalError } from "./refusal.ts";
import type { SeenHeads } from "./seen-heads.ts";

interface LogToAddTo {
  readonly formId: FormId;
  readonly heads: SeenHeads;
  /** The log that was followed; `undefined` where it begins. */
  readonly before: Extract<FollowedKeyLog, { readonly kind: "checked" }> | undefined;
  /** Adds the entry at the service, after this head; its answer is not looked at. */
  send(entry: string, before: KeyLogHead | undefined): Promise<unknown>;
}

/**
 * Adds a signed entry to a form's key log, and remembers the new head: that of what was signed here, since a server that names another one would have it
 * pinned and named by envelopes. Rejects with a `RefusalError` where the log does not take the entry.
 */
export async function addKeyLogEntry({ formId, heads, before, send }: LogToAddTo, entry: string): Promise<KeyLogHead> {
  const bytes = new Uint8Array(await new Blob([before?.bytes ?? new Uint8Array(), entry]).arrayBuffer());
  const after = await verifyKeyLog(bytes, { formId });
  if (typeof after === "string") throw new RefusalError(after);
  await send(entry, before?.log.head);
  await heads.advanceKeyLog(formId, before?.log.head, after.head);
  return after.head;
}

export interface SignersToRenew extends Omit<LogToAddTo, "before"> {
  readonly followed: FollowedKeyLog;
  readonly list: VerifiedList;
  /** The public half of the person's key. */
  readonly own: string;
  sign(log: Bytes, key: LoggedKey, signers: KeyLogSigners): Promise<string | RefusalError>;
}

/**
 * Adds an owner's entry with the same key where the newest one does not name those who may sign by now: so that somebody who was brought in can rotate, and
 * who left can't continue the log. Nothing where none of the person's keys is an owner in the log, or something is wrong with it, which every other act on it
 * says.
 */
export async function renewSigners({ followed, list, own, sign, ...adding }: SignersToRenew): Promise<void> {
  const signers = findSignersToName(followed, list, own);
  if (followed.kind !== "checked" || signers === undefined) return;
  const entry = await sign(followed.bytes, followed.log.entry.key, signers);
  if (!(entry instanceof RefusalError)) await addKeyLogEntry({ ...adding, before: followed }, entry);
}
