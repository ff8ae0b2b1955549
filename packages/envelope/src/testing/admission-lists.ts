import { type ListHead, type Signer, type VerifiedList, verifyList } from "../list.ts";
import type { Change } from "../list-entry.ts";
import type { NewMember, Role } from "../member.ts";
import { createListEntryWith } from "../next-entry.ts";
import { importSigningKey } from "../signature.ts";
import { createNameLine } from "./name-lines.ts";
import { findPersonalKey, type KeyName, organizationId } from "./people.ts";

/** A list of vectors/admissions.json, and the head from which it is trusted. */
export interface AdmissionList {
  readonly organizationId: string;
  readonly list: string;
  readonly head: ListHead;
}

export const ids = {
  founder: "acc_01hk153x00e5rbcwg8rxcnh8a1",
  manager: "acc_01hk153x00e5rbcwg8rxcnh8b1",
  newcomer: "acc_01hk153x00e5rbcwg8rxcnh8n1",
  other: "acc_01hk153x00e5rbcwg8rxcnh8n2",
} as const;
type PersonName = keyof typeof ids;

const otherOrganizationId = "acc_01hk153x00e5rbcwg8rxcnh8z1";

export async function asMember(
  person: PersonName,
  role: Role,
  key: KeyName,
): Promise<NewMember & { readonly name: string }> {
  const { recipient, signingKey } = await findPersonalKey(key);
  return { id: ids[person], name: person, role, recipient, signingKey };
}

export async function asSigner(person: PersonName, key: KeyName): Promise<Signer> {
  return { id: ids[person], signingKey: await importSigningKey((await findPersonalKey(key)).signingSeed) };
}

/** Lists by what has happened in them. The first two entries are always the founder and a manager. */
export async function admissionLists() {
  const founder = await asSigner("founder", "hybrid owner");
  const manager = await asSigner("manager", "hybrid reader");
  const founded: readonly Signed[] = [
    [{ change: "add", member: await asMember("founder", "owner", "hybrid owner") }, founder],
    [{ change: "add", member: await asMember("manager", "manager", "hybrid reader") }, founder],
  ];
  const managed: readonly Signed[] = [
    ...founded,
    [{ change: "add", member: await asMember("other", "manager", "stranger") }, founder],
  ];
  const otherBecomes = async (role: Role, key: KeyName = "stranger") =>
    make([...managed, [{ change: "replace", member: await asMember("other", role, key) }, founder]]);
  const otherLeaves: Signed = [{ change: "remove", member: { id: ids.other } }, founder];
  const joinsUnsigned = async (role: "program" | "recovery"): Promise<Signed> => [
    { change: "add", member: { ...(await asMember("other", role, "stranger")), signingKey: null } },
    founder,
  ];
  const joins: Signed = [{ change: "add", member: await asMember("newcomer", "reader", "reader") }, manager];
  const managerReads: Signed = [
    { change: "replace", member: await asMember("manager", "reader", "hybrid reader") },
    founder,
  ];
  const make = async (entries: readonly Signed[], of = organizationId) => createTestList(entries, of);
  return {
    two: await make(founded),
    "another joined": await make([
      ...founded,
      [{ change: "add", member: await asMember("other", "reader", "stranger") }, manager],
    ]),
    "another joined with it": await make([
      ...founded,
      [
        {
          ...{ change: "add", member: await asMember("other", "reader", "stranger") },
          admission: { id: "adm_01hk153x00e5rbcwg8rxcnh8w9", maker: ids.manager },
        },
        manager,
      ],
    ]),
    "newcomer joined": await make([...founded, joins]),
    "newcomer joined and left": await make([
      ...founded,
      joins,
      [{ change: "remove", member: { id: ids.newcomer } }, manager],
    ]),
    "manager left": await make([...founded, [{ change: "remove", member: { id: ids.manager } }, founder]]),
    "manager is a reader": await make([...founded, managerReads]),
    "newcomer joined, and the manager is a reader": await make([...founded, joins, managerReads]),
    "manager has another key": await make([
      ...founded,
      [{ change: "replace", member: await asMember("manager", "manager", "second owner") }, manager],
    ]),
    "two managers": await make(managed),
    "the other manager left": await make([...managed, otherLeaves]),
    "the other manager left by themself": await make([
      ...managed,
      [{ change: "remove", member: { id: ids.other } }, await asSigner("other", "stranger")],
    ]),
    "the other manager left and came back": await make([...managed, otherLeaves, ...managed.slice(-1)]),
    "the other manager is a reader": await otherBecomes("reader"),
    "the other manager is an auditor": await otherBecomes("auditor"),
    "the other manager is an owner": await otherBecomes("owner"),
    "the other manager has another key": await otherBecomes("manager", "second owner"),
    "a program joined": await make([...founded, await joinsUnsigned("program")]),
    "a program left": await make([...founded, await joinsUnsigned("program"), otherLeaves]),
    "a recovery key joined": await make([...founded, await joinsUnsigned("recovery")]),
    "a recovery key that signs joined": await make([
      ...founded,
      [{ change: "add", member: await asMember("other", "recovery", "stranger") }, founder],
    ]),
    "a recovery key left": await make([...founded, await joinsUnsigned("recovery"), otherLeaves]),
    "another of the same length": await make([
      ...founded.slice(0, 1),
      [{ change: "add", member: await asMember("other", "manager", "hybrid reader") }, founder],
    ]),
    "another organization": await make(founded, otherOrganizationId),
  };
}

export type AdmissionLists = Awaited<ReturnType<typeof admissionLists>>;
export type AdmissionListName = keyof AdmissionLists;

type Signed = readonly [Change, Signer];

async function createTestList(
  entries: readonly Signed[],
  of: string,
): Promise<VerifiedList & { readonly text: string }> {
  let text = "";
  let list: VerifiedList | undefined;
  for (const [change, signer] of entries) {
    const now = Date.UTC(2026, 10, 22, 8);
    text += (await createListEntryWith(createNameLine, list, of, change, signer, now)).entry;
    const [first = ""] = text.split("\n");
    const { member } = JSON.parse(first) as { readonly member: NewMember }; // the founder, as just written
    list = await verifyTestList(text, of, { signingKey: member.signingKey ?? "" });
  }
  if (list === undefined) throw new Error("A list has entries");
  return Object.assign(list, { text });
}

export async function verifyTestList(
  text: string,
  of: string,
  trust: { readonly head: ListHead } | { readonly signingKey: string },
): Promise<VerifiedList> {
  const list = await verifyList(new TextEncoder().encode(text), { organizationId: of, trust });
  if ("reason" in list) throw list;
  return list;
}
