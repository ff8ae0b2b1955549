import { type FormId, hasKeyLogHead, type KeyLogRefusal, type VerifiedKeyLog, verifyKeyLog } from "@sealpost/wire";
import type { Bytes } from "./age-header.ts";
import type { SeenHeads } from "./seen-heads.ts";

export interface KeyLogSource {
  readonly formId: FormId;
  readonly heads: SeenHeads;
  /** All of it; no bytes, or `undefined`, where the server says that there is none. */
  fetchKeyLog(): Promise<Bytes | undefined>;
}

/** `hidden`: there was a log. `old`: it ends before the entry that was seen. `forked`: another entry is in its place. */
export type FollowedKeyLog =
  | { readonly kind: "checked"; readonly log: VerifiedKeyLog; readonly bytes: Bytes }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly reason: KeyLogRefusal | "hidden" | "old" };

/** Fetches a form's key log and checks all of it: it has to contain the newest entry that was seen here. Remembers the newest that it has. */
export async function followKeyLog(source: KeyLogSource): Promise<FollowedKeyLog> {
  const { formId, heads } = source;
  const seen = await heads.findKeyLog(formId);
  const bytes = await source.fetchKeyLog();
  if (bytes === undefined || bytes.length === 0)
    return seen === undefined ? { kind: "none" } : { kind: "refused", reason: "hidden" };
  const log = await verifyKeyLog(bytes, { formId });
  if (typeof log === "string") return { kind: "refused", reason: log };
  if (seen !== undefined && log.head.number < seen.number) return { kind: "refused", reason: "old" };
  if (seen !== undefined && !hasKeyLogHead(log, seen)) return { kind: "refused", reason: "forked" };
  // Another tab or program has seen a newer entry meanwhile: this log has to contain it.
  if (!(await heads.advanceKeyLog(formId, seen, log.head))) return followKeyLog(source);
  return { kind: "checked", log, bytes };
}
