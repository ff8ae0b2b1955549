import type { AccountId, FormId } from "@sealpost/wire";
import { dayMilliseconds } from "../time/clock.ts";

/** How long an account, or an organization, can be kept after all. */
export const graceMilliseconds = 30 * dayMilliseconds;

/** An organization of somebody who leaves, and what becomes of it. */
export interface LeavingOrganization {
  readonly id: AccountId;
  readonly name: string;
  readonly forms: number;
  readonly submissions: number;
  /**
   * `deleted`: it goes with the account, since nobody else belongs to it. `left`: others keep it. `needs_owner`: others belong to it,
   * and none of them owns it.
   */
  readonly fate: "deleted" | "left" | "needs_owner";
  /** Its forms under legal hold, where it would go with the account: they keep both. */
  readonly heldForms: readonly HeldForm[];
}

export interface HeldForm {
  readonly id: FormId;
  readonly name: string;
}

export interface Leaving {
  /** When the account is deleted for good; `undefined` while nobody asked for that. */
  readonly leavesAt: number | undefined;
  readonly organizations: readonly LeavingOrganization[];
}

/** The fate of an organization when a member leaves it for good. Owners who are leaving too, or are disabled, keep nothing. */
export function decideFate(
  member: { readonly isOwner: boolean },
  others: { readonly members: number; readonly owners: number },
): LeavingOrganization["fate"] {
  if (!member.isOwner || others.owners > 0) return "left";
  return others.members === 0 ? "deleted" : "needs_owner";
}
