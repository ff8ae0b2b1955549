import assert from "node:assert/strict";
import {
  type Change,
  createListEntry,
  fetchPages,
  generatePersonalKey,
  importSigningKey,
  type ListHead,
  RefusalError,
  type Role,
  type SignedEntry,
  type SigningKeys,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import { createClient } from "@sealpost/sdk";
import type { TestAccount, TestService } from "../../testing/test-service.ts";

/** A person with a personal key, who acts for an organization by the client that other programs use. */
export async function createSigner(service: TestService, account: TestAccount, organizationId = account.id) {
  const key = await generatePersonalKey();
  const signer = { id: account.id, signingKey: await importSigningKey(key.signingSeed) };
  const client = createClient({ baseUrl: service.url, token: account.token });
  return { account, key, signer, client, organizationId };
}

export type Signer = Awaited<ReturnType<typeof createSigner>>;
/** A signer, or somebody with a recovery key in the place of their own. */
export type Reader = Omit<Signer, "key"> & { readonly key: SigningKeys };

export function toMember({ account, key }: Pick<Reader, "account" | "key">, role: Role) {
  const { recipient, signingKey } = key;
  return { id: account.id, name: `Name of ${role}`, role, recipient, signingKey };
}

/** A program's: it has no signing key. */
export function toProgram(id: string, { recipient }: SigningKeys) {
  return { id, name: "Receiver", role: "program", recipient, signingKey: null } as const;
}

export function signEntry(by: Signer, list: VerifiedList | undefined, change: Change): Promise<SignedEntry> {
  return createListEntry(list, by.organizationId, change, by.signer);
}

const none = new Uint8Array();

/** The organization's list as this person gets it, verified from a head that they have seen, or else from their own key. */
export async function fetchList(by: Reader, seen?: ListHead): Promise<VerifiedList> {
  const { memberList } = by.client;
  const bytes =
    (await fetchPages((entry) => (entry === undefined ? memberList.get() : memberList.page(entry)))) ?? none;
  const trust = seen === undefined ? { signingKey: by.key.signingKey } : { head: seen };
  const names = await by.client.memberList.names();
  const list = await verifyList(bytes, { organizationId: by.organizationId, trust, names });
  assert.ok(!(list instanceof RefusalError), String(list));
  return list;
}

/** An owner with the first entry of a list. */
export async function createFounder(service: TestService, account: TestAccount): Promise<Signer> {
  const owner = await createSigner(service, account);
  const entry = await signEntry(owner, undefined, { change: "add", member: toMember(owner, "owner") });
  await owner.client.memberList.add(entry, undefined);
  return owner;
}

/** An entry without the names that it commits to. */
export const asEntry = (entry: string): SignedEntry => ({ entry, names: [] });

/** The answer of the service: `200`, or the status and the code of the refusal. */
export async function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "200",
    (error: { readonly status?: number; readonly reason?: string }) => `${error.status} ${error.reason ?? error}`,
  );
}
