import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createKeyLogEntry, FarVersionError, formatPersonalKey, toLoggedKey } from "@sealpost/envelope";
import { createEnvelopeWriter, isOwnLog } from "@sealpost/sdk/envelopes";
import { createId, type FormId } from "@sealpost/wire";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { signCurrentKey } from "../../packages/dashboard/src/key-log/sign-entry.ts";
import { requireVersion } from "../../packages/dashboard/src/key-versions/require-version.ts";
import { verified } from "../dashboard/logged-form.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  type PlayedPerson,
  playServer,
  toMember,
  toSigner,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { type AgentName, agents, openActor, toClient } from "../support/envelope-actors.ts";
import { oneKeyStore } from "../support/one-key-store.ts";

// A server makes up a key log, with a key of its own, for a form that has none by all that anybody signed. Nobody signs that key, pins it or counts from it.

let people: Readonly<Record<"ada" | "bo" | "mallory", PlayedPerson>>;
let own: Awaited<ReturnType<typeof newFormKey>>;
let others: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  const [ada, bo, mallory] = await Promise.all([makePerson("Ada"), makePerson("Bo"), makePerson("Mallory")]);
  people = { ada, bo, mallory };
  [own, others] = await Promise.all([newFormKey(1), newFormKey(2)]);
});

/** `joined`: the server's key signs as one of two owners. `hidden`: it has taken itself out again, so that the signers are those of the list. */
type Signers = "joined" | "hidden";

async function makeUpLog(formId: FormId, version: number, signers: Signers): Promise<string> {
  const { ada, mallory } = people;
  const key = await toLoggedKey(formId, { ...others.key, version });
  const signer = { publicKey: mallory.key.signingKey, signingKey: (await toSigner(mallory)).signingKey };
  const both = [ada.key.signingKey, mallory.key.signingKey].sort();
  const first = await createKeyLogEntry(undefined, { formId, key, owners: both, managers: [] }, signer);
  if (signers === "joined") return first;
  const alone = { formId, key, owners: [ada.key.signingKey], managers: [] };
  return first + (await createKeyLogEntry(await verified(first, formId), alone, signer));
}

/** Ada's form, whose key she has brought from a file, or Bo has, and a device of hers. */
async function setUp(agent: AgentName, reads: "ada" | "bo" = "ada") {
  const { ada, bo } = people;
  const server = playServer();
  const store = createMemoryStore();
  const browser = openBrowser(server, ada, createHeads(store));
  await findOrFoundList(browser);
  server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(bo, "manager") }));
  const formId = createId("form");
  server.keys.push({ version: 1, fingerprint: own.key.fingerprint });
  const writer = reads === "ada" ? browser : openBrowser(server, bo);
  if (reads === "bo")
    await writer.heads.advanceList(browser.organizationId, undefined, (await loadCheckedList(browser)).list.head);
  await importKeys(writer, await loadCheckedList(writer), formId, [own.key], [], "Vote");
  const device = await openActor(agent, server, ada, others, store);
  await device.open(formId);
  const program = await createEnvelopeWriter({
    client: toClient(server),
    identity: formatPersonalKey(ada.key),
    heads: oneKeyStore(store),
  });
  const renew = () =>
    agent === "memory"
      ? program.renewKeyLog(formId)
      : toLoggedKey(formId, others.key).then((key) => signCurrentKey(browser, formId, key));
  /** The version to which this device rotates, before anybody was asked. */
  const findVersion = async () => {
    if (agent === "memory") return program.rotateForm(formId);
    const opened = await openForm(browser, formId);
    assert.ok(opened.kind === "opened");
    return requireVersion(browser, opened, formId, undefined);
  };
  return { server, formId, device, browser, bo, program, renew, findVersion };
}

const isFar = (known: number) => (error: unknown) =>
  error instanceof FarVersionError && error.known === known && !error.isLogged;

for (const agent of agents) {
  for (const signers of ["joined", "hidden"] as const)
    test(`an owner's change of readers signs no key that the server has made up, names no such log, and offers no pin of it, with the key in ${agent}, and the server's key ${signers}`, async () => {
      const { server, formId, device, browser, bo, program, renew } = await setUp(agent);
      const log = await makeUpLog(formId, 1, signers);
      server.keyLogs.set(formId, log);
      assert.equal(await device.changeReaders(formId, { add: [bo.id], remove: [] }), "changed");
      await assert.rejects(renew(), /newest key in .* log is/);
      assert.equal(server.keyLogs.get(formId), log, "no entry was signed");
      assert.deepEqual((await browser.heads.findEnvelopes(formId)).heads[0]?.keyLog, null);
      const shown = await verified(log, formId);
      assert.equal(await program.mayPinKeyLog(formId, shown), false);
      const opened = await openForm(browser, formId);
      assert.equal(await isOwnLog(browser, formId, shown, opened.kind === "opened" ? opened.keys : []), false);
    });

  test(`an owner who does not read a form signs no log of it that the server alone says to be the form's, with the key in ${agent}`, async () => {
    const { server, formId, program, renew } = await setUp(agent, "bo");
    const log = await makeUpLog(formId, 1, "joined");
    server.keyLogs.set(formId, log);
    for (let time = 1; time <= 2; time++) await assert.rejects(renew(), /newest key in .* log is/, `look ${time}`);
    assert.equal(await program.mayPinKeyLog(formId, await verified(log, formId)), false);
    assert.equal(server.keyLogs.get(formId), log);
  });

  for (const signers of ["joined", "hidden"] as const)
    test(`a rotation counts from no key log that the server has made up, with the key in ${agent}, and the server's key ${signers}`, async () => {
      const { server, formId, findVersion } = await setUp(agent);
      server.keyLogs.set(formId, await makeUpLog(formId, 998, signers));
      server.keys.push({ version: 998, fingerprint: others.key.fingerprint });
      await assert.rejects(findVersion(), isFar(1));
      assert.equal(server.keys.length, 2);
    });
}

test("where the server denies the keys of a form that is opened for the first time, a rotation counts from the newest of them all the same", async () => {
  const { server, formId, browser } = await setUp("a worker");
  const fresh = openBrowser(server, people.ada);
  await fresh.heads.advanceList(fresh.organizationId, undefined, (await loadCheckedList(browser)).list.head);
  const far = { version: 998, fingerprint: "A".repeat(43) };
  server.lies = { fetchKeys: async () => [far] as never };
  const opened = await openForm(fresh, formId);
  assert.ok(opened.kind === "opened");
  for (const shown of [[far], [...server.keys, far]]) {
    server.lies = { fetchKeys: async () => shown as never };
    await assert.rejects(requireVersion(fresh, opened, formId, undefined), isFar(1));
  }
});
