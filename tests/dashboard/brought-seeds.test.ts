import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  createKeyLogEntry,
  importSigningKey,
  openEnvelope,
  RefusalError,
  sealEnvelope,
  toLoggedKey,
} from "@sealpost/envelope";
import { createKeyFile, isPaperKey, parseKeyJson, parseOpeningKey, parsePaperKey, toPaperKey } from "@sealpost/sdk";
import {
  createId,
  createVersionSeed,
  encodeText,
  type FormId,
  generateHybridKeyPair,
  type HybridKeyPair,
  hybridFingerprint,
  type KeyLogEntry,
  type KeyPair,
  verifyKeyLog,
} from "@sealpost/wire";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { toFormKey } from "../../packages/dashboard/src/keys/to-form-key.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { isEveryWay } from "../support/sample.ts";
import { makePerson, openBrowser, type PlayedPerson, playServer, toSigner } from "./played-envelopes.ts";

// A key in an envelope stays there, its seed too. Nothing that a test value proves says which seed is the right one.

let ada: PlayedPerson;
let pair: KeyPair;
let hybrid: HybridKeyPair;
const [right, other] = [createVersionSeed(), createVersionSeed()];
const seeds = { right, other, none: undefined } as const;

before(async () => {
  ada = await makePerson("Ada");
  pair = takeKeyPair();
  hybrid = await generateHybridKeyPair();
});

interface Copy {
  readonly seed?: string | undefined;
  readonly isHybrid?: boolean;
}

const toFile = (formId: FormId, { seed, isHybrid = false }: Copy) =>
  createKeyFile({
    ...{ formId, keyVersion: 1, createdAt: 1, privateKey: pair.privateKey },
    ...(isHybrid && { hybridPrivateKey: hybrid.privateKey }),
    ...(seed !== undefined && { seed }),
  });

const sources: Readonly<Record<string, (formId: FormId, copy: Copy) => Promise<string>>> = {
  "a key file": async (formId, copy) => JSON.stringify(await toFile(formId, copy)),
  "a bare JWK": async () => JSON.stringify(pair.privateKey),
  "a sheet": async (_formId, { seed, isHybrid = false }) =>
    (await toPaperKey(pair.privateKey, isHybrid ? hybrid.privateKey : undefined, seed)).lines.join("\n"),
};

const logs = ["none", "names the right reply key", "names no reply key"] as const;
const sights = ["nothing", "the right seed", "another seed"] as const;

interface Case {
  readonly source: string;
  readonly seed: keyof typeof seeds;
  readonly log: (typeof logs)[number];
  readonly seen: (typeof sights)[number];
}

const cases: readonly Case[] = Object.keys(sources).flatMap((source) =>
  (source === "a bare JWK" ? (["none"] as const) : (["right", "other", "none"] as const)).flatMap((seed) =>
    logs.flatMap((log) => sights.map((seen) => ({ source, seed, log, seen }))),
  ),
);

/** Whether a wrong seed would be in the envelope for good. */
const isRefused = ({ seed, log, seen }: Case) =>
  seen === "another seed" || (seed !== "right" && (seen === "the right seed" || log === "names the right reply key"));

const sampled = cases.filter((_, index) => isEveryWay || index % 2 === 0);

for (const one of sampled.filter(isRefused))
  test(`no key is put in with a seed that is not the version's: ${one.source} with ${one.seed} seed, a log: ${one.log}, seen: ${one.seen}`, async () => {
    const { importing, server } = await bring(one);
    await assert.rejects(importing(), /has another seed than .* or none: .* Use the key file/);
    assert.equal(server.envelopes.size, 0, "nothing was sent");
  });

for (const one of sampled.filter((each) => !isRefused(each)))
  test(`a key is put in with its seed, or a new one where nobody knows another: ${one.source} with ${one.seed} seed, a log: ${one.log}, seen: ${one.seen}`, async () => {
    const { importing, server, formId } = await bring(one);
    const { list } = await importing();
    const [file = assert.fail()] = server.envelopes.get(1) ?? [];
    const opened = await openEnvelope(file, ada.key.identity, { list, formId, firstVersion: 1, revision: 1 });
    assert.ok(!(opened instanceof RefusalError));
    const [key = assert.fail()] = opened.content.keys;
    assert.equal(key.seed === right, one.seed === "right");
    assert.equal(key.seed === other, one.seed === "other");
  });

async function bring({ source, seed, log, seen }: Case) {
  const world = await setUp();
  const { server, formId, heads } = world;
  if (log !== "none") await writeLog(world, { seed: log === "names no reply key" ? null : right });
  if (seen !== "nothing") await see(world, seen === "another seed" ? createVersionSeed() : right);
  // The form went back to key files.
  await heads.markRemoved(formId);
  const importing = async () => {
    await importFrom(world, source, { seed: seeds[seed] });
    return world.list;
  };
  return { server, formId, importing };
}

/** Changes of log and list, and the copy that is brought then. */
const others: Readonly<Record<string, (world: World) => Promise<Copy>>> = {
  "the list names another RSA key": async ({ server }) => {
    server.keys.splice(0, 1, { version: 1, fingerprint: "A".repeat(43) });
    return { seed: right };
  },
  "the list names none": async ({ server }) => {
    server.keys.splice(0, 1);
    return { seed: right };
  },
  "the list names a hybrid key, and the copy has none": async ({ server }) => {
    server.keys.splice(0, 1, { ...(server.keys[0] ?? assert.fail()), ...(await hybridMember()) });
    return { seed: right };
  },
  "the log names another RSA key": async (world) => {
    await writeLog(world, { seed: right, fingerprint: "A".repeat(43) });
    return { seed: right };
  },
  "the log names a hybrid key, and the copy has none": async (world) => {
    await writeLog(world, { seed: right, ...(await hybridMember()) });
    return { seed: right };
  },
  "the log names no hybrid key, and the copy has one": async (world) => {
    await writeLog(world, { seed: right });
    return { seed: right, isHybrid: true };
  },
};

for (const [what, make] of Object.entries(others))
  for (const source of ["a key file", "a sheet"])
    test(`no key is put in that is not the form's: ${what}, from ${source}`, async () => {
      const world = await setUp();
      const copy = await make(world);
      await assert.rejects(importFrom(world, source, copy), /is not the key that the server publishes/);
      assert.equal(world.server.envelopes.size, 0);
    });

test("control: a hybrid key that list and log name is put in, from a key file and from a sheet", async () => {
  for (const source of ["a key file", "a sheet"]) {
    const world = await setUp();
    const { server } = world;
    server.keys.splice(0, 1, { ...(server.keys[0] ?? assert.fail()), ...(await hybridMember()) });
    await writeLog(world, { seed: right, ...(await hybridMember()) });
    const [stored = assert.fail()] = await importFrom(world, source, { seed: right, isHybrid: true });
    assert.ok(stored.kind === "read");
    assert.equal(stored.envelope.head.keys[0]?.hybridFingerprint, (await hybridMember()).hybridFingerprint);
  }
});

test("no key is put in where the key log that was seen is hidden, damaged or another one", async () => {
  const lies: Readonly<Record<string, (world: World, shown: string) => Promise<string>>> = {
    hidden: async () => "",
    damaged: async (_, shown) => shown.slice(0, -5),
    "another one": async (world) => {
      await writeLog(world, { seed: other });
      return world.server.keyLogs.get(world.formId) ?? assert.fail();
    },
  };
  for (const [what, make] of Object.entries(lies)) {
    const world = await setUp();
    const { server, formId, heads } = world;
    await writeLog(world, { seed: right });
    const shown = server.keyLogs.get(formId) ?? assert.fail();
    const log = await verifyKeyLog(encodeText(shown), { formId });
    assert.ok(typeof log !== "string");
    await heads.advanceKeyLog(formId, undefined, log.head);
    server.keyLogs.set(formId, await make(world, shown));
    await assert.rejects(importFrom(world, "a key file", { seed: right }), /Nothing was changed/, what);
    assert.equal(server.envelopes.size, 0, what);
  }
});

type World = Awaited<ReturnType<typeof setUp>>;

/** A form with a key file, and a device that has seen nothing of it. */
async function setUp() {
  const server = playServer();
  const store = createMemoryStore();
  const heads = createHeads(store);
  const browser = openBrowser(server, ada, heads);
  await findOrFoundList(browser);
  const formId = createId("form");
  const list = await loadCheckedList(browser);
  const { fingerprint } = await toFile(formId, {});
  server.keys.push({ version: 1, fingerprint });
  return { server, browser, heads, formId, list, fingerprint };
}

const hybridMember = async () => ({ hybridFingerprint: await hybridFingerprint(hybrid.publicKey) });

interface Logged {
  readonly seed: string | null;
  readonly fingerprint?: string;
  readonly hybridFingerprint?: string;
}

async function writeLog({ server, formId, ...world }: World, { seed, ...named }: Logged): Promise<void> {
  const { fingerprint = world.fingerprint, hybridFingerprint: hybridKey = null } = named;
  const key = await toLoggedKey(formId, { version: 1, fingerprint, hybridFingerprint: hybridKey, seed });
  const signer = { publicKey: ada.key.signingKey, signingKey: await importSigningKey(ada.key.signingSeed) };
  const content: Pick<KeyLogEntry, "formId" | "key" | "owners" | "managers"> = {
    ...{ formId, key, owners: [ada.key.signingKey], managers: [] },
  };
  server.keyLogs.set(formId, await createKeyLogEntry(undefined, content, signer));
}

/** This device has opened an envelope with this seed. */
async function see({ heads, formId, list }: World, seed: string): Promise<void> {
  const key = { version: 1, fingerprint: (await toFile(formId, {})).fingerprint, privateKey: pair.privateKey };
  const { head } = await sealEnvelope({
    ...{ list: list.list, signer: await toSigner(ada), formId, formName: "Vote", readerIds: [ada.id] },
    keys: [{ ...key, hybridFingerprint: null, hybridPrivateKey: null, seed }],
  });
  assert.ok(await heads.advanceEnvelope(undefined, head));
}

async function importFrom({ browser, formId, list }: World, source: string, copy: Copy) {
  const content = await (sources[source] ?? assert.fail())(formId, copy);
  const value = isPaperKey(content) ? await parsePaperKey(content) : parseKeyJson(content, "");
  await parseOpeningKey(value, "the copy");
  return importKeys(browser, list, formId, [await toFormKey(value as object, 1)], [], "Vote");
}
