import type { PersonalKey, Role } from "@sealpost/envelope";
import { toFormKey } from "@sealpost/envelope";
import { encodeBase64Url, type KeyPair } from "@sealpost/wire";
import { createPersonalKey, type KeyName } from "../../packages/envelope/src/testing/people.ts";
import { takeKeyPair } from "../support/key-pairs.ts";

/** Ada founds the organization, and is honest; the puppet does what somebody dishonest wants; who has the recovery key only reads. */
const suffixes = {
  ada: "a1",
  ole: "a2",
  mo: "b1",
  nia: "b2",
  rea: "c1",
  rob: "c2",
  puppet: "d1",
  paper: "f1",
} as const;

export type Name = keyof typeof suffixes;
export const names = Object.keys(suffixes) as readonly Name[]; // its keys
export const idOf = (name: Name) => `usr_01hk153x00e5rbcwg8rxcnh8${suffixes[name]}`;
export const nameOf = (id: string) => names.find((name) => idOf(name) === id);

export const startRoles: Readonly<Partial<Record<Name, Role>>> = {
  ...{ ada: "owner", ole: "owner", mo: "manager", nia: "manager", rea: "reader", rob: "reader", paper: "recovery" },
};
/** Who reads the form at first. */
export const startReaders: readonly Name[] = ["ada", "ole", "mo", "nia", "rea", "paper"];

/** Keys that each person may have, one after the other. */
export const generations = 3;
const personalKeys = new Map<string, Promise<PersonalKey>>();

export function keyOf(name: Name, generation: number): Promise<PersonalKey> {
  const text = `${name}, key ${generation} of a walk`;
  // Any text names a key.
  const key = personalKeys.get(text) ?? createPersonalKey(text as KeyName);
  personalKeys.set(text, key);
  return key;
}

const pairs: readonly KeyPair[] = Array.from({ length: 16 }, () => takeKeyPair());
const formKeys = new Map<string, ReturnType<typeof makeFormKey>>();

/** The form's key of a version, or another one that somebody dishonest has made for it. */
export function formKeyOf(version: number, isOther = false) {
  const name = `${version} ${isOther}`;
  const made = formKeys.get(name) ?? makeFormKey(version, isOther);
  formKeys.set(name, made);
  return made;
}

async function makeFormKey(version: number, isOther: boolean) {
  const pair = pairs[(2 * version + Number(isOther)) % pairs.length];
  if (pair === undefined) throw new Error("There are no key pairs");
  const seed = encodeBase64Url(new Uint8Array(32).fill(version % 128).fill(Number(isOther), 0, 1));
  return { pair, key: await toFormKey(version, pair.privateKey, null, seed) };
}
