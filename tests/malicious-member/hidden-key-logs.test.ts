import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  createKeyLogEntry,
  formatPersonalKey,
  importSigningKey,
  openEnvelope,
  RefusalError,
  sealEnvelope,
} from "@sealpost/envelope";
import { createEnvelopeReader, createEnvelopeWriter, EnvelopeProblemError } from "@sealpost/sdk/envelopes";
import { encodeText, hasKeyLogHead, type KeyLogHead, verifyKeyLog } from "@sealpost/wire";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { createFounder, fetchList } from "../../packages/server/src/organizations/testing/test-member-list.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import {
  bringBackNewest,
  checked,
  headOf,
  look,
  setUp,
  verified,
  type World,
  writers,
} from "../dashboard/logged-form.ts";
import { toSigner } from "../dashboard/played-envelopes.ts";
import { samplePairs } from "../support/sample.ts";

// A manager signs a revision that names an entry of a key log which the service never had. The service can't see it: the name is inside the seal.

type MadeUp = (world: World) => Promise<KeyLogHead>;

const another = "A".repeat(43);

/** An entry of Cy's that follows this many of the real ones, which may be signed and never sent. */
async function unsent({ server, formId, cy }: World): Promise<KeyLogHead> {
  const real = server.keyLogs.get(formId) ?? "";
  const known = await verified(real, formId);
  const key = { ...known.entry.key, version: known.entry.key.version + 1, fingerprint: another };
  const signer = { publicKey: cy.key.signingKey, signingKey: await importSigningKey(cy.key.signingSeed) };
  const { owners, managers } = known.entry;
  const entry = await createKeyLogEntry(known, { formId, key, owners, managers }, signer);
  const after = await verifyKeyLog(encodeText(real + entry), { formId });
  assert.ok(typeof after !== "string", String(after));
  return after.head;
}

const madeUp: Readonly<Record<string, MadeUp>> = {
  "the entry to come": async (world) => ({ number: (await headOf(world)).number + 1, hash: another }),
  "the largest number": async () => ({ number: 2 ** 31 - 1, hash: another }),
  "another entry in the place of the newest": async (world) => ({
    number: (await headOf(world)).number,
    hash: another,
  }),
  "an entry that was signed and never sent": unsent,
};

/** The honest next revision but for the entry that it names, as any program of a manager's can write it. */
async function write({ server, formId, adas, cy }: World, keyLog: KeyLogHead): Promise<void> {
  const { list } = await checked(adas);
  const files = server.envelopes.get(1) ?? assert.fail();
  const expected = { list, formId, firstVersion: 1, revision: files.length };
  const previous = await openEnvelope(files.at(-1) ?? assert.fail(), cy.key.identity, expected);
  assert.ok(!(previous instanceof RefusalError));
  const readerIds = previous.content.readers.map(({ id }) => id);
  const { file } = await sealEnvelope({
    list,
    signer: await toSigner(cy),
    formId,
    readerIds,
    keys: [],
    previous,
    keyLog,
  });
  files.push(file);
}

test("a revision that names an entry which no log has opens to read by; after what was before it is brought back, everybody writes, and nobody has to say that the log was given up", async () => {
  // In `npm test` each writer writes after one of the entries, and each entry comes before one of the writers.
  for (const [[what, make], [name, writer]] of samplePairs(Object.entries(madeUp), Object.entries(writers)))
    for (const isFresh of [true, false]) {
      // The entry makes no difference to who has seen what.
      if (!isFresh && make !== unsent) continue;
      const title = `${name}: ${what}, in a browser that has seen ${isFresh ? "nothing" : "the envelope"}`;
      const world = await setUp();
      const { server, formId } = world;
      const before = await look(world);
      const context = isFresh ? await world.openNew(world[writer.by]) : await world.openFresh(world[writer.by]);
      await write(world, await make(world));
      const opened = await openForm(context, formId);
      assert.ok(opened.kind === "opened");
      assert.deepEqual(opened.refused, [{ firstVersion: 1, reason: "unknown_key_log" }], title);
      assert.deepEqual(opened.keys.map(({ keyVersion }) => keyVersion).sort(), [1, 2, 3], `${title}: it reads`);
      await bringBackNewest(context, formId);
      await writer.write(context, world);
      const after = await look(world);
      const log = await verified(server.keyLogs.get(formId) ?? "", formId);
      assert.ok(after.keyLog !== null && hasKeyLogHead(log, after.keyLog), title);
      const more = writer.bringsBack ? 4 : 3;
      assert.equal(after.revisions, before.revisions + more, title);
    }
});

test("programs and the command line read by a revision that names an entry which no log has, and write nothing after it", async (t: TestContext) => {
  const service = await createTestService(t);
  const founder = await createFounder(service, await service.signUp());
  const { client, key, account, signer } = founder;
  const identity = formatPersonalKey(key, 0);
  const writer = await createEnvelopeWriter({ client, identity, heads: createMemoryStore() });
  const { formId } = await writer.createForm({ name: "Press" });
  const list = await fetchList(founder);
  const { file, revision } = (await client.envelopes.getNewest(formId, 1)) ?? assert.fail();
  const previous = await openEnvelope(file, key.identity, { list, formId, firstVersion: 1, revision });
  assert.ok(!(previous instanceof RefusalError));
  const keyLog = { number: 7, hash: another };
  const parts = { list, signer, formId, readerIds: [account.id], keys: [], previous, keyLog };
  await client.envelopes.put(formId, 1, (await sealEnvelope(parts)).file, previous.head);
  const stores = { "seen nothing": createMemoryStore(), "seen the envelope": createMemoryStore() };
  for (const [seen, heads] of Object.entries(stores)) {
    const reader = await createEnvelopeReader({ client, identity, heads });
    const opened = await reader.open(formId);
    assert.ok(opened.kind === "opened", seen);
    assert.deepEqual([opened.keys.length, opened.envelopes.length], [1, 0], seen);
    assert.deepEqual(opened.refused, [{ firstVersion: 1, reason: "unknown_key_log" }], seen);
    const again = await createEnvelopeWriter({ client, identity, heads });
    const acts = [
      () => again.rotateForm(formId),
      () => again.changeReaders(formId, { add: [], remove: [] }),
      () => again.renewKeyLog(formId),
    ];
    for (const act of acts)
      await assert.rejects(
        act(),
        (error) => error instanceof EnvelopeProblemError && ["unknown_key_log", "key_log_old"].includes(error.problem),
      );
  }
  assert.equal((await client.envelopes.getNewest(formId, 1))?.revision, 2);
});
