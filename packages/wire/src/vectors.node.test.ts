import assert from "node:assert/strict";
import { test } from "node:test";
import auditLog from "../vectors/audit-log.json" with { type: "json" };
import ed25519 from "../vectors/ed25519.json" with { type: "json" };
import files from "../vectors/files.json" with { type: "json" };
import foreign from "../vectors/foreign.json" with { type: "json" };
import good from "../vectors/good.json" with { type: "json" };
import hostile from "../vectors/hostile.json" with { type: "json" };
import hybrid from "../vectors/hybrid.json" with { type: "json" };
import hybridKeys from "../vectors/hybrid-keys.json" with { type: "json" };
import ids from "../vectors/ids.json" with { type: "json" };
import padding from "../vectors/padding.json" with { type: "json" };
import publicKeys from "../vectors/public-keys.json" with { type: "json" };
import seeds from "../vectors/seeds.json" with { type: "json" };
import webhookReceivers from "../vectors/webhook-receivers.json" with { type: "json" };
import webhookSignatures from "../vectors/webhook-signatures.json" with { type: "json" };
import webhookVerification from "../vectors/webhook-verification.json" with { type: "json" };
import { auditVectors } from "./testing/audit-vectors.ts";
import { ed25519Vectors } from "./testing/ed25519-vectors.ts";
import { fileVectors } from "./testing/file-vectors.ts";
import { foreignVectors } from "./testing/foreign-vectors.ts";
import { hostileVectors } from "./testing/hostile-vectors.ts";
import { hybridKeyVectors, hybridVectors } from "./testing/hybrid-vectors.ts";
import { idVectors } from "./testing/id-vectors.ts";
import { goodVectors } from "./testing/opening-vectors.ts";
import { paddingVectors } from "./testing/padding-vectors.ts";
import { publicKeyVectors } from "./testing/public-key-vectors.ts";
import { receiverVectors } from "./testing/receiver-vectors.ts";
import { seedVectors } from "./testing/seed-vectors.ts";
import { verificationVectors } from "./testing/verification-vectors.ts";
import { webhookVectors } from "./testing/webhook-vectors.ts";

/** As it is read back from its file, and without what OAEP makes different each time. */
function comparable(vectors: readonly { payload: { key: string } }[]): unknown {
  return JSON.parse(
    JSON.stringify(vectors.map(({ payload: { key: _, ...payload }, ...rest }) => ({ ...rest, payload }))),
  );
}

test("generating the vectors again gives the same data and iv, and everything else but key", async () => {
  assert.deepEqual(comparable(await goodVectors()), comparable(good));
  assert.deepEqual(comparable(await hostileVectors()), comparable(hostile));
  assert.deepEqual(comparable(await foreignVectors()), comparable(foreign));
});

test("generating the hybrid vectors again gives their files: everything in them is derived from their names", async () => {
  assert.deepEqual(await hybridKeyVectors(), hybridKeys);
  assert.deepEqual(JSON.parse(JSON.stringify(await hybridVectors())), hybrid);
});

test("generating them again gives another key: OAEP is randomised", async () => {
  const [first] = await goodVectors();
  assert.notEqual(first?.payload.key, good[0]?.payload.key);
});

test("generating the vectors of files again gives their file", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await fileVectors())), files);
});

test("generating the vectors of audit logs again gives their file", async () => {
  assert.deepEqual(await auditVectors(), auditLog);
});

test("generating the vectors of ids, padding, public keys, signatures and their verification gives their files", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(idVectors())), ids);
  assert.deepEqual(paddingVectors(), padding);
  assert.deepEqual(JSON.parse(JSON.stringify(publicKeyVectors())), publicKeys);
  assert.deepEqual(JSON.parse(JSON.stringify(webhookVectors())), webhookSignatures);
  assert.deepEqual(await verificationVectors(), webhookVerification);
  assert.deepEqual(await receiverVectors(), webhookReceivers);
});

test("generating the vectors of Ed25519 again gives their file", async () => {
  assert.deepEqual(await ed25519Vectors(), ed25519);
});

test("generating the vectors of seeds again gives their file", async () => {
  assert.deepEqual(await seedVectors(), seeds);
});
