import { type KeyLogEntry, type KeyLogSigners, keyLogPlaceMax, keyLogStepMax, type LoggedKey } from "@sealpost/wire";
import type { Bytes } from "./age-header.ts";
import { type FollowedKeyLog, type FollowedKeyLogRefusal, followKeyLog, type KeyLogSource } from "./follow-key-log.ts";
import { findKeyLogSigners } from "./key-log-signers.ts";
import type { VerifiedList } from "./list.ts";
import { RefusalError } from "./refusal.ts";

// Decisions about the next entry of a form's key log, the same for everything that writes one: the dashboard, the command line, programs.

/**
 * Why a key may not sign the entry of a new version. `no_signer`: the newest entry does not name it. `overtaken`: the log has this version already. The
 * others are a manager's, whose next entry is an owner's then: `places_used`; `version_gap`, a version in between is in no entry; `hybrid_needed` and
 * `seed_needed`, the version before has one. `version_gap` is an owner's as well, who can't go so far ahead.
 */
export type SigningObstacle =
  | "no_signer"
  | "overtaken"
  | "places_used"
  | "version_gap"
  | "hybrid_needed"
  | "seed_needed";

/** Nothing was signed: the log is not the one that was seen, or the key may not sign this entry. */
export class KeyLogProblemError extends Error {
  override readonly name = "KeyLogProblemError";
  readonly reason: FollowedKeyLogRefusal | SigningObstacle;

  constructor(reason: FollowedKeyLogRefusal | SigningObstacle) {
    super(`The key log gets no entry: ${reason}`);
    this.reason = reason;
  }
}

export interface LogToContinue extends KeyLogSource {
  /** The person's key, for the reason where it may not sign. */
  readonly own: string;
  /** Signs the entry of `key` at the end of `log`, which was checked; `before` is its newest entry. */
  sign(log: Bytes, key: LoggedKey, before: KeyLogEntry): Promise<string | RefusalError>;
}

/**
 * The entry of a form's new key, for its rotation; `undefined` where the form has no log, and nothing that was seen says that it had one. Rejects with a
 * `KeyLogProblemError`.
 */
export async function continueFormLog(source: LogToContinue, key: LoggedKey): Promise<string | undefined> {
  const followed = await followKeyLog(source);
  if (followed.kind === "none") return undefined;
  if (followed.kind === "refused") throw new KeyLogProblemError(followed.reason);
  const { entry } = followed.log;
  // Somebody was faster.
  if (entry.key.version >= key.version) throw new KeyLogProblemError("overtaken");
  const signed = await source.sign(followed.bytes, key, entry);
  if (!(signed instanceof RefusalError)) return signed;
  if (signed.reason !== "not_allowed") throw new KeyLogProblemError("malformed");
  throw new KeyLogProblemError(findObstacle(entry, key, source.own));
}

/** Why nobody with this key may write the entry of a new version after `before`. */
export function findObstacle(before: KeyLogEntry, key: LoggedKey, own: string): SigningObstacle {
  const steps = key.version - before.key.version;
  if (before.owners.includes(own)) return steps > keyLogStepMax ? "version_gap" : "no_signer";
  if (!before.managers.includes(own)) return "no_signer";
  if (before.place >= keyLogPlaceMax) return "places_used";
  if (steps !== 1) return "version_gap";
  if (key.hybridFingerprint === null && before.key.hybridFingerprint !== null) return "hybrid_needed";
  return key.replyKey === null && before.key.replyKey !== null ? "seed_needed" : "no_signer";
}

/** The signers to name in an owner's entry with the same key, where the newest one names others; otherwise, or without a log in order, `undefined`. */
export function findSignersToName(
  followed: FollowedKeyLog,
  list: VerifiedList,
  own: string,
): KeyLogSigners | undefined {
  if (followed.kind !== "checked") return undefined;
  const { entry } = followed.log;
  const wanted = findKeyLogSigners(list, own, entry);
  const isSame = hasSame(wanted.owners, entry.owners) && hasSame(wanted.managers, entry.managers);
  return isSame ? undefined : wanted;
}

function hasSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key) => other.includes(key));
}
