import {
  type AdmissionTerms,
  admissionMilliseconds,
  RefusalError,
  type VerifiedList,
  verifyAdmissionTerms,
} from "@sealpost/envelope/form";
import { type AccountId, isId } from "@sealpost/wire";
import { organizationNone } from "../access/access.ts";
import { mayManage } from "../access/roles.ts";
import type { NewAuditEntry } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { lowerAddress } from "../authentication/email-address.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import {
  endSlackMilliseconds,
  openAdmissionsMax,
  refusalsMax,
  roleOf,
  type StoredAdmission,
  type StoredAnswer,
  termsOf,
} from "./admission.ts";
import type { AdmissionStore } from "./admission-store.ts";
import { type Acting, requireMayManage } from "./member-changes.ts";
import type { MemberListStore } from "./member-list-store.ts";
import type { MemberStore } from "./member-store.ts";
import type { Member } from "./organization.ts";
import type { VerifiedLists } from "./verified-lists.ts";

export interface AdmissionDependencies {
  readonly database: Database;
  readonly members: MemberStore;
  readonly memberLists: MemberListStore;
  readonly verifiedLists: VerifiedLists;
  readonly admissions: AdmissionStore;
  readonly sendSecurityMail: SendSecurityMail;
  readonly clock: Clock;
}

/** Offers to bring people into the signed list, and their answers. The service checks what it can; its clients believe it nothing. */
export interface Admissions {
  /** Replaces one for the same person. The same again is answered as before. */
  create(acting: Acting, terms: string): Promise<StoredAdmission>;
  /** The admissions whose maker may still bring that person in, the oldest first. */
  list(organizationId: AccountId): Promise<readonly StoredAdmission[]>;
  load(organizationId: AccountId, id: string): Promise<StoredAdmission>;
  revoke(acting: Acting, id: string): Promise<void>;
  /** An answer that the person who was meant did not give. After ten of them the offer ends. */
  refuse(acting: Acting, id: string): Promise<void>;
  /** The admissions for the person, in whatever organization their session acts, the newest first. */
  listOwn(person: Person, organizationIds: readonly AccountId[]): Promise<readonly StoredAdmission[]>;
  /** For its person, in whatever organization their session acts. */
  loadOwn(person: Person, id: string): Promise<StoredAdmission>;
  answer(person: Person, id: string, answer: StoredAnswer["answer"]): Promise<void>;
}

export type Person = Pick<Acting, "personId" | "actor">;

export function createAdmissions(dependencies: AdmissionDependencies): Admissions {
  const { database, members, admissions, sendSecurityMail, clock } = dependencies;

  return {
    async create(acting, text) {
      const list = await loadList(acting);
      const { terms } = await verify(text, list);
      const now = clock.now();
      const endsAt = Date.parse(terms.endsAt);
      const isOwn = (await members.findPresentId(terms.signedBy)) === acting.personId;
      refuseInvalid({
        terms: isOwn ? undefined : "Must be terms that you have signed yourself, for this organization",
        ...(endsAt > now + admissionMilliseconds + endSlackMilliseconds && { terms: "Must end within 7 days" }),
      });
      return inTransaction(acting, async (transaction, self) => {
        const same = await findSame(transaction, terms.admissionId, text, now);
        if (same !== undefined) return same;
        await requireMayBringIn(transaction, acting.organizationId, self, terms);
        const before = await admissions.list(transaction, acting.organizationId, now);
        for (const one of before.filter((other) => isForSame(other, terms))) {
          requireMayManage(self, { role: roleOf(termsOf(one)) });
          await end(transaction, acting, one, now);
        }
        if (before.filter((other) => !isForSame(other, terms)).length >= openAdmissionsMax)
          throw new Problem(
            "conflict",
            `An organization brings in at most ${openAdmissionsMax} people at once. Take a link back first.`,
          );
        const admission = {
          ...{ id: terms.admissionId, organizationId: acting.organizationId, personId: toPersonId(terms), terms: text },
          ...{ email: lowerAddress(terms.email), madeBy: acting.personId, createdAt: now, endsAt },
        };
        await admissions.add(transaction, admission);
        const details = { changes: [{ setting: "role", from: null, to: terms.role }] };
        await record(transaction, acting, admission, { action: "admission.made", details });
        return { ...admission, refusals: 0, answer: undefined };
      });
    },
    list: async (organizationId) => filterAble(await admissions.list(database, organizationId, clock.now())),
    load: async (organizationId, id) => requireIn(organizationId, await admissions.find(database, id, clock.now())),
    revoke: (acting, id) =>
      inTransaction(acting, async (transaction, self) => {
        const found = requireIn(acting.organizationId, await admissions.find(transaction, id, clock.now()));
        requireMayManage(self, { role: roleOf(termsOf(found)) });
        await end(transaction, acting, found, clock.now());
      }),
    refuse: (acting, id) =>
      inTransaction(acting, async (transaction, self) => {
        const found = requireIn(acting.organizationId, await admissions.find(transaction, id, clock.now()));
        requireMayManage(self, { role: roleOf(termsOf(found)) });
        if (found.answer === undefined) throw new Problem("conflict", "There is no answer to refuse");
        await admissions.refuse(transaction, id);
        await record(transaction, acting, found, { action: "admission.answer_refused" });
        if (found.refusals + 1 >= refusalsMax) await end(transaction, acting, found, clock.now());
      }),
    async listOwn(person, organizationIds) {
      const own: StoredAdmission[] = [];
      // One or two in each organization; of those that are open for anybody there may be thousands.
      for (const one of await admissions.listFor(person.personId, organizationIds, clock.now()))
        if (await isOwn(database, person, one)) own.push(one);
      return own.toSorted((one, other) => other.createdAt - one.createdAt);
    },
    loadOwn: async (person, id) => requireOwn(database, person, await admissions.find(database, id, clock.now())),
    answer: (person, id, answer) =>
      database.transaction().execute(async (transaction) => {
        const now = clock.now();
        const found = await requireOwn(transaction, person, await admissions.find(transaction, id, now));
        const { organizationId } = found;
        await members.lock(transaction, organizationId);
        // Read again: it may have ended while this one waited.
        const { answer: before } = await requireOwn(transaction, person, await admissions.find(transaction, id, now));
        // A request that was sent twice.
        if (before?.answer === answer) return;
        await admissions.answer(transaction, id, { answer, personId: person.personId, answeredAt: now });
        const acting = { ...person, organizationId };
        await record(transaction, acting, { ...found, personId: person.personId }, { action: "admission.answered" });
        await sendSecurityMail(transaction, {
          accountId: organizationId,
          event: "admission_answered",
          by: person.actor,
          occurredAt: now,
        });
      }),
  };

  async function loadList({ organizationId, personId }: Acting): Promise<VerifiedList> {
    const head = await dependencies.memberLists.findHead(organizationId);
    if (head === undefined) throw new Problem("not_found", "This organization has no signed list of members yet");
    return dependencies.verifiedLists.load(organizationId, head, personId);
  }

  async function verify(text: string, list: VerifiedList) {
    const verified = await verifyAdmissionTerms(text, list, clock.now());
    if (verified instanceof RefusalError)
      throw new Problem("bad_request", `This can't bring anybody into the list of members. ${verified.message}.`);
    return verified;
  }

  /** Holds the organization, and decides on what is there then. */
  function inTransaction<Result>(
    { organizationId, personId }: Acting,
    work: (transaction: DatabaseTransaction, self: Member) => Promise<Result>,
  ): Promise<Result> {
    return database.transaction().execute(async (transaction) => {
      await members.lock(transaction, organizationId);
      const self = await members.find(transaction, organizationId, personId);
      if (self === undefined) throw organizationNone();
      return work(transaction, self);
    });
  }

  async function findSame(transaction: DatabaseTransaction, id: string, text: string, now: number) {
    const terms = await admissions.findTerms(transaction, id);
    if (terms === undefined) return undefined;
    const found = terms === text ? await admissions.find(transaction, id, now) : undefined;
    if (found === undefined) throw new Problem("conflict", "Another admission has this id: make a new one");
    return found;
  }

  async function requireMayBringIn(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    self: Member,
    terms: AdmissionTerms,
  ): Promise<void> {
    requireMayManage(self, { role: roleOf(terms) });
    const personId = toPersonId(terms);
    const person = personId && (await members.find(transaction, organizationId, personId));
    const isMember = terms.person === null || person !== undefined;
    refuseInvalid({
      terms: isMember
        ? undefined
        : "Must be for a member of this organization, or for the address of somebody who is about to join",
    });
    if (person) requireMayManage(self, person);
  }

  async function end(transaction: DatabaseTransaction, acting: Acting, admission: StoredAdmission, now: number) {
    await admissions.end(transaction, admission.id, now);
    await record(transaction, acting, admission, { action: "admission.ended" });
  }

  async function record(
    transaction: DatabaseTransaction,
    { organizationId: accountId, actor }: Acting,
    { personId, ...admission }: Pick<StoredAdmission, "personId" | "terms">,
    entry: Pick<NewAuditEntry, "action" | "details">,
  ): Promise<void> {
    const target = personId && ({ type: "member", id: personId, name: termsOf(admission).name } as const);
    await recordAction(transaction, { ...entry, accountId, actor, occurredAt: clock.now(), target });
  }

  /** The admissions whose maker may still give that role: as with invitations. */
  async function filterAble(list: readonly StoredAdmission[]): Promise<readonly StoredAdmission[]> {
    const able: StoredAdmission[] = [];
    for (const one of list) if (await isAble(database, one)) able.push(one);
    return able;
  }

  async function isAble(target: Database | DatabaseTransaction, admission: StoredAdmission): Promise<boolean> {
    const maker = await members.find(target, admission.organizationId, admission.madeBy);
    return maker !== undefined && !maker.isDisabled && mayManage(maker.role, roleOf(termsOf(admission)));
  }

  async function requireOwn(
    target: Database | DatabaseTransaction,
    person: Person,
    admission: StoredAdmission | undefined,
  ): Promise<StoredAdmission> {
    if (admission === undefined || !(await isOwn(target, person, admission))) throw admissionNotFound();
    return admission;
  }

  async function isOwn(
    target: Database | DatabaseTransaction,
    { personId }: Person,
    admission: StoredAdmission,
  ): Promise<boolean> {
    if (admission.personId !== undefined && admission.personId !== personId) return false;
    const self = await members.find(target, admission.organizationId, personId);
    const isFor =
      admission.personId === personId || (self !== undefined && admission.email === lowerAddress(self.email));
    const isProven = self?.unprovenAddress === undefined;
    return self !== undefined && isProven && isFor && (await isAble(target, admission));
  }
}

function requireIn(organizationId: AccountId, admission: StoredAdmission | undefined): StoredAdmission {
  if (admission?.organizationId !== organizationId) throw admissionNotFound();
  return admission;
}

export function admissionNotFound(): Problem {
  return new Problem(
    "not_found",
    "This link has ended, was used, or is for another account: sign in with the one that it is for, or ask for a new link",
  );
}

function toPersonId({ person }: AdmissionTerms): AccountId | undefined {
  return isId("account", person) ? person : undefined;
}

function isForSame({ personId, email }: StoredAdmission, terms: AdmissionTerms): boolean {
  return personId === undefined || terms.person === null
    ? email === lowerAddress(terms.email)
    : personId === terms.person;
}
