import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { deriveRecoveryKey, findNewestEnvelope, generateSheet } from "@sealpost/envelope";
import { createOwnOrganizations, guardKeyAgent, type KeyAgent } from "@sealpost/sdk/envelopes";
import { createId, createVersionSeed } from "@sealpost/wire";
import { Cancelled } from "../../packages/dashboard/src/api/describe-error.ts";
import { changeList } from "../../packages/dashboard/src/envelopes/change-list.ts";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { continueKeyLog } from "../../packages/dashboard/src/envelopes/continue-key-log.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { signOrganizationName } from "../../packages/dashboard/src/envelopes/organization-name.ts";
import type { OrganizationQuestion } from "../../packages/dashboard/src/envelopes/own-organization.ts";
import { createFormWithEnvelope, importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { signCurrentKey } from "../../packages/dashboard/src/key-log/sign-entry.ts";
import { keepRecoveryKey } from "../../packages/dashboard/src/recovery/keep-recovery-key.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  playServer,
  toMember,
  writeEntry,
  writeEnvelope,
} from "../dashboard/played-envelopes.ts";
import { rotateAsShown } from "../support/rotate-as-shown.ts";

// A server acts for another organization of the person than the one that they mean: what is sealed there would be for its members and recovery keys.

let [ada, mallory, max]: readonly PlayedPerson[] = [];
let keys: readonly Awaited<ReturnType<typeof newFormKey>>[];

before(async () => {
  [ada, mallory, max] = await Promise.all(["Ada", "Mallory", "Max"].map(makePerson));
  keys = await Promise.all([newFormKey(1), newFormKey(2)]);
});

/** Mallory's organization, in which Ada is an owner; with a form that Ada reads. `own`: the organization that Ada means in this browser. */
async function setUp(own: string | undefined, answer: boolean) {
  assert.ok(ada && mallory && max);
  const server = playServer();
  const write = async (by: PlayedPerson, change: Parameters<typeof writeEntry>[2]) =>
    void server.list.push(await writeEntry(server.list.join(""), by, change));
  await write(mallory, { change: "add", member: toMember(mallory) });
  await write(mallory, { change: "add", member: toMember(ada) });
  await write(mallory, { change: "name", name: "Own" });
  // By which Ada's browser takes the list, as somebody who has used it.
  await write(ada, { change: "replace", member: toMember(ada) });
  const formId = createId("form");
  const [first = assert.fail()] = keys;
  server.keys.push({ version: 1, fingerprint: first.key.fingerprint });
  server.keyLogs.set(formId, "");
  const parts = { formId, formName: "Hotline", readerIds: [mallory.id, ada.id], keys: [first.key] };
  server.envelopes.set(1, [await writeEnvelope(server.list.join(""), mallory, parts)]);
  const heads = createHeads(createMemoryStore());
  if (own !== undefined) await heads.organizationsOf(ada.id).accept(own, ["Own"]);
  const asked: OrganizationQuestion[] = [];
  const browser = openBrowser(server, ada, heads, async (question) => {
    asked.push(question);
    return answer && question.standing.kind === "unseen";
  });
  const writes = /^\["(?:storeEnvelope|createForm|rotateKeys|addEntry|addKeyLogEntry)"/;
  return {
    server,
    formId,
    browser,
    heads,
    asked,
    max,
    mallory,
    written: () => server.sent.filter((one) => writes.test(one)),
  };
}

type World = Awaited<ReturnType<typeof setUp>>;

const list = (browser: EnvelopeContext) => loadCheckedList(browser);

/** The acts that seal keys for others, or sign for them. */
const acts: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  async "making a form"({ browser }) {
    const [{ pair, key } = assert.fail()] = keys;
    const form = { formId: createId("form"), name: "Vote", publicKey: pair.publicKey };
    return createFormWithEnvelope(browser, await list(browser), form, key);
  },
  async "bringing a key file in"({ server, browser }) {
    const [{ key } = assert.fail()] = keys;
    const withoutEnvelope = createId("form");
    server.forms.set(withoutEnvelope, new Map());
    return importKeys(browser, await list(browser), withoutEnvelope, [key], [], "Vote");
  },
  async rotating({ browser, formId }) {
    const opened = await openForm(browser, formId);
    assert.ok(opened.kind === "opened" && opened.list.kind === "checked");
    const previous = findNewestEnvelope(opened.envelopes) ?? assert.fail();
    const { pair, key } = keys[1] ?? assert.fail();
    const parts = { key: { ...key, seed: createVersionSeed() }, previous };
    return rotateAsShown(browser, opened.list, formId, { publicKey: pair.publicKey, keyVersion: 2 }, parts);
  },
  async "changing readers"({ browser, formId, mallory: { id } }) {
    const [swept] = await changeReaders(browser, [formId], { add: [], remove: [id] });
    if (swept?.kind === "stopped") throw new Cancelled();
    assert.equal(swept?.kind, "changed", JSON.stringify(swept));
  },
  async "beginning a key log"({ browser, formId }) {
    const { version, fingerprint, hybridFingerprint } = keys[0]?.key ?? assert.fail();
    return signCurrentKey(browser, formId, { version, fingerprint, hybridFingerprint, replyKey: null });
  },
  "letting a member in": ({ browser, max: person }) =>
    changeList(browser, ({ list: { members } }) =>
      members.has(person.id) ? undefined : { change: "add", member: toMember(person, "reader") },
    ),
  "removing a member": ({ browser, mallory: { id } }) =>
    changeList(browser, ({ list: { members } }) =>
      members.has(id) ? { change: "remove", member: { id } } : undefined,
    ),
  "naming the organization": ({ browser }) => signOrganizationName(browser, "Council"),
  async "making a recovery key"({ browser }) {
    const key = await deriveRecoveryKey((await generateSheet("organization")).identity);
    return keepRecoveryKey(browser, key, "Recovery key", []);
  },
};

const run = async (what: string, world: World) => {
  const act = acts[what] ?? assert.fail();
  return act(world).then(
    () => "done",
    (error: unknown) => (error instanceof Cancelled ? "stopped" : Promise.reject(error)),
  );
};

// Row B2 of the findings on 6a710908, shown by orgs.test.ts.
for (const what of Object.keys(acts)) {
  test(`B2: ${what} is stopped, and nothing is sent, where the server acts for another organization than is meant in this browser, whatever it and its list are called`, async () => {
    const world = await setUp(createId("account"), true);
    // The list was changed by one entry, and other heads by none.
    const before = JSON.stringify([world.server.list, world.server.envelopes.size]);
    assert.equal(await run(what, world), "stopped");
    assert.deepEqual(world.written(), []);
    assert.equal(JSON.stringify([world.server.list, world.server.envelopes.size]), before);
    assert.deepEqual([...new Set(world.asked.map(({ standing }) => standing.kind))], ["other"]);
  });

  test(`${what} waits at the first sight of an organization until it was shown with its members; nothing is sent without an answer, and nobody is asked twice`, async () => {
    const refused = await setUp(undefined, false);
    assert.equal(await run(what, refused), "stopped");
    assert.deepEqual(refused.written(), []);
    const world = await setUp(undefined, true);
    assert.equal(await run(what, world), "done");
    assert.notDeepEqual(world.written(), []);
    assert.deepEqual(
      world.asked.map((one) => [one.organizationId, one.list?.list.organizationName, one.list?.list.members.size]),
      [[organizationId, "Own", 2]],
    );
  });
}

test("a key log of another organization is not continued without a list either", async () => {
  const world = await setUp(undefined, true);
  await run("beginning a key log", world);
  const { browser, formId, heads } = world;
  const { version, fingerprint, hybridFingerprint } = keys[1]?.key ?? assert.fail();
  const next = () =>
    continueKeyLog(browser, undefined, formId, { version, fingerprint, hybridFingerprint, replyKey: null } as never);
  assert.match((await next()) ?? "", /"number":2/);
  await heads.organizationsOf(ada?.id ?? "").choose(createId("account"), "Own");
  await assert.rejects(next(), Cancelled);
});

test("nobody is asked about an organization in which they are alone, and from then on it is the one that is meant", async () => {
  assert.ok(ada);
  const heads = createHeads(createMemoryStore());
  const ask = () => assert.fail("nobody is asked");
  const browser = openBrowser(playServer(), ada, heads, ask);
  assert.equal((await findOrFoundList(browser)).kind, "checked");
  assert.equal(await run("making a form", { browser } as World), "done");
  assert.equal((await heads.organizationsOf(ada.id).find(organizationId)).kind, "own");
  assert.equal((await heads.organizationsOf(ada.id).find(createId("account"))).kind, "other");
});

test("switching to an organization counts at once under a name by which it was accepted; under any other it is shown first", async () => {
  const organizations = createOwnOrganizations(createMemoryStore(), "acc_ada");
  assert.equal((await organizations.find("acc_a")).kind, "unseen");
  assert.equal(await organizations.accept("acc_a", ["Own"]), true);
  assert.equal(await organizations.accept("acc_m", ["Theirs"]), false, "not while another one is meant");
  assert.deepEqual(await organizations.find("acc_m"), { kind: "other", meant: { id: "acc_a", names: ["Own"] } });
  const others = [{ id: "acc_a", names: ["Own"] }];
  await organizations.choose("acc_m", "Theirs");
  assert.deepEqual(await organizations.find("acc_m"), { kind: "unseen", before: [], others });
  assert.equal(await organizations.accept("acc_m", ["Theirs"]), true);
  await organizations.choose("acc_a", "Own ");
  assert.deepEqual(await organizations.find("acc_a"), { kind: "own" });
  // The server has swapped the names.
  await organizations.choose("acc_m", "Own");
  assert.deepEqual(await organizations.find("acc_m"), { kind: "unseen", before: ["Theirs"], others });
});

/** Operations of the open personal key that need not ask for the organization, and why. */
const withoutOthers: Readonly<Record<string, string>> = {
  signHead: "for the person's other devices, bound to the organization's id",
  openEnvelope: "opens",
  readSigned: "opens",
  sealKeyFiles: "for a passphrase of the person's",
  signAnswer: "to a link that somebody gave the person, bound to its organization",
  sealCopy: "the person's own key",
  checkCopy: "the person's own key",
  sealHeads: "for the person's own device",
};

test("every operation of the open key that gives others something asks for the organization, and no page has an agent that does not", async () => {
  const folder = join(import.meta.dirname, "../../packages/dashboard/src");
  const files = globSync("**/*.{ts,tsx}", { cwd: folder }).map((path) => ({
    path,
    source: readFileSync(join(folder, path), "utf8"),
  }));
  const guarded: string[] = [];
  const agent = new Proxy({} as KeyAgent, { get: () => async () => ({}), ownKeys: () => [] });
  for (const name of [
    "openEnvelope",
    "readSigned",
    "sealEnvelope",
    "signKeyLogEntry",
    "signEntry",
    "signHead",
  ] as const) {
    const held = guardKeyAgent({ ...agent, [name]: async () => ({}) } as never, async () => void guarded.push(name));
    await held[name]({ change: { change: "name", name: "" } } as never);
  }
  assert.deepEqual(guarded, ["sealEnvelope", "signKeyLogEntry", "signEntry"]);
  const asked = files.flatMap(({ path, source }) =>
    [...source.matchAll(/\baskPersonalKey\(\s*"(\w+)"/g)].map(([, name = ""]) => ({ path, source, name })),
  );
  assert.ok(asked.length > 10);
  const open = asked.filter(({ path, source, name }) => {
    if (name in withoutOthers || path === "personal-key/key-operations.ts") return false;
    return !source.includes("context.requireOrganization()");
  });
  assert.deepEqual(
    open.map(({ path, name }) => [path, name]),
    [],
  );
  const unguarded = files.filter(({ source }) => /\bkeyAgent: keyOperations\b/.test(source)).map(({ path }) => path);
  // The others leave heads for the person's own devices.
  assert.deepEqual(unguarded.toSorted(), [
    "admissions/join.ts",
    "personal-key/keep-heads.ts",
    "personal-key/use-envelope-context.ts",
  ]);
  assert.match(
    files.find(({ path }) => path === "personal-key/use-envelope-context.ts")?.source ?? "",
    /guardContext\(/,
  );
});
