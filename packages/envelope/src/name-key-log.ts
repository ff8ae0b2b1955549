import { hasKeyLogHead, type KeyLogHead } from "@sealpost/wire";
import type { EnvelopeHead } from "./envelope-checks.ts";
import type { FollowedKeyLog } from "./follow-key-log.ts";
import { compareKeyLogSigners } from "./key-log-signers.ts";
import type { VerifiedList } from "./list.ts";
import type { Member } from "./member.ts";

export interface NamedKeyLog {
  /** For the next revision. */
  readonly keyLog: KeyLogHead | null;
  /** The revision before names an entry of another log, which was given up: a manager can't rotate until an owner names this one. */
  readonly isOther: boolean;
}

/**
 * The head of the form's key log that the next revision names, where no entry is written with it. An owner's names the newest entry of the log that they
 * follow: of another one than the revision before only where everybody who signs it has this role in the list. Without a log in order, and by managers,
 * it stays unchanged: a server that hides the log has nobody say that it was given up.
 */
export function nameKeyLog(
  { keyLog: before }: Pick<EnvelopeHead, "keyLog">,
  followed: FollowedKeyLog,
  list: VerifiedList,
  { role, signingKey }: Pick<Member, "role" | "signingKey">,
): NamedKeyLog {
  const same = { keyLog: before, isOther: false };
  if (role !== "owner" || followed.kind !== "checked") return same;
  const { log } = followed;
  if (before !== null && hasKeyLogHead(log, before)) return { keyLog: log.head, isOther: false };
  const { wrong } = compareKeyLogSigners(log, list, signingKey ?? undefined);
  return wrong.length > 0 ? same : { keyLog: log.head, isOther: before !== null };
}
