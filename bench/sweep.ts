import "../packages/dashboard/testing/with-texts.ts";
/**
 * `npm run bench -- sweep`: a reader is added to 200 forms, with the dashboard's own code against a real service on this machine, and taken out
 * of them again; begun again where nothing is to do; and stopped in the middle and continued. In Node, so without the rendering.
 */
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import {
  createListEntry,
  generatePersonalKey,
  importSigningKey,
  type Role,
  sealEnvelope,
  toFormKey,
} from "@sealpost/envelope";
import { createClient } from "@sealpost/sdk";
import { createEnvelopeApi, createKeyAgent, createListApi } from "@sealpost/sdk/envelopes";
import { createId, type FormId, generateKeyPair } from "@sealpost/wire";
import type { EnvelopeApi, EnvelopeContext } from "../packages/dashboard/src/envelopes/context.ts";
import { createMemoryStore } from "../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList, loadList } from "../packages/dashboard/src/envelopes/load-list.ts";
import { changeReaders, type ReaderChange } from "../packages/dashboard/src/envelopes/sweep.ts";
import { createTestService } from "../packages/server/src/testing/test-service.ts";
import { describeMachine } from "./machine.ts";

const { values } = parseArgs({
  options: { forms: { type: "string", default: "200" }, readers: { type: "string", default: "10" } },
});
const formCount = Number(values.forms);
const readerCount = Number(values.readers);

const closers: (() => unknown)[] = [];
const after = { after: (close: () => unknown) => closers.push(close) } as never; // all that it uses of a test
const service = await createTestService(after, { environment: { SEALPOST_API_RATE: "0" } });
const account = await service.signUp();
let requests = 0;
const client = createClient({
  baseUrl: service.url,
  token: account.token,
  fetch: (...request) => {
    requests++;
    return fetch(...request);
  },
});
const key = await generatePersonalKey();
const signer = { id: account.id, signingKey: await importSigningKey(key.signingSeed) };
const api: EnvelopeApi = {
  ...createEnvelopeApi(client),
  ...createListApi(client),
  fetchSignedHead: async () => undefined,
  storeSignedHead: async () => undefined,
  reserveForm: () => Promise.reject(new Error("A sweep does not ask for this")),
};
const context: EnvelopeContext = {
  organizationId: account.id,
  personId: account.id,
  personName: "Ada",
  isOwner: true,
  own: { recipient: key.recipient, signingKey: key.signingKey },
  heads: createHeads(createMemoryStore()),
  api,
  keyAgent: createKeyAgent(key),
  requireOrganization: async () => undefined,
  loadList() {
    return loadCheckedList(this);
  },
};

let isFounded = false;

/** Adds a member to the list: the owner first, then programs, which need no account. */
async function addMember(member: {
  id: string;
  name: string;
  role: Role;
  recipient: string;
  signingKey: string | null;
}) {
  const loaded = isFounded ? await loadList(context) : undefined;
  const list = loaded?.kind === "checked" ? loaded.list : undefined;
  const entry = await createListEntry(list, account.id, { change: "add", member }, signer);
  await client.memberList.add(entry, list?.head);
  isFounded = true;
}

await addMember({ id: account.id, name: "Ada", role: "owner", recipient: key.recipient, signingKey: key.signingKey });
const programs = Array.from({ length: readerCount }, () => createId("account"));
for (const id of programs) {
  const { recipient } = await generatePersonalKey();
  await addMember({ id, name: `Program ${id}`, role: "program", recipient, signingKey: null });
}
const [added = "", ...others] = programs;
const loaded = await loadList(context);
if (loaded.kind !== "checked") throw new Error("The list was just written");
const pair = await generateKeyPair();
const formKey = await toFormKey(1, pair.privateKey);
const formIds: FormId[] = [];
for (let index = 0; index < formCount; index++) {
  const formId = (await client.forms.reserve()).formId as FormId; // ids of forms, by the API's document
  const readerIds = [account.id, ...others];
  const { file } = await sealEnvelope({ list: loaded.list, signer, formId, readerIds, keys: [formKey] });
  await client.forms.create({ formId, name: `Form ${index}`, publicKey: pair.publicKey, envelope: file });
  formIds.push(formId);
}

async function run(name: string, change: ReaderChange, stopAt?: number): Promise<void> {
  const stop = new AbortController();
  requests = 0;
  const start = performance.now();
  const results = await changeReaders(context, formIds, change, {
    signal: stop.signal,
    onProgress: ({ done }) => done === stopAt && stop.abort(),
  });
  const seconds = (performance.now() - start) / 1000;
  const count = (kind: string) => results.filter((result) => result.kind === kind).length;
  console.log(
    `| ${name} | ${count("changed")} | ${count("unchanged")} | ${count("stopped")} | ${count("failed")} | ${requests} | ${seconds.toFixed(1)} |`,
  );
}

console.log(`${describeMachine()}; ${formCount} forms, ${readerCount} readers each\n`);
console.log("| sweep | changed | unchanged | stopped | failed | requests | seconds |\n|---|---|---|---|---|---|---|");
await run("add a reader", { add: [added], remove: [] });
await run("the same once more", { add: [added], remove: [] });
await run("take the reader out, stopped in the middle", { add: [], remove: [added] }, Math.floor(formCount / 2));
await run("the same, continued", { add: [], remove: [added] });
for (const close of closers.reverse()) await close();
