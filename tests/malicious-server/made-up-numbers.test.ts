import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createId, type FormId } from "@sealpost/wire";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import type { CheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  type PlayedPerson,
  type PlayedServer,
  playServer,
} from "../dashboard/played-envelopes.ts";
import { type AgentName, agents, openActor } from "../support/envelope-actors.ts";

// Numbers never fall: what a server makes up once must not be what everybody has to continue from.

const top = 2_147_483_646;
const junk = new Uint8Array(200);

let ada: PlayedPerson;
let key: Awaited<ReturnType<typeof newFormKey>>;
let rotated: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [ada, key, rotated] = await Promise.all([makePerson("Ada"), newFormKey(32), newFormKey(33)]);
});

/** A form with one envelope, that of the versions up to 32, and a device that has seen it. */
async function setUp(agent: AgentName) {
  const server = playServer();
  const formId = createId("form");
  const store = createMemoryStore();
  const browser = openBrowser(server, ada, createHeads(store));
  await findOrFoundList(browser);
  server.keys.push({ version: 32, fingerprint: key.key.fingerprint });
  const list: CheckedList = await loadCheckedList(browser);
  await importKeys(browser, list, formId, [key.key], [], "Vote");
  const device = await openActor(agent, server, ada, rotated, store);
  assert.deepEqual((await device.open(formId)).refused, []);
  return { server, formId, device };
}

/** The server shows bytes of nobody as the newest revision of this envelope, under a number that it likes. */
function showJunk(server: PlayedServer, firstVersion: number, revision: number): void {
  server.lies = {
    listEnvelopes: async () => [...new Set([...server.envelopes.keys(), firstVersion])],
    findNewest: async () => ({ revision, createdAt: 1 }),
    async fetchEnvelope(_: FormId, first: number, asked?: number) {
      if (first === firstVersion && (asked === undefined || asked === revision)) return { file: junk, revision };
      const all = server.envelopes.get(first) ?? [];
      const file = all.at((asked ?? all.length) - 1);
      return file && { file, revision: asked ?? all.length };
    },
  };
}

for (const agent of agents) {
  test(`a rotation into an envelope that the server has made up does not continue from its number, with the key in ${agent}`, async () => {
    const { server, formId, device } = await setUp(agent);
    // Far above what others have seen: nothing.
    for (const revision of [top, 1_048_577, 1_048_576, 65_536]) {
      showJunk(server, 33, revision);
      assert.equal(await device.rotate(formId), "wrong_revision");
    }
    assert.deepEqual([server.keys.length, server.envelopes.has(33)], [1, false], "nothing was sent");
    server.lies = {};
    assert.equal(await device.rotate(formId), "rotated");
    const { keys, refused } = await device.open(formId);
    assert.deepEqual([[...keys.keys()], refused], [[32, 33], []], "it begins the envelope with revision 1");
    assert.equal(server.envelopes.get(33)?.length, 1);
  });

  test(`bringing back does not continue from a number that the server has made up, with the key in ${agent}`, async () => {
    const { server, formId, device } = await setUp(agent);
    for (const revision of [top, 1 + 1_048_577, 1 + 1_048_576, 1 + 65_536]) {
      showJunk(server, 1, revision);
      assert.deepEqual((await device.open(formId)).refused, ["malformed"]);
      assert.equal(await device.bringBack(formId), "nothing");
    }
    assert.equal(server.envelopes.get(1)?.length, 1);
    server.lies = {};
    assert.deepEqual((await device.open(formId)).refused, []);
  });
}

test("the command line rotates to no version far above those of the form's envelope", async () => {
  const { server, formId, device } = await setUp("memory");
  server.lies = { fetchKeys: async () => [...server.keys, { version: 998, fingerprint: "A".repeat(43) }] as never };
  await assert.rejects(device.rotate(formId), /the newest in its envelope is 32/);
  assert.equal(server.keys.length, 1);
});
