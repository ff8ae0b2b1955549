import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createKeyLogEntry, FarVersionError, toLoggedKey } from "@sealpost/envelope";
import { createEnvelopeWriter, EnvelopeProblemError, LostKeysError } from "@sealpost/sdk/envelopes";
import { createId, type FormId, verifyKeyLog } from "@sealpost/wire";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { createFormWithEnvelope, importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { requireVersion } from "../../packages/dashboard/src/key-versions/require-version.ts";
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
import { openActor, toClient } from "../support/envelope-actors.ts";
import { oneKeyStore } from "../support/one-key-store.ts";

// A manager rotates a form as often as a service lets them within a day, to keys that nobody else has, and is removed. No envelope that anybody else opens
// comes near the form's newest version any more: an owner has to be able to rotate all the same.

const rotations = 33;
/** Those that the manager has made. */
const versions = Array.from({ length: rotations }, (_, index) => index + 2);

let ada: PlayedPerson;
let bo: PlayedPerson;
let first: Awaited<ReturnType<typeof newFormKey>>;
let own: Awaited<ReturnType<typeof newFormKey>>;
let next: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [ada, bo, first, own, next] = await Promise.all([
    makePerson("Ada"),
    makePerson("Bo"),
    newFormKey(1),
    newFormKey(2),
    newFormKey(rotations + 2),
  ]);
});

/** A form of Ada's and Bo's, with a key log or without; Bo has rotated it, and was removed. */
async function setUp(isLogged: boolean) {
  const server = playServer();
  const heads = createMemoryStore();
  const browser = openBrowser(server, ada, createHeads(heads));
  await findOrFoundList(browser);
  server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(bo, "manager") }));
  const list = await loadCheckedList(browser);
  const formId = createId("form");
  const form = { formId, name: "Vote", publicKey: first.pair.publicKey };
  if (isLogged) await createFormWithEnvelope(browser, list, form, first.key);
  else {
    server.keys.push({ version: 1, fingerprint: first.key.fingerprint });
    await importKeys(browser, list, formId, [first.key], [], "Vote");
  }
  for (let version = 2; version <= rotations + 1; version++) {
    const firstVersion = version < 33 ? 1 : 33;
    server.keys.push({ version, fingerprint: own.key.fingerprint });
    const garbage = crypto.getRandomValues(new Uint8Array(200));
    server.envelopes.set(firstVersion, [...(server.envelopes.get(firstVersion) ?? []), garbage]);
    if (isLogged) await log(server, formId, version);
  }
  server.list.push(await writeEntry(server.list.join(""), ada, { change: "remove", member: { id: bo.id } }));
  return { server, heads, formId, browser };
}

async function log(server: ReturnType<typeof playServer>, formId: FormId, version: number): Promise<void> {
  const text = server.keyLogs.get(formId) ?? "";
  const before = await verifyKeyLog(new TextEncoder().encode(text), { formId });
  assert.ok(typeof before !== "string");
  const { owners, managers } = before.entry;
  const key = await toLoggedKey(formId, { ...own.key, version });
  const { signingKey } = await toSigner(bo);
  const entry = await createKeyLogEntry(
    before,
    { formId, key, owners, managers },
    { publicKey: bo.key.signingKey, signingKey },
  );
  server.keyLogs.set(formId, text + entry);
}

for (const agent of ["a worker", "memory"] as const)
  test(`an owner rotates a form with a key log after ${rotations} rotations of a manager who has left, with the key in ${agent}`, async () => {
    const { server, heads, formId, browser } = await setUp(true);
    const device = await openActor(agent, server, ada, next, heads);
    assert.equal(await device.bringBack(formId), "brought");
    const { envelopes } = await openedBy(browser, formId);
    await requireVersion(browser, { envelopes }, formId, undefined);
    assert.equal(await device.rotate(formId), "lost_keys", "what was sealed to the manager's own keys is lost");
    const lost: number[] = [];
    assert.equal(await device.rotate(formId, ({ missing }) => void lost.push(...missing)), "rotated");
    assert.deepEqual(lost, versions);
    assert.equal(server.keys.at(-1)?.version, rotations + 2);
    assert.ok((await device.open(formId)).keys.has(rotations + 2));
    const followed = await verifyKeyLog(new TextEncoder().encode(server.keyLogs.get(formId)), { formId });
    assert.ok(typeof followed !== "string" && followed.entry.key.version === rotations + 2);
    assert.ok(!followed.entry.managers.includes(bo.key.signingKey));
  });

test("without a key log a person says that the server's version is right", async () => {
  const { server, heads, formId, browser } = await setUp(false);
  const device = await openActor("memory", server, ada, next, heads);
  assert.equal(await device.bringBack(formId), "brought");
  await assert.rejects(device.rotate(formId), FarVersionError);
  const { envelopes } = await openedBy(browser, formId);
  for (const confirmed of [undefined, rotations])
    await assert.rejects(requireVersion(browser, { envelopes }, formId, confirmed), FarVersionError);
  await requireVersion(browser, { envelopes }, formId, rotations + 1);
  const { former: _, ...key } = ada.key;
  const { formatPersonalKey } = await import("@sealpost/envelope");
  const writer = await createEnvelopeWriter({
    client: toClient(server),
    identity: formatPersonalKey(key),
    heads: oneKeyStore(heads),
  });
  const asked: number[][] = [];
  await assert.rejects(
    writer.rotateForm(formId, { confirmVersion: () => Promise.reject(new Error("no")) }),
    (error: Error) => error.message === "no",
  );
  assert.equal(server.keys.length, rotations + 1, "nothing was sent");
  const confirmVersion = async (...numbers: readonly number[]) => void asked.push([...numbers]);
  await assert.rejects(writer.rotateForm(formId, { confirmVersion }), LostKeysError);
  assert.deepEqual(asked.splice(0), [[rotations + 1, 1]]);
  await writer.rotateForm(formId, {
    confirmVersion,
    confirmLoss: async ({ missing }) => void asked.push([...missing]),
  });
  assert.deepEqual(asked, [[rotations + 1, 1], versions]);
  assert.ok((await device.open(formId)).keys.has(rotations + 2));
});

test("a key log that the server has replaced is refused before any version of it counts", async () => {
  const { server, heads, formId } = await setUp(true);
  const device = await openActor("memory", server, ada, next, heads);
  await device.bringBack(formId);
  server.keyLogs.set(formId, (server.keyLogs.get(formId) ?? "").split("\n").slice(2).join("\n"));
  await assert.rejects(
    (async () => {
      const reason = await device.rotate(formId);
      if (reason !== "rotated") throw new EnvelopeProblemError(reason as never); // the actor gives the problem
    })(),
    (error) => error instanceof EnvelopeProblemError && error.problem === "key_log_refused",
  );
});

async function openedBy(browser: ReturnType<typeof openBrowser>, formId: FormId) {
  const { openForm } = await import("../../packages/dashboard/src/envelopes/open-form.ts");
  const opened = await openForm(browser, formId);
  assert.ok(opened.kind === "opened", opened.kind);
  return opened;
}
