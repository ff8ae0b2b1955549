import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyLogEntry, type FormKey, generatePersonalKey, toLoggedKey } from "@sealpost/envelope";
import { createEnvelopeApi, createKeyAgent, createListApi } from "@sealpost/sdk/envelopes";
import { type FormId, type HybridKeyPair, hybridFingerprint, verifyKeyLog } from "@sealpost/wire";
import type { EnvelopeApi, EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { KeyLogError } from "../../packages/dashboard/src/envelopes/continue-key-log.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { type CheckedList, loadCheckedList, loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { createFormWithEnvelope } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { plantKeyLogEntry } from "../../packages/server/src/forms/testing/plant-key-log.ts";
import { createFounder } from "../../packages/server/src/organizations/testing/test-member-list.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { firstHybridPair, secondHybridPair } from "../support/hybrid-key-pairs.ts";
import { rotateAsShown } from "../support/rotate-as-shown.ts";
import { newFormKey } from "./played-envelopes.ts";

test("rotating a form continues its key log, with the hybrid key too; owners and managers of the list sign next, and who left does not", async (t) => {
  const service = await createTestService(t);
  const owner = await createFounder(service, await service.signUp());
  const { client, key } = owner;
  const { publicKey, signer } = { publicKey: key.signingKey, signer: owner.signer.signingKey };
  const context: EnvelopeContext = {
    organizationId: owner.organizationId,
    personId: owner.account.id,
    personName: "Ada",
    isOwner: true,
    own: key,
    heads: createHeads(createMemoryStore()),
    api: toApi(client),
    keyAgent: createKeyAgent(key),
    requireOrganization: async () => undefined,
    loadList() {
      return loadCheckedList(this);
    },
  };
  const list = await loadList(context);
  assert.equal(list.kind, "checked");
  const make = async (name: string, isHybrid: boolean) => {
    const formId = await context.api.reserveForm();
    const { pair, key: plain } = await newFormKey(1);
    const formKey = isHybrid ? await withHybrid(plain, firstHybridPair) : plain;
    const publicKeys = { publicKey: pair.publicKey, ...(isHybrid && { hybridPublicKey: firstHybridPair.publicKey }) };
    const form = { formId, name, ...publicKeys, settings: { encryption: true, piiStrip: false } };
    await createFormWithEnvelope(context, list as CheckedList, form, formKey); // just asserted
    return { form: { id: formId, name }, logged: await toLoggedKey(formId, formKey) };
  };
  const gone = (await generatePersonalKey()).signingKey;
  const begunWith = { owners: [publicKey], managers: [] };
  const logOf = async (formId: string) => {
    const log = await verifyKeyLog(await client.forms.keyLog(formId), { formId });
    assert.ok(typeof log !== "string", String(log));
    return log;
  };
  /** A service that lies takes such signers. */
  const handOver = async ({ form, logged }: Awaited<ReturnType<typeof make>>, owners: readonly string[]) => {
    const content = { formId: form.id, key: logged, owners, managers: [] };
    const next = await createKeyLogEntry(await logOf(form.id), content, { publicKey, signingKey: signer });
    await plantKeyLogEntry(service.database, form.id, next);
  };
  const [plain, hybrid, foreign] = [
    await make("Plain", false),
    await make("Hybrid with a log", true),
    await make("Log of somebody else", false),
  ];
  for (const { form, logged } of [plain, hybrid, foreign]) {
    const { key, owners, managers } = (await logOf(form.id)).entry;
    assert.deepEqual({ key, owners, managers }, { key: logged, ...begunWith }, "each begins with a key log");
  }
  await handOver(hybrid, [publicKey, gone]);
  await handOver(foreign, [gone]);

  const rotate = async (formId: FormId, isHybrid: boolean) => {
    const opened = await openForm(context, formId);
    assert.ok(opened.kind === "opened" && opened.list.kind === "checked");
    const [previous = assert.fail()] = opened.envelopes;
    const { pair, key: made } = await newFormKey(2);
    const formKey = isHybrid ? await withHybrid(made, secondHybridPair) : made;
    const hybridKey = isHybrid && { hybridPublicKey: secondHybridPair.publicKey };
    const rotation = { publicKey: pair.publicKey, ...hybridKey, keyVersion: 2 };
    return rotateAsShown(context, opened.list, formId, rotation, { key: formKey, previous });
  };
  assert.equal((await rotate(plain.form.id, false)).kind, "read");
  assert.equal((await rotate(hybrid.form.id, true)).kind, "read");
  await assert.rejects(rotate(foreign.form.id, false), KeyLogError);
  const versions = await Promise.all([plain, hybrid, foreign].map(({ form }) => client.forms.keys(form.id)));
  assert.deepEqual(
    versions.map((keys) => keys.map((one) => one.hybridFingerprint !== undefined)),
    [[false, false], [true, true], [false]],
  );
  const log = await logOf(hybrid.form.id);
  const newest = versions[1]?.find(({ version }) => version === 2);
  assert.deepEqual(log.entry.key, {
    version: 2,
    fingerprint: newest?.fingerprint,
    hybridFingerprint: newest?.hybridFingerprint,
    replyKey: log.entry.key.replyKey,
  });
  assert.deepEqual([log.entry.owners, log.entry.place], [[publicKey], 1]);
});

async function withHybrid(plain: FormKey, { publicKey, privateKey }: HybridKeyPair): Promise<FormKey> {
  return { ...plain, hybridFingerprint: await hybridFingerprint(publicKey), hybridPrivateKey: privateKey };
}

/** The routes as the dashboard calls them, without its sign-in. */
function toApi(client: Awaited<ReturnType<typeof createFounder>>["client"]): EnvelopeApi {
  return {
    ...createEnvelopeApi(client),
    ...createListApi(client),
    fetchSignedHead: async () => undefined,
    storeSignedHead: (organizationId, signedHead) => client.signedHeads.put(organizationId, signedHead),
    reserveForm: async () => (await client.forms.reserve()).formId as FormId, // ids of forms, by the API's document
  };
}
