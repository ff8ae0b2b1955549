import type { AccountId } from "@sealpost/wire";
import type { AuditActor } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import type { MovedMembers } from "../mail/mail.ts";
import { endMade } from "./end-made.ts";
import { listLeftWebhooks } from "./left-webhooks.ts";
import {
  findGone,
  findNames,
  findNewestChange,
  listChanges,
  listConcerned,
  type Membership,
} from "./member-change-store.ts";
import { endMembership, type MemberChangeDependencies } from "./member-changes.ts";
import { decideUndo, findMembersBefore, listDeciding, type MembersBefore, type Mover } from "./members-before.ts";
import { describeGrant, isOther, type Member } from "./organization.ts";

export interface UndoChanges {
  /** `undo` wants the rights in each of them locked, and their rows. */
  listConcerned(transaction: DatabaseTransaction, personId: AccountId, since: number): Promise<readonly AccountId[]>;
  /**
   * Takes back what somebody in a person's account has done to members of organizations, with what others did by rights that came from
   * them, where no owner is left who could (`members-before.ts`). Where one is, nobody's membership changes, and these owners get an email
   * with what they may want to put right. Ends the invitations and admissions that the person made. The locks are taken (`listConcerned`).
   * Returns the organizations of the first kind.
   */
  undo(transaction: DatabaseTransaction, move: Mover, actor: AuditActor): Promise<ReadonlySet<AccountId>>;
  /**
   * Until when the person may owe their role as an owner to a thief, as far as moves tell: of their own account, or of those by which they
   * became an owner. Undoing one brings members back, and no form.
   */
  findSuspectedUntil(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    personId: AccountId,
  ): Promise<number | undefined>;
}

/** The moves, undone or not, of people who changed members of the organization, and of the person; none that is over. */
export type ListMoves = (
  transaction: DatabaseTransaction,
  organizationId: AccountId,
  personId: AccountId,
) => Promise<readonly (Mover & { readonly suspectedUntil: number })[]>;

export interface UndoChangesDependencies extends MemberChangeDependencies {
  readonly listMoves: ListMoves;
}

interface Scope {
  readonly organizationId: AccountId;
  readonly actor: AuditActor;
}

/** Changes are noted as the mover's: a later replay leaves them out with the rest, and finds them again. An operator's would count. */
interface MadeScope extends Scope {
  readonly madeBy: AccountId;
}

/** Members whose membership would be another one without the mover, and the owners who can decide about it. */
interface Differing {
  readonly owners: readonly AccountId[];
  readonly differing: readonly (readonly [AccountId, Membership | undefined])[];
  readonly current: ReadonlyMap<AccountId, Member>;
}

/** How many members an email names, those who were or are owners first; of the others it says how many they are. */
const shownMax = 30;

const answersMax = 1000;

function findSince(moves: readonly Mover[]): number {
  return moves.reduce((earliest, { since }) => Math.min(earliest, since), Number.POSITIVE_INFINITY);
}

/**
 * The last answers, each by all that it depends on. Reading and replaying a history takes up to some tenths of a second, and who is refused
 * asks again for nothing: only another change, or another move, makes it be read once more.
 */
function createAnswers() {
  const known = new Map<string, number | undefined>();
  return {
    async find(key: string, ask: () => Promise<number | undefined>): Promise<number | undefined> {
      if (known.has(key)) return known.get(key);
      const answer = await ask();
      const oldest = known.keys().next();
      if (known.size >= answersMax && oldest.done !== true) known.delete(oldest.value);
      known.set(key, answer);
      return answer;
    },
  };
}

export function createUndoChanges(dependencies: UndoChangesDependencies): UndoChanges {
  const { members, sendSecurityMail, clock, listMoves } = dependencies;
  const answers = createAnswers();

  return {
    listConcerned,
    async undo(transaction, move, actor) {
      const { personId, since } = move;
      const unowned = new Set<AccountId>();
      const now = clock.now();
      for (const organizationId of await listConcerned(transaction, personId, since))
        if (await undoIn(transaction, { organizationId, actor }, move)) unowned.add(organizationId);
      for (const { id: organizationId } of await members.listOf(personId, transaction))
        await endMade(transaction, dependencies, { organizationId, actor }, { personId, role: undefined }, now);
      return unowned;
    },
    async findSuspectedUntil(transaction, organizationId, personId) {
      const all = await listMoves(transaction, organizationId, personId);
      if (all.length === 0) return undefined;
      const asking = await members.find(transaction, organizationId, personId);
      const newest = await findNewestChange(transaction, organizationId);
      return answers.find(JSON.stringify([organizationId, personId, asking, newest, all]), async () => {
        const current = await listCurrent(transaction, organizationId);
        const changes = await listChanges(transaction, organizationId, findSince(all));
        // The latest first: nothing is asked about the others once one was found.
        const suspecting = all
          .toSorted((one, other) => other.suspectedUntil - one.suspectedUntil)
          .find((undone) => {
            const without = findMembersBefore(changes, current, { undone, all });
            const mover = undone.undoneAt === undefined ? undone.personId : undefined;
            return !listDeciding(without, current, mover).includes(personId);
          });
        return suspecting?.suspectedUntil;
      });
    },
  };

  /** Moves that can only still be undone are nobody's word: who would undo one may as well want it. */
  async function listUndone(...asked: Parameters<ListMoves>): Promise<readonly Mover[]> {
    return (await listMoves(...asked)).filter(({ undoneAt }) => undoneAt !== undefined);
  }

  async function listCurrent(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
  ): Promise<ReadonlyMap<AccountId, Member>> {
    return new Map((await members.list(organizationId, transaction)).map((member) => [member.personId, member]));
  }

  /** Whether no owner is left who can decide. */
  async function undoIn(transaction: DatabaseTransaction, scope: Scope, move: Mover): Promise<boolean> {
    const { organizationId } = scope;
    const current = await listCurrent(transaction, organizationId);
    const all = await listUndone(transaction, organizationId, move.personId);
    const changes = await listChanges(transaction, organizationId, findSince([move, ...all]));
    const decision = decideUndo(changes, current, { undone: move, all }, await findGone(transaction, changes));
    if (decision.kind === "restored") await restore(transaction, { ...scope, madeBy: move.personId }, decision.members);
    if (decision.kind !== "left") return true;
    const differing = [...decision.members].filter(([one, before]) => isOther(before, current.get(one)));
    if (differing.length > 0) await tellOwners(transaction, scope, move, { differing, current, ...decision });
    return false;
  }

  async function tellOwners(
    transaction: DatabaseTransaction,
    { organizationId: accountId, actor }: Scope,
    { personId, since }: Mover,
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

  async function restore(transaction: DatabaseTransaction, scope: MadeScope, before: MembersBefore): Promise<void> {
    const wanted = [...before];
    // Owners come first, so that there is one when others go: the decision says that there is one, in whatever state their account is.
    const isOwner = ([, to]: (typeof wanted)[number]) => to?.role === "owner";
    for (const [one, to] of [...wanted.filter(isOwner), ...wanted.filter((one) => !isOwner(one))])
      if (to === undefined) await takeOut(transaction, scope, one);
      else await bringBack(transaction, scope, one, to);
  }

  async function takeOut(transaction: DatabaseTransaction, scope: MadeScope, personId: AccountId): Promise<void> {
    const member = await members.find(transaction, scope.organizationId, personId);
    if (member === undefined) return;
    await endMembership(transaction, dependencies, scope, member, "member.removed");
  }

  async function bringBack(
    transaction: DatabaseTransaction,
    scope: MadeScope,
    personId: AccountId,
    { role, formIds, since, addedBy, unprovenAddress }: Membership,
  ): Promise<void> {
    const { organizationId: accountId, actor, madeBy } = scope;
    const at = clock.now();
    const member = await members.find(transaction, accountId, personId);
    const grant = { role, formIds };
    const details = describeGrant(member, grant);
    if (!isOther(member, grant)) return;
    const by = { madeBy, at };
    if (member === undefined)
      await members.add(
        transaction,
        { organizationId: accountId, personId, ...grant, since, addedBy, unprovenAddress },
        by,
      );
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
    const { length: count } = await listLeftWebhooks(transaction, accountId, personId, grant);
    await sendSecurityMail(transaction, { accountId, event, by: actor, occurredAt: at, count });
  }
}
