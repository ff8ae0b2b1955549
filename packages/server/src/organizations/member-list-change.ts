import { type ListEntry, subjectOf, type Unnamed, type VerifiedList } from "@sealpost/envelope/form";
import { isId } from "@sealpost/wire";
import type { NewAuditEntry } from "../audit-log/audit-entry.ts";

/** The email that the owners get. Somebody with one stolen session could begin a list, or add a recovery key, before anybody looks at it. */
export function eventOf(entry: ListEntry, before: VerifiedList | undefined) {
  if (before === undefined) return "member_list_begun";
  if (isRecovery(entry, before)) return "recovery_key_used";
  const isNewRecoveryKey = isOfKeys(entry) && entry.member.role === "recovery";
  return isNewRecoveryKey ? "recovery_key_made" : "member_list_changed";
}

/** Whether the recovery key gave an owner another key, or made one: not where it vouches for one who is in the list. */
export function isRecovery(entry: ListEntry, before: VerifiedList | undefined): boolean {
  const known = before?.members.get(subjectOf(entry) ?? "");
  return (
    before?.members.get(entry.signedBy)?.role === "recovery" &&
    !(isOfKeys(entry) && isSameKey(known, entry.member) && known?.role === entry.member.role)
  );
}

function isOfKeys(entry: ListEntry): entry is ListEntry & { readonly change: "add" | "replace" } {
  return entry.change === "add" || entry.change === "replace";
}

export function isSameKey(one: Pick<Unnamed, "recipient" | "signingKey"> | undefined, other: Unnamed): boolean {
  return one?.recipient === other.recipient && one.signingKey === other.signingKey;
}

/** The commitment to the name of the member that an entry is about: the one that it has, or the one before. */
export function nameAbout(entry: ListEntry, before: VerifiedList | undefined): string | undefined {
  const commitment = isOfKeys(entry) ? entry.member.name : before?.members.get(subjectOf(entry) ?? "")?.commitment;
  return commitment && String(commitment);
}

/** The target and details of the audit log's entry about it; `name` is that of the member. */
export function describeListEntry(entry: ListEntry, name: string): Partial<NewAuditEntry> {
  const id = subjectOf(entry);
  return {
    target: isId("account", id) ? { type: "member", id, name } : undefined,
    details: {
      changes: [
        { setting: "memberList", from: entry.number - 1, to: entry.number },
        { setting: "listChange", from: null, to: entry.change },
      ],
    },
  };
}
