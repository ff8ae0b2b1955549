import type { Bytes } from "./age-header.ts";
import { type Trust, type VerifiedList, verifyList } from "./list.ts";
import { type ListReason, RefusalError } from "./refusal.ts";
import type { SeenHeads } from "./seen-heads.ts";

export interface ListSource {
  readonly organizationId: string;
  readonly heads: SeenHeads;
  /** `undefined` where the server says that there is none. */
  fetchList(): Promise<Bytes | undefined>;
  /** For the first sight: it came another way than the list. */
  readonly trust: Trust;
}

/** `hidden_list`: there was a list. `bytes`: as they were received. */
export type FollowedList =
  | { readonly kind: "checked"; readonly list: VerifiedList; readonly bytes: Bytes }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly reason: "hidden_list" }
  | { readonly kind: "refused"; readonly reason: ListReason; readonly bytes: Bytes };

/**
 * Fetches an organization's list and checks it: from the newest head that was seen, or, at the first sight, from `trust`. Remembers the new head.
 */
export async function followList(source: ListSource): Promise<FollowedList> {
  const { organizationId, heads } = source;
  const head = await heads.findList(organizationId);
  const trust = head === undefined ? source.trust : { head };
  const bytes = await source.fetchList();
  if (bytes === undefined) return head === undefined ? { kind: "none" } : { kind: "refused", reason: "hidden_list" };
  const list = await verifyList(bytes, { organizationId, trust });
  if (list instanceof RefusalError) return { kind: "refused", reason: list.reason, bytes };
  // Another tab or program has seen a newer list meanwhile: this one has to continue it.
  if (!(await heads.advanceList(organizationId, head, list.head))) return followList(source);
  return { kind: "checked", list, bytes };
}
