import {
  type AccountId,
  decodeBase64Url,
  type FormId,
  isUsableEd25519,
  keyLogEntriesMax,
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
import { type Form, type FormKey, keyVersionsForOwners } from "./form.ts";
import type { KeyLogStore, StoredKeyLogEntry } from "./key-log-store.ts";

/** Two lines: one of at most 4,096 bytes, and a signature. */
export const keyLogEntryLengthMax = 4200;

/** One for each key version that is theirs alone, and some to change who signs: nobody else can make an owner give the log up. */
const keyLogEntriesForOwners = keyVersionsForOwners + 24;

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
  not_allowed: "It names an earlier version of the key, or another key of the same version.",
  unknown_extension: "It was written by a newer program: this instance has to be updated first.",
} as const;

/** The signing keys of the owners and managers in an organization's signed list; `undefined` where it has none. */
export type FindListedSigners = (
  organizationId: AccountId,
  personId: AccountId,
) => Promise<ReadonlySet<string> | undefined>;

export interface EntryToWrite {
  readonly entry: string;
  /** The people who may be named as signers, found before the transaction; `undefined`: anybody. */
  readonly listed: ReadonlySet<string> | undefined;
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
  const verified = await verifyFollowing(form.id, last, { entry, by });
  if (!isSame(verified.entry.key, key)) throw refused("It does not name the form's newest key.");
  if (!verified.entry.signers.every(isUsable)) throw refused("One of its signers is no usable key.");
  // An API key can bring an entry too: it must leave nobody able to sign whom the organization's own people did not list.
  if (listed !== undefined && !verified.entry.signers.every((signer) => listed.has(signer)))
    throw refused("One of its signers is no owner or manager in the organization's list of members.");
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

/** The log up to an entry that follows the newest. Throws where it does not, or has no room: before anything is looked up for it that takes long. */
export async function verifyFollowing(
  formId: FormId,
  last: StoredKeyLogEntry | undefined,
  { entry, by }: Pick<EntryToWrite, "entry" | "by">,
): Promise<VerifiedKeyLog> {
  const kept = isOwnerWithSession(by) ? 0 : keyLogEntriesForOwners;
  if (last !== undefined && last.number >= keyLogEntriesMax - kept)
    throw new Problem(
      "conflict",
      `A key log has at most ${keyLogEntriesMax} entries, the last ${keyLogEntriesForOwners} for owners with a session. An owner can begin another one.`,
    );
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
