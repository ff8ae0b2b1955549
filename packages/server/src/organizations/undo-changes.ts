import type { AccountId } from "@sealpost/wire";
import type { AuditActor } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { lockRightsOf } from "../database/right-lock.ts";
import type { MovedMembers } from "../mail/mail.ts";
import { endMade } from "./end-made.ts";
import { findGone, findNames, listChangedBy, listChanges, type Membership } from "./member-change-store.ts";
import { endMembership, type MemberChangeDependencies } from "./member-changes.ts";
import { decideUndo, findMembersBefore, listDeciding, type MembersBefore, type Mover } from "./members-before.ts";
import { describeGrant, type Grant, type Member } from "./organization.ts";

/** The undone move; `since`: from when on what was done in the account is suspected. */
export type UndoneMove = Mover & { readonly since: number };

export interface UndoChanges {
  /**
   * Takes back what somebody in a person's account has done to members of organizations, with what others did by rights that came from
   * them, where no owner is left who could (`members-before.ts`). Where one is, nobody's membership changes, and these owners get an email
   * with what they may want to put right. Ends the invitations and admissions that the person made. The person's rights are locked.
   * Returns the organizations of the first kind.
   */
  undo(transaction: DatabaseTransaction, move: UndoneMove, actor: AuditActor): Promise<ReadonlySet<AccountId>>;
  /** Whether the person would own the organization also if the other one, whose move could be undone, had changed nothing in it. */
  isOwnerWithout(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    personId: AccountId,
    move: UndoneMove,
  ): Promise<boolean>;
}

interface Scope {
  readonly organizationId: AccountId;
  readonly actor: AuditActor;
}

/** Members whose membership would be another one without the mover, and the owners who can decide about it. */
interface Differing {
  readonly owners: readonly AccountId[];
  readonly differing: readonly (readonly [AccountId, Membership | undefined])[];
  readonly current: ReadonlyMap<AccountId, Member>;
}

/** How many members an email names, those who were or are owners first; of the others it says how many they are. */
const shownMax = 30;

function isOther(from: Grant | undefined, to: Grant | undefined): boolean {
  return describeGrant(from, to).changes.some((one) => JSON.stringify(one.from) !== JSON.stringify(one.to));
}

export function createUndoChanges(dependencies: MemberChangeDependencies): UndoChanges {
  const { members, sendSecurityMail, clock } = dependencies;

  return {
    async undo(transaction, move, actor) {
      const { personId, since } = move;
      const unowned = new Set<AccountId>();
      const now = clock.now();
      const own = (await members.listOf(personId, transaction)).map(({ id }) => id);
      const changed = await listChangedBy(transaction, personId, since);
      for (const organizationId of [...new Set([...own, ...changed])].toSorted()) {
        for (const one of new Set(
          (await listChanges(transaction, organizationId, since)).map((change) => change.personId),
        ))
          if (one !== personId) await lockRightsOf(transaction, one, organizationId);
        await members.lock(transaction, organizationId);
        if (await undoIn(transaction, { organizationId, actor }, move)) unowned.add(organizationId);
      }
      for (const { id: organizationId } of await members.listOf(personId, transaction)) {
        await members.lock(transaction, organizationId);
        await endMade(transaction, dependencies, { organizationId, actor }, { personId, role: undefined }, now);
      }
      return unowned;
    },
    async isOwnerWithout(transaction, organizationId, personId, move) {
      const current = await listCurrent(transaction, organizationId);
      const without = findMembersBefore(await listChanges(transaction, organizationId, move.since), current, move);
      return listDeciding(without, current, move).includes(personId);
    },
  };

  async function listCurrent(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
  ): Promise<ReadonlyMap<AccountId, Member>> {
    return new Map((await members.list(organizationId, transaction)).map((member) => [member.personId, member]));
  }

  /** Whether no owner is left who can decide. */
  async function undoIn(transaction: DatabaseTransaction, scope: Scope, move: UndoneMove): Promise<boolean> {
    const { organizationId } = scope;
    const current = await listCurrent(transaction, organizationId);
    const changes = await listChanges(transaction, organizationId, move.since);
    const decision = decideUndo(changes, current, move, await findGone(transaction, changes));
    if (decision.kind === "restored") await restore(transaction, scope, decision.members);
    if (decision.kind !== "left") return true;
    const differing = [...decision.members].filter(([one, before]) => isOther(before, current.get(one)));
    if (differing.length > 0) await tellOwners(transaction, scope, move, { differing, current, ...decision });
    return false;
  }

  async function tellOwners(
    transaction: DatabaseTransaction,
    { organizationId: accountId, actor }: Scope,
    { personId, since }: UndoneMove,
    { owners, differing, current }: Differing,
  ): Promise<void> {
    const isOwners = ([one, before]: (typeof differing)[number]) =>
      [before, current.get(one)].some((member) => member?.role === "owner");
    const shown = differing
      .toSorted((one, other) => Number(isOwners(other)) - Number(isOwners(one)))
      .slice(0, shownMax);
    const names = await findNames(transaction, [personId, ...shown.map(([one]) => one)]);
    const moved: MovedMembers = {
      address: names.get(personId)?.email ?? "",
      since,
      members: shown.map(([one, before]) => ({
        address: names.get(one)?.email ?? "",
        ...{ before: before?.role ?? null, now: current.get(one)?.role ?? null },
      })),
      more: differing.length - shown.length,
    };
    const occurredAt = clock.now();
    const target = { type: "member", id: personId, name: names.get(personId)?.name ?? "" } as const;
    const action = "member.address_move_undone";
    await recordAction(transaction, { accountId, actor, action, occurredAt, target, count: differing.length });
    for (const owner of owners)
      await sendSecurityMail(transaction, { accountId: owner, event: "member_move_undone", occurredAt, moved });
  }

  async function restore(transaction: DatabaseTransaction, scope: Scope, before: MembersBefore): Promise<void> {
    const wanted = [...before];
    // Owners come first, so that there is one when others go: the decision says that there is one, in whatever state their account is.
    const isOwner = ([, to]: (typeof wanted)[number]) => to?.role === "owner";
    for (const [one, to] of [...wanted.filter(isOwner), ...wanted.filter((one) => !isOwner(one))])
      if (to === undefined) await takeOut(transaction, scope, one);
      else await bringBack(transaction, scope, one, to);
  }

  async function takeOut(transaction: DatabaseTransaction, scope: Scope, personId: AccountId): Promise<void> {
    const { organizationId, actor } = scope;
    const member = await members.find(transaction, organizationId, personId);
    if (member === undefined) return;
    const by = { organizationId, actor, madeBy: undefined };
    await endMembership(transaction, dependencies, by, member, "member.removed");
  }

  async function bringBack(
    transaction: DatabaseTransaction,
    scope: Scope,
    personId: AccountId,
    { role, formIds, since, addedBy }: Membership,
  ): Promise<void> {
    const { organizationId: accountId, actor } = scope;
    const at = clock.now();
    const member = await members.find(transaction, accountId, personId);
    const grant = { role, formIds };
    const details = describeGrant(member, grant);
    if (!isOther(member, grant)) return;
    const by = { madeBy: undefined, at };
    if (member === undefined)
      await members.add(transaction, { organizationId: accountId, personId, ...grant, since, addedBy }, by);
    else {
      await members.change(transaction, member, accountId, grant, by);
      await endMade(transaction, dependencies, { organizationId: accountId, actor }, { personId, role }, at);
    }
    const name = (await members.find(transaction, accountId, personId))?.name ?? "";
    const target = { type: "member", id: personId, name } as const;
    const [action, event] =
      member === undefined
        ? (["member.joined", "member_joined"] as const)
        : (["member.changed", "member_changed"] as const);
    await recordAction(transaction, { accountId, actor, action, occurredAt: at, target, details });
    await sendSecurityMail(transaction, { accountId, event, occurredAt: at });
  }
}
