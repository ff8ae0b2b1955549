import {
  type FormId,
  hasKeyLogHead,
  type KeyLogHead,
  type KeyLogRefusal,
  type VerifiedKeyLog,
  verifyKeyLog,
} from "@sealpost/wire";
import type { Bytes } from "./age-header.ts";
import type { SeenHeads } from "./seen-heads.ts";

export interface KeyLogSource {
  readonly formId: FormId;
  readonly heads: SeenHeads;
  /** The entry that a revision names which was opened, and is not the newest that was seen. */
  readonly named?: KeyLogHead | null;
  /** All of it; no bytes, or `undefined`, where the server says that there is none. */
  fetchKeyLog(): Promise<Bytes | undefined>;
}

/** Why a log is not the one that was seen. `hidden`: there was a log. `old`: it ends before the entry that was seen. */
export type FollowedKeyLogRefusal = KeyLogRefusal | "hidden" | "old";

/** `refused`, `forked`: another entry is in the place of one that was seen. */
export type FollowedKeyLog =
  | { readonly kind: "checked"; readonly log: VerifiedKeyLog; readonly bytes: Bytes }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly reason: FollowedKeyLogRefusal };

/**
 * Fetches a form's key log and checks all of it: it has to contain the newest entry that was seen here, and the one that the newest envelope names, whose
 * writer has seen it. A log is gone only where somebody has said so here. Remembers the newest entry that it has, unless all that is known of the form is kept apart.
 */
export async function followKeyLog(source: KeyLogSource): Promise<FollowedKeyLog> {
  const { formId, heads, named } = source;
  // Before the log is fetched, so that it is not older than they are.
  const seen = await heads.findKeyLog(formId);
  const expected = [seen, ...(await heads.findNamedKeyLogs(formId))];
  if (named && !(await heads.isGivenUp(formId, named))) expected.push(named);
  const known = expected.filter((head) => head !== undefined);
  const bytes = await source.fetchKeyLog();
  if (bytes === undefined || bytes.length === 0)
    return known.length === 0 ? { kind: "none" } : { kind: "refused", reason: "hidden" };
  const log = await verifyKeyLog(bytes, { formId });
  if (typeof log === "string") return { kind: "refused", reason: log };
  if (known.some(({ number }) => log.head.number < number)) return { kind: "refused", reason: "old" };
  if (!known.every((head) => hasKeyLogHead(log, head))) return { kind: "refused", reason: "forked" };
  // Another tab or program has seen a newer entry meanwhile: this log has to contain it.
  if (!(await heads.isApart(formId)) && !(await heads.advanceKeyLog(formId, seen, log.head)))
    return followKeyLog(source);
  return { kind: "checked", log, bytes };
}
