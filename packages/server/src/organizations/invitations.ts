import type { AccountId } from "@sealpost/wire";
import { organizationNone } from "../access/access.ts";
import { mayManage, type Role, rolesOfNamedForms } from "../access/roles.ts";
import type { AuditActor } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { lowerAddress } from "../authentication/email-address.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { shareProof } from "../database/membership.ts";
import type { AddInvitationMail } from "../mail/emails.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { sentences } from "../problems/codes.ts";
import { Problem } from "../problems/problem.ts";
import { type Clock, dayMilliseconds } from "../time/clock.ts";
import type { FoundInvitation, InvitationStore } from "./invitation-store.ts";
import { type Acting, requireMayManage, requireRoomToJoin, requireRoomToOwn } from "./member-changes.ts";
import type { MemberStore } from "./member-store.ts";
import {
  describeGrant,
  type Grant,
  type Invitation,
  invitationsPerDay,
  type Member,
  membersMax,
  pendingInvitationsMax,
} from "./organization.ts";
import type { OrganizationStore } from "./organization-store.ts";

export interface InvitationDependencies {
  readonly database: Database;
  readonly members: MemberStore;
  readonly organizations: OrganizationStore;
  readonly invitations: InvitationStore;
  readonly sendSecurityMail: SendSecurityMail;
  /** Queues the email with the link. `undefined` on an instance that sends no emails. */
  readonly addInvitationMail: AddInvitationMail | undefined;
  readonly clock: Clock;
}

/** Inviting, and accepting. */
export interface Invitations {
  /** Makes an invitation and the token of its link. It replaces one that waits for the same address, unless that one's role is above the inviter's. */
  create(
    acting: Acting,
    email: string,
    grant: Grant,
  ): Promise<{ readonly invitation: Invitation; readonly token: string; readonly isMailed: boolean }>;
  /** The invitations that can be accepted, the newest first. */
  list(organizationId: AccountId): Promise<readonly Invitation[]>;
  /** The one that a link leads to. Throws when nobody can accept it. */
  load(token: string): Promise<FoundInvitation>;
  /** False when there is none. */
  revoke(acting: Acting, id: string): Promise<boolean>;
  /** Throws unless the token is of an invitation for this address that can be accepted. */
  check(token: string, email: string): Promise<FoundInvitation>;
  /** Uses the invitation up. Gives the organization. */
  accept(token: string, person: { readonly personId: AccountId; readonly actor: AuditActor }): Promise<AccountId>;
}

export function createInvitations(dependencies: InvitationDependencies): Invitations {
  const { database, members, organizations, invitations, sendSecurityMail, addInvitationMail, clock } = dependencies;

  return {
    create: (acting, email, grant) =>
      database.transaction().execute(async (transaction) => {
        const { organizationId, personId, actor } = acting;
        const now = clock.now();
        const self = await requireInviter(transaction, acting, grant);
        const known = await members.findByEmail(transaction, organizationId, email);
        if (known !== undefined && !waitsForAnother(known))
          throw new Problem("conflict", "This person is a member already");
        const by = { accountId: organizationId, actor, occurredAt: now };
        for (const ended of await invitations.endFor(transaction, organizationId, email, now)) {
          requireMayManage(self, ended);
          const target = { type: "invitation", id: ended.id } as const;
          await recordAction(transaction, { ...by, action: "member.invitation_ended", target });
        }
        await requireBounds(transaction, acting, self.role, now);
        const invitation = { ...grant, organizationId, email, invitedBy: personId };
        const isMailed = addInvitationMail !== undefined && (await invitations.mayMail(transaction, invitation, now));
        const made = await invitations.create(transaction, { ...invitation, isMailed }, now);
        const target = { type: "invitation", id: made.invitation.id } as const;
        const details = describeGrant(undefined, grant);
        await recordAction(transaction, { ...by, action: "member.invited", target, details });
        if (made.mailToken !== undefined) await addInvitationMail?.(transaction, made.invitation, made.mailToken);
        if (!rolesOfNamedForms.some((role) => role === grant.role))
          await sendSecurityMail(transaction, {
            ...{ accountId: organizationId, event: "member_invited", by: by.actor, occurredAt: now },
          });
        return { ...made, isMailed };
      }),
    revoke: (acting, id) =>
      database.transaction().execute(async (transaction) => {
        const { organizationId: accountId, actor } = acting;
        const now = clock.now();
        const invitation = await invitations.find(transaction, accountId, id, now);
        if (invitation === undefined) return false;
        await requireInviter(transaction, acting, invitation);
        if (!(await invitations.end(transaction, invitation.id, now))) return false;
        const target = { type: "invitation", id: invitation.id } as const;
        const entry = { accountId, actor, occurredAt: now, target } as const;
        await recordAction(transaction, { ...entry, action: "member.invitation_ended" });
        return true;
      }),
    async list(organizationId) {
      const pending = await invitations.list(organizationId, clock.now());
      const able = (await members.list(organizationId)).filter(({ isDisabled }) => !isDisabled);
      const roles = new Map(able.map(({ personId, role }) => [personId, role]));
      return pending.filter(({ invitedBy, role }) => mayInvite(roles.get(invitedBy), role));
    },
    load,
    async check(token, email) {
      const found = await load(token);
      requireAddress(found, email);
      return found;
    },
    accept: (token, { personId, actor }) =>
      database.transaction().execute(async (transaction) => {
        const now = clock.now();
        const found = await invitations.findByToken(transaction, token, now);
        if (found === undefined) throw invitationUnknown();
        requireAddress(found, (await organizations.findEmail(transaction, personId)) ?? "");
        const accountId = found.organizationId;
        await shareProof(transaction, personId);
        await members.lock(transaction, accountId, found.role === "owner" ? personId : undefined);
        // Only here is it used up: a request that lost a race, or was refused before, has changed nothing.
        if (!(await invitations.end(transaction, found.id, now))) throw invitationUnknown();
        const inviter = await members.findRole(accountId, found.invitedBy, transaction);
        if (!mayInvite(inviter, found.role)) throw invitationUnknown();
        if (found.role === "owner") await requireRoomToOwn(organizations, transaction, personId);
        await requireRoomToJoin(transaction, personId);
        await requireRoomForMember(transaction, accountId);
        const grant = { role: found.role, formIds: found.formIds };
        const addedBy = found.invitedBy;
        const waiting = await members.find(transaction, accountId, personId);
        // A role that was given to an address which they never proved gives way to the one that was given to this address.
        if (waiting !== undefined && waitsForAnother(waiting))
          await members.remove(transaction, accountId, waiting, { madeBy: personId, at: now });
        const membership = { ...grant, organizationId: accountId, personId, since: now, addedBy };
        if (!(await members.add(transaction, membership, { madeBy: addedBy, at: now })))
          throw new Problem("conflict", "You are a member of this organization already");
        const name = (await members.find(transaction, accountId, personId))?.name ?? "";
        const target = { type: "member", id: personId, name } as const;
        const details = describeGrant(undefined, grant);
        await recordAction(transaction, {
          accountId,
          actor,
          action: "member.joined",
          occurredAt: now,
          target,
          details,
        });
        await sendSecurityMail(transaction, { accountId, event: "member_joined", by: actor, occurredAt: now });
        return accountId;
      }),
  };

  async function load(token: string) {
    const found = await invitations.findByToken(database, token, clock.now());
    if (found === undefined) throw invitationUnknown();
    if (!mayInvite(await members.findRole(found.organizationId, found.invitedBy), found.role))
      throw invitationUnknown();
    return found;
  }

  async function requireInviter(
    transaction: DatabaseTransaction,
    { organizationId, personId }: Acting,
    grant: Grant,
  ): Promise<Member> {
    await members.lock(transaction, organizationId);
    const self = await members.find(transaction, organizationId, personId);
    if (self === undefined) throw organizationNone();
    requireMayManage(self, grant);
    return self;
  }

  async function requireBounds(
    transaction: DatabaseTransaction,
    { organizationId, personId }: Acting,
    role: Role,
    now: number,
  ) {
    await requireRoomForMember(transaction, organizationId);
    if ((await invitations.countPending(transaction, organizationId, now)) >= pendingInvitationsMax)
      throw new Problem(
        "conflict",
        `An organization has at most ${pendingInvitationsMax} open invitations. Take one back first.`,
      );
    // An owner's own count alone, as with changes: what others used up, a manager who is gone say, is not in an owner's way.
    const own = role === "owner" ? personId : undefined;
    if ((await invitations.countOfDay(transaction, organizationId, now, own)) >= invitationsPerDay)
      throw new Problem("rate_limited", `An organization makes at most ${invitationsPerDay} invitations within a day`, {
        retryAfter: dayMilliseconds / 24 / 1000,
      });
  }

  async function requireRoomForMember(transaction: DatabaseTransaction, organizationId: AccountId): Promise<void> {
    // Its members must know what becomes of it; who joins now would lose it with them.
    if (await organizations.isEnding(transaction, organizationId)) throw organizationEnding();
    if ((await members.count(transaction, organizationId)) >= membersMax)
      throw new Problem("conflict", `An organization has at most ${membersMax} members`);
  }
}

export function organizationEnding(): Problem {
  return new Problem("conflict", sentences.organization_ending);
}

/** Whether a member was invited at an address that they have not proven, and has another one: nothing that they do gives them the role. */
function waitsForAnother({ email, unprovenAddress }: Member): boolean {
  return unprovenAddress !== undefined && unprovenAddress !== email;
}

/** Whether who made an invitation may still give that role. */
function mayInvite(inviter: Role | undefined, role: Role): boolean {
  return inviter !== undefined && mayManage(inviter, role);
}

/** Used, taken back, too old or made up. */
export function invitationUnknown(): Problem {
  return new Problem(
    "bad_request",
    "This invitation was used or taken back, or is older than 7 days. Ask for a new one.",
  );
}

export function requireAddress({ email }: Pick<Invitation, "email">, address: string): void {
  if (email !== lowerAddress(address))
    throw new Problem("forbidden", "This invitation is for another email address: sign in with that one");
}
