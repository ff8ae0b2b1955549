import assert from "node:assert/strict";
import {
  type Change,
  createListEntry,
  type ListHead,
  ownerOf,
  RefusalError,
  type Role,
  sealEnvelope,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import { type Client, type CreatedForm, createClient } from "@sealpost/sdk";
import { createId, type FormId } from "@sealpost/wire";
import type { BrowserContextOptions, Page } from "playwright-core";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import type { TestAccount, TestService } from "../../packages/server/src/testing/test-service.ts";
import type { Dashboard } from "../dashboard/dashboard.ts";
import { toFormKey, toSigner } from "../dashboard/played-envelopes.ts";
import { takeKeyPair } from "./key-pairs.ts";
import { type MadePersonalKey, makePersonalKey } from "./personal-key.ts";
import { submit } from "./submit.ts";

/** Somebody with an account on the real service and a key of their own, whose sheet the test has. */
export interface Person {
  readonly account: TestAccount;
  readonly client: Client;
  readonly own: MadePersonalKey;
}

/** Gives an account a key of its own, made elsewhere. */
export async function equip(service: Pick<TestService, "url">, account: TestAccount): Promise<Person> {
  const own = await makePersonalKey();
  const { status, body } = await account.request("POST", "/api/account/personal-key", own.body);
  assert.equal(status, 200, JSON.stringify(body));
  return { account, own, client: createClient({ baseUrl: service.url, token: account.token }) };
}

/** Ada, who has a key of her own and an organization without a list. */
export async function makeAda(service: TestService): Promise<Person> {
  return equip(service, await service.signUp("ada@example.com", "Ada Example"));
}

/** Ada with a signed list, and a form that she alone reads, with one submission. */
export async function makeAdaWithForm(
  service: TestService,
  vote = "the oldest row",
): Promise<{ readonly ada: Person; readonly form: CreatedForm }> {
  const ada = await makeAda(service);
  await beginList(ada);
  const form = await makeSealedForm(ada, "Works council");
  await submit(service, form, { vote });
  return { ada, form };
}

/** A reader of the form by the server's roles, who has a key of their own and is not in the list. */
export async function makeReader(
  service: TestService,
  ada: Person,
  form: { readonly id: string },
  name: "Bo Example" | "Cleo" = "Bo Example",
): Promise<Person> {
  const email = `${name.split(" ")[0]?.toLowerCase()}@example.com`;
  return equip(service, await addPerson(service, ada.account, email, { role: "reader", forms: [form.id] }, name));
}

/** Begins the signed list of the person's own organization, with them as its owner. */
export async function beginList(founder: Person): Promise<void> {
  await addEntry(founder, undefined, { change: "add", member: await toListed(founder, "owner") });
}

/** Adds somebody to the list of the founder's organization, as if they had come by a link. */
export async function addToList(founder: Person, person: Person, role: Role): Promise<void> {
  await addEntry(founder, await findList(founder), { change: "add", member: await toListed(person, role) });
}

/** Takes somebody out of the list of the founder's organization. */
export async function removeFromList(founder: Person, { account: { id } }: Person): Promise<void> {
  await addEntry(founder, await findList(founder), { change: "remove", member: { id } });
}

/** A program that somebody's key has let into the list. Gives its id. */
export async function addProgram(founder: Person, name: string, recipient: string): Promise<string> {
  const id = createId("account");
  const member = { id, name, role: "program", recipient, signingKey: null } as const;
  await addEntry(founder, await findList(founder), { change: "add", member });
  return id;
}

async function toListed({ account, client, own: { key } }: Person, role: Role) {
  const { name } = await client.account.get();
  return { id: account.id, name, role, recipient: key.recipient, signingKey: key.signingKey };
}

async function addEntry(founder: Person, list: VerifiedList | undefined, change: Change): Promise<void> {
  const { id } = founder.account;
  const signer = await toSigner({ id, key: founder.own.key });
  await founder.client.memberList.add(await createListEntry(list, id, change, signer), list?.head);
}

/** The list of the founder's organization as the server has it, checked. */
export async function findList({ account, client, own }: Person): Promise<VerifiedList> {
  const bytes = (await client.memberList.get()) ?? assert.fail();
  const trust = { signingKey: own.key.signingKey };
  const names = await client.memberList.names();
  const list = await verifyList(bytes, { organizationId: account.id, trust, names });
  return list instanceof RefusalError ? assert.fail(list.reason) : list;
}

/** A form that the founder reads, and these others. */
export async function makeSealedForm(
  founder: Person,
  name: string,
  others: readonly Pick<Person, "account">[] = [],
): Promise<CreatedForm> {
  const { id } = founder.account;
  const signer = await toSigner({ id, key: founder.own.key });
  const formId = (await founder.client.forms.reserve()).formId as FormId; // ids of forms, by the API's document
  const { pair, key } = await toFormKey(takeKeyPair(), 1);
  const { file } = await sealEnvelope({
    list: await findList(founder),
    signer,
    formId,
    formName: name,
    readerIds: [id, ...others.map(({ account }) => account.id)],
    keys: [key],
  });
  return founder.client.forms.create({ formId, name, publicKey: pair.publicKey, envelope: file });
}

/** A browser of this person, in which nobody else is signed in, and which has sealed something for the organization before with the person's key. */
export async function openBrowserOf(
  person: Pick<Person, "account"> & Partial<Pick<Person, "own">>,
  dashboard: Dashboard,
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await openNewBrowserOf(person, dashboard, options);
  const { id: personId, request } = person.account;
  const { body } = await request("GET", "/api/organizations");
  const current = body.organizations?.find((one: { current: boolean }) => one.current);
  if (current !== undefined && person.own !== undefined)
    await putHead(page, `${await ownerOf(person.own.key.recipient)} organizations of ${personId}`, {
      meant: current.id,
      known: [{ id: current.id, names: [current.name] }],
    });
  return page;
}

/** The same, where the browser has sealed nothing yet: it asks about the organization before it does. */
export async function openNewBrowserOf(
  { account }: Pick<Person, "account">,
  dashboard: Dashboard,
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await dashboard.open("/sign-in", options);
  const [name = "", value = ""] = account.cookie.split("=");
  const { url } = dashboard.service;
  await page.context().addCookies([{ name, value, url, sameSite: "Lax", httpOnly: true }]);
  return page;
}

/** Has a browser see a person's key as theirs, so that what was seen with it counts while it is locked too. */
export async function rememberKey(page: Page, { account, own }: Pick<Person, "account" | "own">): Promise<void> {
  const { recipient, signingKey } = own.key;
  await putHead(page, `person ${account.id}`, { recipient, signingKey });
}

/** Leaves the head of an organization's list in a browser of this person's, as the link of an admission does. */
export async function rememberHead(
  page: Page,
  { own }: Pick<Person, "own">,
  organizationId: string,
  head: ListHead,
): Promise<void> {
  await putHead(page, `${await ownerOf(own.key.recipient)} list ${organizationId}`, head);
}

function putHead(page: Page, name: string, head: unknown): Promise<void> {
  return page.evaluate(
    async ([name, value]) => {
      const settled = <Result>(request: IDBRequest<Result>) =>
        new Promise<Result>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const opening = indexedDB.open("sealpost-heads");
      opening.onupgradeneeded = () => opening.result.createObjectStore("heads");
      const database = await settled(opening);
      await settled(database.transaction("heads", "readwrite").objectStore("heads").put(value, name));
      database.close();
    },
    [name, head] as const,
  );
}

/** Everything that pages sent, as text, to look for what must not leave a browser. */
export interface SentRequests {
  readonly requests: readonly string[];
  record(page: Page): Page;
  all(): string;
}

export function recordRequests(): SentRequests {
  const requests: string[] = [];
  return {
    requests,
    record(page) {
      page.on("request", (request) => requests.push(`${request.url()} ${request.postData() ?? ""}`));
      return page;
    },
    all: () => requests.join("\n"),
  };
}
