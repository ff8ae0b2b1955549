import { type Doubts, findDoubts, findUnintroduced, type Member, mayRead, type Role } from "@sealpost/envelope";
import type { Member as ServerMember } from "@sealpost/sdk";
import type { OpenedForm, OpenedFormEnvelope } from "../envelopes/open-form.ts";
import { shownName } from "../texts/shown-name.ts";

/** Somebody who reads the form, or could. Names, roles and keys are those of the signed list. */
export interface ReaderRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** `some`: not all of the form's envelopes. `other_key`: they left the list, or got another key, since the envelope was made for them. `gone`: they may read no longer. */
  readonly reads: "all" | "some" | "none" | "other_key" | "gone";
  /** By the server, which nobody has to believe: whether their role lets them fetch this form's submissions. `undefined`: it says nothing about them. */
  readonly hasAccess: boolean | undefined;
  /** Names of others that look the same, and what the member alone has set: it wants to be compared before anything is sealed. */
  readonly alike: readonly string[];
  readonly ownWord: Doubts["ownWord"];
  /** Nobody put them there who may do so now. */
  readonly isUnproven: boolean;
  /** They read the form's newest envelope and not the one before, and nobody is known to have put them there: the next revision leaves them out. */
  readonly isUnknown: boolean;
}

/** The doubts about members of the list as readers of this form. */
export function findReaderDoubts({ list: { list }, envelopes }: Pick<OpenedForm, "list" | "envelopes">) {
  const doubtsOf = findDoubts(list);
  const unproven = new Set(envelopes.flatMap(({ head }) => findUnintroduced(list, head)));
  const unknown = new Set(envelopes.flatMap((envelope) => envelope.unknown));
  return (member: Member) => ({
    ...doubtsOf(member),
    ...{ isUnproven: unproven.has(member.id), isUnknown: unknown.has(member.id) },
  });
}

/** All who read the form's envelopes, and all members of the list who may, by their names. */
export function toReaderRows(
  members: ReadonlyMap<string, Member>,
  envelopes: readonly Pick<OpenedFormEnvelope, "readers" | "outdated">[],
  granted: readonly Pick<ServerMember, "id" | "role" | "forms">[],
  formId: string,
  doubtsOf: (member: Member) => Doubts & Partial<Pick<ReaderRow, "isUnproven" | "isUnknown">>,
): readonly ReaderRow[] {
  const access = (id: string) => ({ hasAccess: findAccess(granted, id, formId) });
  const able = [...members.values()].filter(mayRead);
  const gone = envelopes
    .flatMap(({ readers }) => readers)
    .filter(({ id }, index, all) => all.findIndex((one) => one.id === id) === index)
    .filter(({ id }) => !able.some((member) => member.id === id));
  const rows = [
    ...able.map((member): ReaderRow => {
      const { id, role } = member;
      const { alike, ownWord, isUnproven = false, isUnknown = false } = doubtsOf(member);
      const reads = findReads(envelopes, id);
      const doubts = { alike: alike.map(shownName), ownWord, isUnproven, isUnknown };
      return { id, name: shownName(member), role, reads, ...doubts, ...access(id) };
    }),
    ...gone.map(({ id, name }): ReaderRow => {
      const role = members.get(id)?.role ?? "reader";
      const doubts = { alike: [], ownWord: [], isUnproven: false, isUnknown: false };
      return { id, name: shownName({ id, name }), role, reads: "gone", ...doubts, ...access(id) };
    }),
  ];
  return rows.toSorted((one, other) => one.name.localeCompare(other.name) || (one.id < other.id ? -1 : 1));
}

function findReads(
  envelopes: readonly Pick<OpenedFormEnvelope, "readers" | "outdated">[],
  id: string,
): ReaderRow["reads"] {
  const reading = envelopes.filter(({ readers }) => readers.some((reader) => reader.id === id));
  if (reading.length === 0) return "none";
  if (reading.some(({ outdated }) => outdated.includes(id))) return "other_key";
  return reading.length === envelopes.length ? "all" : "some";
}

function findAccess(
  granted: readonly Pick<ServerMember, "id" | "role" | "forms">[],
  id: string,
  formId: string,
): boolean | undefined {
  const member = granted.find((one) => one.id === id);
  if (member === undefined) return undefined;
  if (member.role === "developer" || member.role === "auditor") return false;
  return member.forms === null || member.forms.includes(formId);
}
