import { bech32 } from "@scure/base";
import { encodeBase64Url } from "@sealpost/wire";
import { identityToRecipient } from "age-encryption";
import { derive } from "../../../wire/src/testing/opening-vectors.ts";
import type { Signer } from "../list.ts";
import type { NewMember, Role } from "../member.ts";
import type { PersonalKey } from "../personal-key.ts";
import { hybridIdentityOf } from "../recipient.ts";
import { deriveRecoveryKey } from "../recovery-key.ts";
import { importSigningKey, signingKeyOf } from "../signature.ts";

/** Who appears in the vectors: the last characters of the id, and the role. */
const people = {
  owner: { suffix: "a1", role: "owner" },
  "second owner": { suffix: "a2", role: "owner" },
  manager: { suffix: "b1", role: "manager" },
  reader: { suffix: "c1", role: "reader" },
  "second reader": { suffix: "c2", role: "reader" },
  developer: { suffix: "d1", role: "developer" },
  program: { suffix: "e1", role: "program" },
  recovery: { suffix: "f1", role: "recovery" },
  stranger: { suffix: "g1", role: "owner" },
  "hybrid owner": { suffix: "h1", role: "owner" },
  "hybrid reader": { suffix: "h2", role: "reader" },
  "hybrid recovery": { suffix: "h3", role: "recovery" },
  "signing recovery": { suffix: "j1", role: "recovery" },
} as const satisfies Record<string, { suffix: string; role: Role }>;

export type Person = keyof typeof people;
/** A person, or that person with a key made later. */
export type KeyName = Person | `${Person}, second key`;

export const personNames = Object.keys(people) as readonly Person[]; // the keys of `people`

export const keyNames: readonly KeyName[] = [...personNames, "reader, second key", "hybrid owner, second key"]; // the keys of `people`

export const organizationId = "acc_01hk153x00e5rbcwg8rxcnh8w0";
export const otherOrganizationId = "acc_01hk153x00e5rbcwg8rxcnh8w1";

/** The personal key of a name: everything in it follows from the name, so everybody has it. */
export async function createPersonalKey(name: KeyName): Promise<PersonalKey> {
  const bytes = await derive("identity", name, 32);
  const seed = encodeBase64Url(await derive("person seed", name, 32));
  if (name === "signing recovery")
    return { ...(await deriveRecoveryKey(hybridIdentityOf(bytes))), seed, extensions: {} };
  const identity = hybridIdentityOf(bytes);
  const signingSeed = encodeBase64Url(await derive("signing seed", name, 32));
  const recipient = await identityToRecipient(identity);
  return { identity, recipient, signingSeed, signingKey: await signingKeyOf(signingSeed), seed, extensions: {} };
}

/** An identity of X25519 alone, which no list and no envelope has. */
export async function curveIdentityOf(name: string): Promise<string> {
  return bech32.encodeFromBytes("age-secret-key-", await derive("identity", name, 32)).toUpperCase();
}

const made = new Map<KeyName, Promise<PersonalKey>>();

export function findPersonalKey(name: KeyName): Promise<PersonalKey> {
  const key = made.get(name) ?? createPersonalKey(name);
  made.set(name, key);
  return key;
}

export function idOf(person: Person): string {
  return `usr_01hk153x00e5rbcwg8rxcnh8${people[person].suffix}`;
}

export async function toMember(person: Person, key: KeyName = person): Promise<NewMember & { readonly name: string }> {
  const { recipient, signingKey } = await findPersonalKey(key);
  const { role } = people[person];
  const isSigner = role !== "program" && (role !== "recovery" || person === "signing recovery");
  return { id: idOf(person), name: person, role, recipient, signingKey: isSigner ? signingKey : null };
}

export async function toSigner(person: Person, key: KeyName = person): Promise<Signer> {
  return { id: idOf(person), signingKey: await importSigningKey((await findPersonalKey(key)).signingSeed) };
}

/** vectors/personal-keys.json. */
export async function personalKeyVectors(): Promise<Readonly<Record<string, Omit<PersonalKey, "extensions">>>> {
  const keys = keyNames.map(async (name) => {
    const { extensions: _, ...key } = await findPersonalKey(name);
    return [name, key] as const;
  });
  return Object.fromEntries(await Promise.all(keys));
}
