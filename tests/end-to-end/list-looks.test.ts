import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey, type ListHead, ownerOf } from "@sealpost/envelope";
import { createClient } from "@sealpost/sdk";
import {
  checkList,
  createEnvelopeApi,
  createEnvelopeWriter,
  createKeyAgent,
  createListApi,
  toListToCheck,
} from "@sealpost/sdk/envelopes";
import { createHeadFile } from "@sealpost/sdk/head-file";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { extendList } from "../../packages/server/src/organizations/testing/long-list.ts";
import {
  createFounder,
  fetchList,
  signEntry,
} from "../../packages/server/src/organizations/testing/test-member-list.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";

const entries = 3000;

interface Look {
  readonly head: ListHead;
  /** Verified. */
  readonly signatures: number;
  /** The bodies of all answers together. */
  readonly bytes: number;
}

const isEntry = (data: Uint8Array | ArrayBuffer) => new TextDecoder().decode(data).startsWith("sealpost-list/1\n");

type Agent = "the command line" | "the dashboard";

/** An owner with a list of 3,000 entries. `look`: what one start of the command line does, or one page of the dashboard. */
async function setUp(t: Parameters<typeof createTestService>[0], agent: Agent) {
  const service = await createTestService(t);
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  await extendList(service.database, owner.account.id, owner.signer, { change: "note" }, entries);
  let bytes = 0;
  const client = createClient({
    baseUrl: service.url,
    token: owner.account.token,
    async fetch(...request) {
      const response = await fetch(...request);
      bytes += (await response.clone().arrayBuffer()).byteLength;
      return response;
    },
  });
  const folder = await mkdtemp(join(tmpdir(), "sealpost-looks-"));
  t.after(() => rm(folder, { recursive: true }));
  const heads = join(folder, "personal.heads.json");
  const lists = new Map<string, unknown>();
  const browserStore = {
    ...createMemoryStore(),
    lists: {
      find: async (id: string) => lists.get(id),
      keep: async (id: string, text: string | undefined) => void lists.set(id, text),
    },
  };
  const identity = formatPersonalKey(owner.key);
  const context = (): EnvelopeContext => ({
    organizationId: owner.account.id,
    personId: owner.account.id,
    personName: "Owner",
    isOwner: true,
    own: owner.key,
    heads: createHeads(browserStore),
    api: {
      ...createEnvelopeApi(client),
      ...createListApi(client),
      fetchSignedHead: async () => undefined,
      storeSignedHead: async () => undefined,
      reserveForm: () => assert.fail(),
    },
    keyAgent: createKeyAgent(owner.key),
    requireOrganization: async () => undefined,
    loadList() {
      return loadCheckedList(this);
    },
  });
  const load = {
    async "the command line"() {
      return (await createEnvelopeWriter({ client, identity, heads: createHeadFile(heads) })).loadList();
    },
    async "the dashboard"() {
      const browser = context();
      const list = await browser.loadList();
      // As `postMessage` gives it to the worker.
      await checkList(structuredClone(toListToCheck(list)));
      return list.list;
    },
  } as const satisfies Record<Agent, unknown>;
  const look = async (): Promise<Look> => {
    const { subtle } = crypto;
    const verify = subtle.verify.bind(subtle);
    let signatures = 0;
    bytes = 0;
    subtle.verify = (...given: Parameters<typeof verify>) => {
      // The service, which is in this process, has other things to verify.
      if (isEntry(given[3] as Uint8Array)) signatures += 1;
      return verify(...given);
    };
    try {
      const { head } = await load[agent]();
      return { head, signatures, bytes };
    } finally {
      Reflect.deleteProperty(subtle, "verify"); // what is left is the platform's own
    }
  };
  const forget = async () => {
    lists.clear();
    await rm(`${heads}.${await ownerOf(owner.key.recipient)}_${owner.account.id}.list`, {
      force: agent === "the dashboard",
    });
  };
  return { owner, look, forget };
}

for (const agent of ["the command line", "the dashboard"] as const)
  test(`${agent} looks at a list of 3,000 entries again: no signature is verified and nothing is fetched; of one that was added, one`, async (t) => {
    const { owner, look, forget } = await setUp(t, agent);
    const first = await look();
    assert.deepEqual([first.head.number, first.signatures], [entries, entries]);
    assert.ok(first.bytes > 1_100_000 && first.bytes < 1_500_000, `${first.bytes} bytes: the list, once`);

    const second = await look();
    assert.deepEqual([second.head, second.signatures, second.bytes], [first.head, 0, 0]);

    const list = await fetchList(owner);
    await owner.client.memberList.add(await signEntry(owner, list, { change: "note" }), list.head);
    const third = await look();
    assert.deepEqual([third.head.number, third.signatures], [entries + 1, 1]);
    assert.ok(third.bytes > 0 && third.bytes < 2000, `${third.bytes} bytes: two entries`);

    await forget();
    const again = await look();
    assert.deepEqual([again.head, again.signatures], [third.head, entries + 1]);
    assert.deepEqual((await look()).bytes, 0);
  });
