import type { Bytes } from "./age-header.ts";
import { isWithoutEarlier } from "./fetch-parts.ts";
import { type ListHead, type Trust, type VerifiedList, verifyList } from "./list.ts";
import { isVouchedBy } from "./list-history.ts";
import { type ListReason, RefusalError } from "./refusal.ts";
import type { SeenHeads, SeenList } from "./seen-heads.ts";

/**
 * What vouches for a list, and came another way than it. `signedHead`: the person has signed it on another device, and nothing else may vouch for the list
 * at the first sight; it is for reading then, unless the signing key, their own, has signed an entry. SPECIFICATION.md section 22.
 */
export type FirstTrust = Trust | { readonly signedHead: ListHead; readonly signingKey: string };

export interface ListSource {
  readonly organizationId: string;
  readonly heads: SeenHeads;
  /** Every part in order, as `fetchParts` returns them; `undefined` if the server says that the organization has no list. */
  fetchList(): Promise<Bytes | undefined>;
  /** The list came with a link whose head is in the newest part, so earlier parts are not needed. */
  readonly isOfLink?: boolean;
  /** The file of names next to it; `undefined` as above. */
  fetchNames(): Promise<Bytes | undefined>;
  /** For the first sight, and for a list that was seen for reading alone: by this it becomes good for everything. */
  readonly trust: FirstTrust;
}

/**
 * `isForReading`: nothing vouches for it but a signed head, which may be an older one: sign nothing by it, and seal nothing for anybody in it. `hidden_list`:
 * there was a list, or a part of it. `bytes` and `names`: as they were received, the parts one after the other.
 */
export type FollowedList =
  | {
      readonly kind: "checked";
      readonly list: VerifiedList;
      readonly bytes: Bytes;
      readonly names: Bytes;
      readonly isForReading: boolean;
    }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly reason: "hidden_list" }
  | { readonly kind: "refused"; readonly reason: ListReason; readonly bytes: Bytes; readonly names: Bytes };

/**
 * Fetches an organization's list and checks it: from the newest head that was seen, or, at the first sight, from `trust`. Remembers the new head, and
 * whether the list is for reading alone.
 */
export function followList(source: ListSource): Promise<FollowedList> {
  return follow(source, false);
}

async function follow(source: ListSource, isAgain: boolean): Promise<FollowedList> {
  const { organizationId, heads } = source;
  const seen = await heads.findList(organizationId);
  const [bytes, names = new Uint8Array()] = await Promise.all([source.fetchList(), source.fetchNames()]);
  if (bytes === undefined) return seen === undefined ? { kind: "none" } : { kind: "refused", reason: "hidden_list" };
  if (source.isOfLink !== true && isWithoutEarlier(bytes)) return { kind: "refused", reason: "hidden_list" };
  const list = await verifyList(bytes, { organizationId, trust: toTrust(seen, source.trust), names });
  if (list instanceof RefusalError) return { kind: "refused", reason: list.reason, bytes, names };
  // Somebody may have been added between the two answers.
  if (!isAgain && [...list.members.values()].some(({ name }) => name === undefined)) return follow(source, true);
  const isKnown = seen !== undefined && seen.isForReading !== true;
  const isForReading = !isKnown && !isVouched(list, source.trust);
  // Another tab or program has seen a newer list meanwhile: this one has to continue it.
  const after = isForReading ? { ...list.head, isForReading } : list.head;
  if (!(await heads.advanceList(organizationId, seen, after))) return followList(source);
  return { kind: "checked", list, bytes, names, isForReading };
}

function toTrust(seen: SeenList | undefined, trust: FirstTrust): Trust {
  if (seen !== undefined) return { head: seen };
  return "signedHead" in trust ? { head: trust.signedHead } : trust;
}

function isVouched(list: VerifiedList, trust: FirstTrust): boolean {
  return "head" in trust ? list.membersAt(trust.head) !== undefined : isVouchedBy(list, trust.signingKey);
}
