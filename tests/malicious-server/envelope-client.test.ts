import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type FormKey, generatePersonalKey } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import type { EnvelopeApi } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  type PlayedPerson,
  type PlayedServer,
  playServer,
  toMember,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { type Actor, type AgentName, agents, openActor } from "../support/envelope-actors.ts";
import { samplePairs } from "../support/sample.ts";

// The one envelope client, with the key in a worker and in memory, asked to work with a server in bad hands.

let [ada, bo, cy]: readonly PlayedPerson[] = [];
let key: FormKey;
let rotated: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [ada, bo, cy] = await Promise.all([makePerson("Ada"), makePerson("Bo"), makePerson("Cy")]);
  key = (await newFormKey(1)).key;
  rotated = await newFormKey(2);
});

/** Ada's form, which Bo reads, and her program, which has seen its newest revision, the third. */
async function setUp(agent: AgentName) {
  assert.ok(ada && bo && cy);
  const server = playServer();
  const store = createMemoryStore();
  const browser = openBrowser(server, ada, createHeads(store));
  await findOrFoundList(browser);
  const formId = createId("form");
  server.keys.push({ version: 1, fingerprint: key.fingerprint });
  await importKeys(browser, await loadCheckedList(browser), formId, [key], [], "Vote");
  for (const person of [bo, cy]) {
    server.list.push(
      await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(person, "reader") }),
    );
    await changeReaders(browser, [formId], { add: [person.id], remove: [] });
  }
  const actor = await openActor(agent, server, ada, rotated, store);
  assert.deepEqual((await actor.open(formId)).refused, []);
  return { ada, bo, cy, server, formId, actor };
}

type World = Awaited<ReturnType<typeof setUp>>;

interface Act {
  act(actor: Actor, world: World): Promise<string>;
  readonly done: string;
  /** Before anybody lies. */
  prepare?(server: PlayedServer): void;
}

const takeOut: Act = {
  act: (actor, { formId, bo: { id } }) => actor.changeReaders(formId, { add: [], remove: [id] }),
  done: "changed",
};
const rotate: Act = { act: (actor, { formId }) => actor.rotate(formId), done: "rotated" };
const bring: Act = {
  act: (actor, { formId }) => actor.bringBack(formId),
  done: "brought",
  prepare: (server) => void server.envelopes.get(1)?.push(crypto.getRandomValues(new Uint8Array(4096))),
};
const acts = { "taking a reader out": takeOut, rotating: rotate, "bringing back": bring };

type Lie = (server: PlayedServer) => Partial<EnvelopeApi>;

/** With the acts that notice. The others do not depend on it. */
const lies: Readonly<Record<string, { readonly lie: Lie; readonly noticed: readonly (keyof typeof acts)[] }>> = {
  "takes what is sent and keeps the revision before": {
    lie: (server) => ({
      storeEnvelope: async () => undefined,
      rotateKeys: async () => void server.keys.push({ version: 2, fingerprint: rotated.key.fingerprint }),
    }),
    noticed: ["taking a reader out", "rotating", "bringing back"],
  },
  "shows the first revision": {
    lie: ({ envelopes }) => ({
      fetchEnvelope: async () => ({ file: envelopes.get(1)?.[0] ?? assert.fail(), revision: 1 }),
    }),
    noticed: ["taking a reader out", "rotating", "bringing back"],
  },
  "shows no envelope": {
    lie: () => ({ listEnvelopes: async () => [] }),
    noticed: ["taking a reader out", "rotating"],
  },
  "shows no revision": {
    lie: () => ({ fetchEnvelope: async () => undefined }),
    noticed: ["taking a reader out", "rotating", "bringing back"],
  },
  "publishes another key": {
    lie: () => ({ fetchKeys: async () => [{ version: 1, fingerprint: rotated.key.fingerprint }] as never }),
    noticed: ["rotating"],
  },
  "shows no list": {
    lie: () => ({ fetchList: async () => undefined }),
    noticed: ["taking a reader out", "rotating", "bringing back"],
  },
  "shows an older list": {
    lie: ({ list }) => ({ fetchList: async () => new TextEncoder().encode(list[0]) }),
    noticed: ["taking a reader out", "rotating", "bringing back"],
  },
};

const cases = Object.entries(lies).flatMap(([name, { lie, noticed }]) =>
  noticed.map((what) => ({ name, lie, what, ...acts[what] })),
);
for (const [{ name, lie, what, act, prepare, done }, agent] of samplePairs(cases, agents))
  test(`${what} is not done, as the page and the command line say, if the server ${name}: with the key in ${agent}`, async () => {
    const world = await setUp(agent);
    prepare?.(world.server);
    world.server.lies = lie(world.server);
    const outcome = await act(world.actor, world).catch((error: Error) => error.message);
    assert.notEqual(outcome, done);
    assert.doesNotMatch(outcome, /^(?:un)?changed$/);
  });

for (const [what, { act, prepare, done }] of Object.entries(acts))
  test(`control: with an honest server ${what} is done`, async () => {
    for (const agent of agents) {
      const world = await setUp(agent);
      prepare?.(world.server);
      assert.equal(await act(world.actor, world), done, agent);
      assert.deepEqual((await world.actor.open(world.formId)).refused, []);
    }
  });

test("a reader who has another key by now is left out by no change that finds nothing to do", async () => {
  for (const agent of agents) {
    const { server, formId, actor, cy: person } = await setUp(agent);
    const { recipient, signingKey } = await generatePersonalKey();
    const member = { ...toMember(person, "reader"), recipient, signingKey };
    server.list.push(await writeEntry(server.list.join(""), person, { change: "replace", member }));
    assert.equal(await actor.changeReaders(formId, { add: [], remove: [] }), "unchanged", agent);
    assert.equal(server.envelopes.get(1)?.length, 3, agent);
  }
});

test("a form is rotated by the list that was fetched meanwhile, where a colleague's revision has a newer one", async () => {
  for (const agent of agents) {
    const { server, formId, actor, ada: person } = await setUp(agent);
    const older = new TextEncoder().encode(server.list.join(""));
    const dee = await makePerson("Dee");
    server.list.push(
      await writeEntry(server.list.join(""), person, { change: "add", member: toMember(dee, "reader") }),
    );
    const other = openBrowser(server, person);
    const [swept] = await changeReaders(other, [formId], { add: [dee.id], remove: [] });
    assert.equal(swept?.kind, "changed");
    let asked = 0;
    const newer = () => new TextEncoder().encode(server.list.join(""));
    server.lies = { fetchList: async () => (asked++ < 1 ? older : newer()) };
    assert.equal(await actor.rotate(formId), "rotated", agent);
    assert.ok(asked >= 2, `control: the older list came first (${agent})`);
  }
});

test("a rotation whose answer is lost has happened once", async () => {
  for (const agent of agents) {
    const { server, formId, actor } = await setUp(agent);
    const { api } = server;
    let isLost = false;
    server.lies = {
      async rotateKeys(...parameters) {
        server.lies = {};
        await api.rotateKeys(...parameters);
        isLost = true;
        throw new TypeError("fetch failed");
      },
    };
    assert.equal(await actor.rotate(formId), "rotated", agent);
    assert.deepEqual([isLost, server.keys.length], [true, 2], agent);
  }
});
