import assert from "node:assert/strict";
import {
  createListEntry,
  generateReadingKey,
  type NewMember,
  RefusalError,
  sealEnvelope,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import { type Client, createClient, type Form } from "@sealpost/sdk";
import { createId, type FormId } from "@sealpost/wire";
import { encryptTo } from "../../packages/envelope/src/age-file.ts";
import { toFormKey, toSigner } from "../dashboard/played-envelopes.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { type MadePersonalKey, makePersonalKey } from "../support/personal-key.ts";
import { submit } from "../support/submit.ts";

const password = "correct horse battery";
const names = { ada: "Ada Example", bo: "Bo Example" } as const;

export type PersonName = keyof typeof names;

/** A session that was just begun. */
export interface SignedIn {
  readonly id: string;
  readonly client: Client;
  readonly cookie: { readonly name: string; readonly value: string };
}

/** The organization before a flow begins. */
export interface KeyWorld {
  readonly organizationId: string;
  readonly formNames: readonly string[];
  /** The lines of each person's recovery sheet. */
  readonly papers: Readonly<Record<PersonName, readonly string[]>>;
}

export type Beginning =
  | "no key"
  | "key"
  | "member without a list entry"
  | "reader of no form"
  | "reader of all forms"
  /** The newest revision of a form's envelope opens for nobody. */
  | "junk in an envelope"
  /** A program is in the list by the word of somebody who was removed. */
  | "a member whom nobody vouches for";

export async function signIn(url: string, person: PersonName): Promise<SignedIn> {
  return toSession(url, await post(url, "/api/auth/sign-in/email", { email: `${person}@example.com`, password }));
}

async function post(url: string, path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json", origin: url };
  const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (answer.status !== 200) assert.fail(`${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

async function toSession(url: string, opened: Response): Promise<SignedIn> {
  const [name = "", value = ""] = (opened.headers.getSetCookie()[0]?.split(";")[0] ?? "").split("=");
  const { user } = (await opened.json()) as { user: { id: string } }; // contract, section 3.1
  const asked = await fetch(`${url}/api/auth/token`, { headers: { cookie: `${name}=${value}`, origin: url } });
  const { token } = (await asked.json()) as { token: string };
  return { id: user.id, client: createClient({ baseUrl: url, token }), cookie: { name, value } };
}

/** Makes an organization with an owner and a manager, through the API, as far as `beginning` says. */
export async function makeWorld(
  { url, setupToken }: { readonly url: string; readonly setupToken: string | undefined },
  beginning: Beginning,
): Promise<KeyWorld> {
  const signUp = async (person: PersonName) => {
    const body = { name: names[person], email: `${person}@example.com`, password, setupToken };
    return toSession(url, await post(url, "/api/auth/sign-up/email", body));
  };
  const [ownOfAda, ownOfBo] = await Promise.all([makePersonalKey(), makePersonalKey()]);
  const papers = { ada: ownOfAda.sheet.lines, bo: ownOfBo.sheet.lines };
  const ada = await signUp("ada");
  const organizationId = ada.id;
  if (beginning === "no key") return { organizationId, formNames: [], papers };
  await ada.client.personalKey.create(ownOfAda.body as never); // a body of that route
  if (beginning === "key") return { organizationId, formNames: [], papers };

  const bo = await signUp("bo");
  await bo.client.personalKey.create(ownOfBo.body as never);
  const invited = await ada.client.invitations.create({ email: "bo@example.com", role: "manager" });
  await bo.client.invitations.accept(String(invited.url).split("#")[1] ?? "");
  await bo.client.organizations.switchTo(organizationId);
  const list = await addEntry(ada, ownOfAda, undefined, memberOf(ada, ownOfAda, "ada", "owner"));
  const isListed = beginning !== "member without a list entry";
  const member = memberOf(bo, ownOfBo, "bo", "manager");
  const newest = isListed ? await addEntry(ada, ownOfAda, list, member) : list;
  const readers = beginning === "reader of all forms" ? [ada.id, bo.id] : [ada.id];
  for (const name of formNames) await makeForm({ url, ada, own: ownOfAda, list: newest, readers }, name);
  if (beginning === "junk in an envelope") await storeJunk(bo, (await ada.client.forms.list()).forms);
  if (beginning === "a member whom nobody vouches for")
    await leaveProgram(ada, ownOfAda, { ...bo, own: ownOfBo }, newest);
  return { organizationId, formNames, papers };
}

const formNames = ["Works council", "Night shift"];

/** As a manager can: a service can't look inside. */
async function storeJunk({ client }: SignedIn, forms: readonly Pick<Form, "id" | "name">[]): Promise<void> {
  const { id } = forms.find(({ name }) => name === formNames[0]) ?? assert.fail();
  const { file, revision } = (await client.envelopes.getNewest(id, 1)) ?? assert.fail();
  const hash = Buffer.from(await crypto.subtle.digest("SHA-256", file)).toString("base64url");
  const { recipient } = await generateReadingKey();
  await client.envelopes.put(id, 1, await encryptTo([recipient], "nobody's"), { revision, hash });
}

/** The manager brings a program in, and is removed. */
async function leaveProgram(
  ada: SignedIn,
  own: MadePersonalKey,
  manager: SignedIn & { readonly own: MadePersonalKey },
  list: VerifiedList,
): Promise<void> {
  const { recipient } = await generateReadingKey();
  const program = { id: createId("account"), name: programName, role: "program", recipient, signingKey: null } as const;
  const signer = await toSigner({ id: manager.id, key: manager.own.key });
  const added = await createListEntry(list, ada.id, { change: "add", member: program }, signer);
  await manager.client.memberList.add(added, list.head);
  const newest = await fetchList(ada, own);
  const removal = { change: "remove", member: { id: manager.id } } as const;
  await ada.client.members.remove(manager.id);
  const removed = await createListEntry(newest, ada.id, removal, await toSigner({ id: ada.id, key: own.key }));
  await ada.client.memberList.add(removed, newest.head);
}

export const programName = "Reports";

function memberOf(
  { id }: SignedIn,
  { key: { recipient, signingKey } }: MadePersonalKey,
  person: PersonName,
  role: "owner" | "manager",
): NewMember {
  return { id, name: names[person], role, recipient, signingKey };
}

async function addEntry(
  ada: SignedIn,
  own: MadePersonalKey,
  list: VerifiedList | undefined,
  member: NewMember,
): Promise<VerifiedList> {
  const signer = await toSigner({ id: ada.id, key: own.key });
  const entry = await createListEntry(list, ada.id, { change: "add", member }, signer);
  await ada.client.memberList.add(entry, list?.head);
  return fetchList(ada, own);
}

async function fetchList(ada: SignedIn, own: MadePersonalKey): Promise<VerifiedList> {
  const bytes = (await ada.client.memberList.get()) ?? assert.fail();
  const trust = { signingKey: own.key.signingKey };
  const verified = await verifyList(bytes, {
    organizationId: ada.id,
    trust,
    names: await ada.client.memberList.names(),
  });
  return verified instanceof RefusalError ? assert.fail(verified.reason) : verified;
}

interface FormParts {
  readonly url: string;
  readonly ada: SignedIn;
  readonly own: MadePersonalKey;
  readonly list: VerifiedList;
  readonly readers: readonly string[];
}

/** A form with a submission. */
async function makeForm({ url, ada, own, list, readers: readerIds }: FormParts, name: string): Promise<void> {
  const { client, id } = ada;
  const formId = (await client.forms.reserve()).formId as FormId; // ids of forms, by the API's document
  const { pair, key } = await toFormKey(takeKeyPair(), 1);
  const signer = await toSigner({ id, key: own.key });
  const { file } = await sealEnvelope({ list, signer, formId, readerIds, keys: [key] });
  const form = await client.forms.create({ formId, name, publicKey: pair.publicKey, envelope: file });
  await submit({ url }, form, { vote: `the oldest row of ${name}` });
}
