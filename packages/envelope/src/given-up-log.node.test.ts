import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBase64 } from "@sealpost/wire";
import envelopesJson from "../../wire/vectors/envelopes.json" with { type: "json" };
import { findList } from "./testing/conformance.ts";
import type { EnvelopeVector } from "./testing/envelope-vectors.ts";
import { FormDevice } from "./testing/form-device.ts";

// Our own generator wrote this file from this type; JSON only widens the texts.
const vectors = envelopesJson as unknown as readonly EnvelopeVector[];

test("an owner who has given a key log up, and has lost the role since, is followed once a person has said that it was given up", async () => {
  const name = "envelope: of no key log where there was one, by an owner, and then an owner becomes a reader";
  const vector = vectors.find((one) => one.name === name);
  assert.ok(vector?.newest?.keyLog);
  const { newest, envelope, formId, reader, list, revision } = vector;
  for (const isSaid of [false, true]) {
    const device = new FormDevice(reader as never, await findList(list)); // a person with one key
    await device.heads.advanceEnvelope(undefined, newest);
    if (isSaid) await device.heads.forgetKeyLog(formId);
    const file = decodeBase64(envelope) ?? new Uint8Array();
    const { envelopes, refused } = await device.look({ 1: Array.from({ length: revision }, () => file) });
    assert.deepEqual(
      refused.map(({ reason }) => reason),
      isSaid ? [] : ["old_key_log"],
    );
    assert.deepEqual(
      envelopes.map(({ head }) => head.revision),
      isSaid ? [revision] : [],
    );
  }
});
