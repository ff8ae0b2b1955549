import {
  type AccountId,
  decodeBase64Url,
  type FormId,
  findNamedKeys,
  isUsableEd25519,
  type LoggedKey,
  type VerifiedKeyLog,
  verifyKeyLog,
} from "@sealpost/wire";
import { Type } from "typebox";
import { isOwnerWithSession } from "../access/owner-session.ts";
import type { Principal } from "../access/principal.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { Problem } from "../problems/problem.ts";
import { dayMilliseconds } from "../time/clock.ts";
import type { Form, FormKey } from "./form.ts";
import type { KeyLogStore, StoredKeyLogEntry } from "./key-log-store.ts";
import { findSignerIssue, type ListedSigners } from "./listed-signers.ts";

/** Two lines: one of at most 4,096 bytes, and a signature. */
export const keyLogEntryLengthMax = 4200;

export const KeyLogEntryText = Type.String({
  maxLength: keyLogEntryLengthMax,
  description:
    "An entry of the form's key log (SPECIFICATION.md section 20): its two lines, each with its line feed. It names the newest key of the form, and is verified as everybody does.",
});

const reasons = {
  malformed: "It is damaged, or not in the format that this version knows.",
  forked: "It does not follow the newest entry.",
  other_form: "It belongs to another form.",
  broken_chain: "It does not follow the newest entry.",
  not_signed: "It is not signed by one of those whom the newest entry names.",
  not_allowed: "Its signer may not write it: see who may write what in the specification, section 20.",
  unknown_extension: "It was written by a newer program: this instance has to be updated first.",
} as const;

/** Those who may be signers by an organization's signed list; `undefined` where it has none. */
export type FindListedSigners = (organizationId: AccountId, personId: AccountId) => Promise<ListedSigners | undefined>;

/** Owners renew a log as often as they like, and each entry stays: a bound for a day. Rotations count too, and have a bound of their own. */
const entriesPerDay = { owner: 300, other: 150 } as const;

export interface EntryToWrite {
  readonly entry: string;
  /** Found before the transaction; `undefined`: anybody may be named. */
  readonly listed: ListedSigners | undefined;
  /** The form's newest key, which the entry has to name. */
  readonly key: Pick<FormKey, "version" | "fingerprint" | "hybrid">;
  readonly by: Principal;
  readonly now: number;
}

/** Adds an entry to the log of a form, which the transaction has locked, or begins one. Throws where a page would refuse it. */
export async function writeKeyLogEntry(
  transaction: DatabaseTransaction,
  keyLogs: KeyLogStore,
  form: Pick<Form, "id" | "name">,
  { entry, listed, key, by, now }: EntryToWrite,
): Promise<VerifiedKeyLog> {
  const last = await keyLogs.findLast(form.id, transaction);
  const verified = await verifyFollowing(keyLogs, form.id, last, { entry, by, now }, transaction);
  if (!isSame(verified.entry.key, key)) throw refused("It does not name the form's newest key.");
  if (!findNamedKeys(verified.entry).every(isUsable))
    throw refused("One of its signers, or its reply key, is no usable key.");
  const issue = listed && findSignerIssue(verified.entry, verified.entries.at(-2), listed);
  if (issue !== undefined) throw refused(issue);
  await keyLogs.add(transaction, form.id, { ...verified.head, entry }, now);
  const { number } = verified.head;
  await recordAction(transaction, {
    ...byPrincipal(by),
    action: "key_log.entry_added",
    occurredAt: now,
    target: { type: "form", id: form.id, name: form.name },
    details: { changes: [{ setting: "keyLogEntry", from: number - 1, to: number }] },
  });
  return verified;
}

/** The log up to an entry that follows the newest. Throws where it does not, or is one too many: before anything is looked up for it that takes long. */
export async function verifyFollowing(
  keyLogs: Pick<KeyLogStore, "findFromEnd">,
  formId: FormId,
  last: StoredKeyLogEntry | undefined,
  { entry, by, now }: Pick<EntryToWrite, "entry" | "by" | "now">,
  transaction?: DatabaseTransaction,
): Promise<VerifiedKeyLog> {
  const max = isOwnerWithSession(by) ? entriesPerDay.owner : entriesPerDay.other;
  const first = await keyLogs.findFromEnd(formId, max, now, transaction);
  if (first !== undefined)
    throw new Problem("rate_limited", `A key log gets at most ${max} entries within a day`, {
      retryAfter: Math.max(1, Math.ceil((first + dayMilliseconds - now) / 1000)),
    });
  const verified = await verifyKeyLog(Buffer.from(`${last?.entry ?? ""}${entry}`), { formId, head: last });
  if (typeof verified === "string") throw refused(reasons[verified]);
  if (verified.entries.length !== (last === undefined ? 1 : 2)) throw refused("It is not one entry.");
  return verified;
}

function refused(reason: string): Problem {
  return new Problem("bad_request", `The key log can't take this entry. ${reason}`);
}

function isSame(logged: LoggedKey, { version, fingerprint, hybrid }: EntryToWrite["key"]): boolean {
  return (
    logged.version === version &&
    logged.fingerprint === fingerprint &&
    logged.hybridFingerprint === (hybrid?.fingerprint ?? null)
  );
}

function isUsable(signer: string): boolean {
  const bytes = decodeBase64Url(signer);
  return bytes !== undefined && isUsableEd25519(bytes);
}
