import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import vectors from "../vectors/webhook-signatures.json" with { type: "json" };
import { decodeBase64 } from "./base64.ts";
import {
  createWebhookSecret,
  signService,
  signStandard,
  toleranceSeconds,
  verifyService,
  verifyStandard,
} from "./webhook-signature.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const otherSecret = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
const body = encode('{"event":"submission.created"}');
const id = "dlv_01hk153x00e5rbcwg8rxcnh8w6";
const timestamp = 1_704_067_200;
const now = timestamp * 1000;

test("a fresh secret is whsec_ and 32 random bytes in base64", () => {
  const secrets = Array.from({ length: 100 }, createWebhookSecret);
  for (const fresh of secrets) {
    assert.match(fresh, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(decodeBase64(fresh.slice(6))?.length, 32);
  }
  assert.equal(new Set(secrets).size, 100);
});

test("a service signature is the one of every published vector, and verifies", async () => {
  for (const { from, secret: key, body: text, signature } of vectors.service) {
    assert.equal(await signService(key, encode(text)), signature, from);
    assert.equal(await verifyService([key], encode(text), signature), true, from);
  }
});

test("a standard signature is the one of every published vector, and verifies", async () => {
  for (const { from, secret: key, body: text, ...vector } of vectors.standard) {
    assert.equal(await signStandard(key, vector.id, vector.timestamp, encode(text)), vector.signature, from);
    const headers = { id: vector.id, timestamp: String(vector.timestamp), signature: vector.signature };
    assert.equal(await verifyStandard([key], headers, encode(text), vector.timestamp * 1000), "valid", from);
  }
});

test("every service signature that is not exactly the right one is refused", async () => {
  for (const { name, secret: key, body: text, signature } of vectors.refusedService)
    assert.equal(await verifyService([key], encode(text), signature), false, name);
  assert.equal(await verifyService([secret], body, undefined), false);
});

test("every standard signature that is not exactly the right one is refused", async () => {
  for (const { name, secret: key, body: text, ...headers } of vectors.refusedStandard)
    assert.equal(await verifyStandard([key], headers, encode(text), now), "invalid_signature", name);
});

test("a missing header is refused and throws nothing", async () => {
  const headers = { id, timestamp: String(timestamp), signature: await signStandard(secret, id, timestamp, body) };
  assert.equal(await verifyStandard([secret], headers, body, now), "valid");
  for (const name of ["id", "timestamp", "signature"] as const)
    assert.equal(await verifyStandard([secret], { ...headers, [name]: undefined }, body, now), "invalid_signature");
});

test("an empty id or a timestamp of another form is refused even when it is truly signed", async () => {
  for (const missing of ["undefined", ""]) {
    const signature = await signStandard(secret, missing, timestamp, body);
    const headers = { id: undefined, timestamp: String(timestamp), signature };
    assert.equal(await verifyStandard([secret], headers, body, now), "invalid_signature");
    const empty = { ...headers, id: "" };
    assert.equal(await verifyStandard([secret], empty, body, now), "invalid_signature");
  }
  for (const strange of [Number.POSITIVE_INFINITY, Number.NaN, -1, 1.5, now, 1e21]) {
    const headers = { id, timestamp: String(strange), signature: await signStandard(secret, id, strange, body) };
    const at = Number.isFinite(strange) ? strange * 1000 : now;
    assert.equal(await verifyStandard([secret], headers, body, at), "invalid_signature", String(strange));
  }
});

test("any flipped bit of the body is refused by both schemes", async () => {
  const service = await signService(secret, body);
  const headers = { id, timestamp: String(timestamp), signature: await signStandard(secret, id, timestamp, body) };
  for (let bit = 0; bit < body.length * 8; bit++) {
    const changed = body.slice();
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.equal(await verifyService([secret], changed, service), false);
    assert.equal(await verifyStandard([secret], headers, changed, now), "invalid_signature");
  }
});

test("any flipped bit of a header is refused by both schemes", async () => {
  const flip = (text: string, bit: number) => {
    const at = (bit >> 3) % text.length;
    return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << (bit & 7))) + text.slice(at + 1);
  };
  const service = await signService(secret, body);
  const headers = { id, timestamp: String(timestamp), signature: await signStandard(secret, id, timestamp, body) };
  for (let bit = 0; bit < service.length * 8; bit++)
    assert.equal(await verifyService([secret], body, flip(service, bit)), false, flip(service, bit));
  for (const name of ["id", "timestamp", "signature"] as const) {
    for (let bit = 0; bit < headers[name].length * 8; bit++) {
      const changed = { ...headers, [name]: flip(headers[name], bit) };
      assert.equal(await verifyStandard([secret], changed, body, now), "invalid_signature", changed[name]);
    }
  }
});

test("one good signature among several is enough, whatever the others are", async () => {
  const good = await signStandard(secret, id, timestamp, body);
  const other = await signStandard(otherSecret, id, timestamp, body);
  const accepted = [`${other} ${good}`, `${good} ${other}`, `v1,bad v2,x ${good}`, ` ${good}`, `v1a,x ${good} v1,`];
  for (const signature of accepted) {
    const headers = { id, timestamp: String(timestamp), signature };
    assert.equal(await verifyStandard([secret], headers, body, now), "valid", signature);
  }
});

test("a header full of signatures is looked at only in its first 32 places", async () => {
  const good = await signStandard(secret, id, timestamp, body);
  const other = await signStandard(otherSecret, id, timestamp, body);
  const after = (count: number) => ({
    id,
    timestamp: String(timestamp),
    signature: `${`${other} `.repeat(count)}${good}`,
  });
  assert.equal(await verifyStandard([secret], after(31), body, now), "valid");
  assert.equal(await verifyStandard([secret], after(32), body, now), "invalid_signature");
});

test("any of several secrets verifies, and none without the right one", async () => {
  const service = await signService(secret, body);
  const headers = { id, timestamp: String(timestamp), signature: await signStandard(secret, id, timestamp, body) };
  assert.equal(await verifyService([otherSecret, secret], body, service), true);
  assert.equal(await verifyStandard([otherSecret, secret], headers, body, now), "valid");
  for (const secrets of [[], [otherSecret], ["", "whsec_", "whsec_?", "other"]]) {
    assert.equal(await verifyService(secrets, body, service), false);
    assert.equal(await verifyStandard(secrets, headers, body, now), "invalid_signature");
  }
});

test("a signed timestamp is in tolerance for five minutes either way and not one second more", async () => {
  const headers = { id, timestamp: String(timestamp), signature: await signStandard(secret, id, timestamp, body) };
  const at = (seconds: number) => verifyStandard([secret], headers, body, now + seconds * 1000);
  assert.equal(toleranceSeconds, 300);
  for (const seconds of [0, 299, 300, -299, -300]) assert.equal(await at(seconds), "valid", `${seconds}`);
  for (const seconds of [300.001, 301, -301, 1e9, -1e9, Number.NaN, Number.POSITIVE_INFINITY])
    assert.equal(await at(seconds), "timestamp_out_of_tolerance", `${seconds}`);
});

test("a wrong signature is never called a late one", async () => {
  const headers = { id, timestamp: String(timestamp), signature: await signStandard(otherSecret, id, timestamp, body) };
  assert.equal(await verifyStandard([secret], headers, body, now + 1e9), "invalid_signature");
});

test("signing with what is no secret throws a TypeError that does not show it", async () => {
  for (const wrong of ["", "whsec_", "hunter2hunter2", "whsec_not base64!", "WHSEC_AAAA"]) {
    const refused = signStandard(wrong, id, timestamp, body);
    await assert.rejects(refused, TypeError);
    const message = await refused.catch((error: Error) => error.message);
    assert.ok(wrong.length < 8 || !message.includes(wrong));
  }
});

test("what is signed verifies, for any body, secret and id", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 500 }),
      fc.stringMatching(/^[a-z0-9_-]{1,40}$/),
      async (bytes, anyId) => {
        const content = Uint8Array.from(bytes);
        const fresh = createWebhookSecret();
        const signature = await signStandard(fresh, anyId, timestamp, content);
        const headers = { id: anyId, timestamp: String(timestamp), signature };
        assert.equal(await verifyStandard([fresh], headers, content, now), "valid");
        assert.equal(await verifyService([fresh], content, await signService(fresh, content)), true);
        assert.equal(await verifyService([secret], content, await signService(fresh, content)), false);
      },
    ),
  );
});
