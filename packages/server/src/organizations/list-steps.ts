import {
  type ListEntry,
  type NameText,
  RefusalError,
  subjectOf,
  takesRight,
  type VerifiedList,
  verifyNextEntry,
} from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { DatabaseTransaction } from "../database/database.ts";
import { Problem } from "../problems/problem.ts";
import type { AdmissionStore } from "./admission-store.ts";
import type { ListNameStore } from "./list-name-store.ts";
import type { MemberListStore, StoredHead } from "./member-list-store.ts";
import type { OrganizationStore } from "./organization-store.ts";
import { hasRecoveryKey, recoveryKeyNeeded } from "./recovery-rule.ts";
import type { VerifiedLists } from "./verified-lists.ts";

export interface ListStepDependencies {
  readonly organizations: OrganizationStore;
  readonly memberLists: MemberListStore;
  readonly listNames: ListNameStore;
  readonly verifiedLists: VerifiedLists;
  readonly admissionStore: AdmissionStore;
}

/** An entry that may be added, between the list before it and the one with it. */
export interface ListStep {
  readonly text: string;
  readonly before: VerifiedList | undefined;
  readonly list: VerifiedList;
  readonly entry: ListEntry;
  /** The bytes of the list with the entry. */
  readonly bytes: number;
  /** The name that it commits to, unless the list has it. */
  readonly line: NameText | undefined;
}

export function throwNoStep(): never {
  throw new Error("A request has one entry at least");
}

/** Checks an entry beyond the list's own rules, and gives the line of its name. */
type CheckEntry = (
  entry: ListEntry,
  list: VerifiedList,
  before: VerifiedList | undefined,
) => Promise<NameText | undefined>;

/** Entries that are added to a stored list, one after the other. */
export function createListSteps({
  organizations,
  memberLists,
  listNames,
  verifiedLists,
  admissionStore,
}: ListStepDependencies) {
  return { verify, store };

  /** Each verified after the one before, with the bytes of the list that ends with it. */
  async function verify(
    { organizationId, personId }: { readonly organizationId: AccountId; readonly personId: AccountId },
    head: StoredHead | undefined,
    entries: readonly string[],
    checkEntry: CheckEntry,
  ): Promise<readonly ListStep[]> {
    const steps: ListStep[] = [];
    let before = head && (await verifiedLists.load(organizationId, head, personId));
    let bytes = head?.bytes ?? 0;
    for (const text of entries) {
      const entryBytes = Buffer.from(text);
      bytes += entryBytes.length;
      const { list, entry } = await verifyEntry(before, organizationId, entryBytes);
      steps.push({ text, before, list, entry, bytes, line: await checkEntry(entry, list, before) });
      before = list;
    }
    return steps;
  }

  async function store(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    { text, before, list, entry, bytes, line }: ListStep,
    addedAt: number,
  ): Promise<void> {
    const isLastGone = hasRecoveryKey(before) && !hasRecoveryKey(list);
    if (isLastGone && (await organizations.requiresRecovery(organizationId, transaction))) throw recoveryKeyNeeded();
    const memberId = subjectOf(entry);
    const added = { ...list.head, bytes, entry: text, memberId, signerId: entry.signedBy, addedAt };
    await memberLists.add(transaction, organizationId, added);
    // The entry has used them up, or overtaken them.
    if (memberId !== undefined) {
      await admissionStore.endOf(transaction, organizationId, memberId, addedAt);
      if (takesRight(before?.members.get(memberId), list.members.get(memberId)))
        await admissionStore.endAdding(transaction, organizationId, new Set(list.members.keys()), addedAt);
    }
    await keepName(transaction, organizationId, entry, list, line);
  }

  async function keepName(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    entry: ListEntry,
    list: VerifiedList,
    line: NameText | undefined,
  ): Promise<void> {
    const memberId = subjectOf(entry);
    if (memberId === undefined && entry.change !== "name") return;
    const commitment = memberId === undefined ? line?.commitment : list.members.get(memberId)?.commitment;
    await listNames.keep(transaction, organizationId, { memberId, commitment: commitment && String(commitment), line });
  }

  async function verifyEntry(before: VerifiedList | undefined, organizationId: AccountId, bytes: Uint8Array) {
    const verified = await verifyNextEntry(before, organizationId, bytes);
    if (verified instanceof RefusalError)
      throw new Problem("bad_request", `The list of members can't take this entry. ${verified.message}.`);
    return verified;
  }
}
