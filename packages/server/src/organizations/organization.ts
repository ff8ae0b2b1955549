import type { AccountId, FormId } from "@sealpost/wire";
import type { Role } from "../access/roles.ts";

/** Members of one organization. */
export const membersMax = 500;
/** Organizations that one person owns. */
export const ownedMax = 50;
/** Organizations that a person belongs to, or has left, or changed members of within nine days: undoing a move locks all of these. */
export const joinedMax = 200;
/** Named forms of a reader or a developer. */
export const namedFormsMax = 500;
/**
 * Changes of members within a day. `all` of an organization: beyond it only owners change a role or named forms. `withOwners`: beyond it an
 * owner does as long as fewer than `ofOwner` are their own. Nobody who has used up what there is keeps an owner from putting it right.
 */
export const memberChangesPerDay = { all: 1000, withOwners: 2000, ofOwner: 50 } as const;
/** Invitations of an organization that can be accepted, and those that it makes within a day. */
export const pendingInvitationsMax = 50;
export const invitationsPerDay = 20;
/** Emails with a link that one address gets within a day from the whole instance, and that one person has sent. */
export const invitationEmailsPerDay = { to: 3, by: 20 } as const;
export const organizationNameLengthMax = 100;

/** A role, with the forms that it is for; `undefined` for all of the organization. */
export interface Grant {
  readonly role: Role;
  readonly formIds: readonly FormId[] | undefined;
}

export interface Member extends Grant {
  readonly personId: AccountId;
  readonly name: string;
  readonly email: string;
  readonly since: number;
  readonly addedBy: AccountId | undefined;
  /** The address that was invited, while nobody has proven that it is theirs: until then they have no rights. */
  readonly unprovenAddress: string | undefined;
  readonly isDisabled: boolean;
  /** Whether they are about to delete their account. */
  readonly isLeaving: boolean;
  readonly hasSecondFactor: boolean;
}

/** An organization that a person belongs to. */
export interface OwnOrganization extends Grant {
  readonly id: AccountId;
  readonly name: string;
  readonly since: number;
  /** As of a `Member`. */
  readonly unprovenAddress: string | undefined;
  /** When it starts to require a second factor of its members; null: it does not. */
  readonly secondFactorFrom: number | null;
  /** Whether it takes envelopes only while its list of members has a recovery key. */
  readonly requiresRecovery: boolean;
  /** When it is deleted for good; `undefined` while nobody asked for that. */
  readonly endsAt: number | undefined;
}

export type InvitationId = `inv_${string}`;

export interface Invitation extends Grant {
  readonly id: InvitationId;
  readonly organizationId: AccountId;
  readonly email: string;
  readonly invitedBy: AccountId;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Whether the grants differ, in the role or in the forms. */
export function isOther(from: Grant | undefined, to: Grant | undefined): boolean {
  return describeGrant(from, to).changes.some((one) => JSON.stringify(one.from) !== JSON.stringify(one.to));
}

/** A change of a role for the audit log: never a name or an address. */
export function describeGrant(from: Grant | undefined, to: Grant | undefined) {
  const changes = [{ setting: "role", from: from?.role ?? null, to: to?.role ?? null }];
  const forms = { setting: "forms", from: from?.formIds ?? null, to: to?.formIds ?? null };
  return { changes: JSON.stringify(forms.from) === JSON.stringify(forms.to) ? changes : [...changes, forms] };
}
