import assert from "node:assert/strict";
import { test } from "node:test";
import { createNewDevice, type DeviceHeads, generatePersonalKey, sealDeviceHeads } from "@sealpost/envelope";
import { encodeBase64Url, type FormId } from "@sealpost/wire";
import { createTestBrowser } from "../oidc/testing/test-browser.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { createDeviceRequestStore } from "./device-request-store.ts";
import { createFile, createKeyAndSheet, outcomeOf } from "./testing/key-bench.ts";

const path = "/api/account/device-requests";
const password = "correct horse battery";

test("each step of a handover is taken once, by the session whose turn it is, within ten minutes; the answer is for the new device alone, and a later request ends it", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const open = await service.signUp("owner@example.com");
  const stranger = await service.signUp();
  const signIn = async () => {
    const browser = createTestBrowser(service);
    const answer = await browser.post("/api/auth/sign-in/email", { email: "owner@example.com", password });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return browser;
  };
  const [fresh, third] = [await signIn(), await signIn()];
  const { halves } = await createKeyAndSheet();
  const [commitment, nonce] = ["A".repeat(43), "A".repeat(22)];
  const challenge = { ...halves, nonce, proof: null };
  const reveal = { recipient: halves.recipient, nonce };
  const answer = { copy: createFile("device"), heads: "AAAA" };

  assert.deepEqual((await open.request("GET", path)).body, { request: null });
  const { id } = (await fresh.post(path, { commitment })).body.request;
  const of = (step: string) => `${path}/${id}/${step}`;
  const taken = "409 device_request_taken";
  // Out of turn: the new device challenges itself, reveals too early; the open one answers too early.
  assert.equal(outcomeOf(await fresh.post(of("challenge"), challenge, "PUT")), taken);
  assert.equal(outcomeOf(await fresh.post(of("reveal"), reveal, "PUT")), taken);
  assert.equal(outcomeOf(await open.request("PUT", of("answer"), answer)), taken);
  assert.equal(outcomeOf(await open.request("PUT", of("challenge"), challenge)), "200");
  assert.equal(outcomeOf(await open.request("PUT", of("challenge"), challenge)), "200", "the same once more");
  const other = { ...challenge, nonce: "B".repeat(22).replace(/.$/, "A") };
  assert.equal(outcomeOf(await open.request("PUT", of("challenge"), other)), taken);
  assert.equal(outcomeOf(await third.post(of("challenge"), challenge, "PUT")), taken, "another device answers too");
  for (const [member, value] of [
    ["recipient", "age1"],
    ["signingKey", "A"],
    ["nonce", "A"],
    ["proof", "A"],
  ] as const)
    assert.match(outcomeOf(await open.request("PUT", of("challenge"), { ...challenge, [member]: value })), /^400 /);
  assert.equal(outcomeOf(await third.post(of("reveal"), reveal, "PUT")), taken);
  assert.equal(outcomeOf(await fresh.post(of("reveal"), reveal, "PUT")), "200");
  assert.equal(outcomeOf(await third.post(of("answer"), answer, "PUT")), taken);
  const wrong = { ...answer, copy: createFile("passphrase") };
  assert.match(outcomeOf(await open.request("PUT", of("answer"), wrong)), /^400 .*copy=/);
  const answered = await open.request("PUT", of("answer"), answer);
  assert.deepEqual([answered.body.request.isAnswered, answered.body.request.answer], [true, null]);
  assert.equal(outcomeOf(await open.request("PUT", of("answer"), answer)), "200", "the same once more");
  assert.equal(outcomeOf(await open.request("PUT", of("answer"), { ...answer, heads: "BBBB" })), taken);
  const seen = (await fresh.post(path, {}, "GET")).body.request;
  assert.deepEqual([seen.isOwn, seen.challenge, seen.reveal, seen.answer], [true, challenge, reveal, answer]);
  assert.equal((await third.post(path, {}, "GET")).body.request.answer, null);

  // Nobody else sees or ends it.
  assert.deepEqual((await stranger.request("GET", path)).body, { request: null });
  assert.equal(outcomeOf(await stranger.request("PUT", of("challenge"), challenge)), "404 device_request_not_found");
  assert.equal((await stranger.request("DELETE", `${path}/${id}`)).status, 200);
  assert.equal((await fresh.post(path, {}, "GET")).body.request.id, id);

  const later = (await third.post(path, { commitment })).body.request;
  assert.equal(outcomeOf(await open.request("PUT", of("challenge"), challenge)), "404 device_request_not_found");
  clock.advance(10 * 60_000);
  assert.deepEqual((await third.post(path, {}, "GET")).body, { request: null });
  assert.equal(
    outcomeOf(await open.request("PUT", `${path}/${later.id}/challenge`, challenge)),
    "404 device_request_not_found",
  );
  const { purge } = createDeviceRequestStore(service.database);
  assert.deepEqual([await purge(clock.now()), await purge(clock.now())], [true, false]);
  const given = await service.database
    .selectFrom("audit_entry")
    .select("id")
    .where("action", "=", "personal_key.given")
    .execute();
  assert.equal(given.length, 1);
  // To give it away needs a sign-in within the last hour.
  await fresh.post(path, { commitment });
  clock.advance(60 * 60_000 + 1);
  const next = (await fresh.post(path, { commitment })).body.request;
  await open.request("PUT", `${path}/${next.id}/challenge`, challenge);
  await fresh.post(`${path}/${next.id}/reveal`, reveal, "PUT");
  assert.equal(outcomeOf(await open.request("PUT", `${path}/${next.id}/answer`, answer)), "403 session_stale");
});

test("the largest file of heads that a writer makes is passed on, and a byte more is not", async (t) => {
  const service = await createTestService(t);
  const open = await service.signUp("owner@example.com");
  const fresh = createTestBrowser(service);
  assert.equal((await fresh.post("/api/auth/sign-in/email", { email: "owner@example.com", password })).status, 200);
  const [device, key, { halves }] = await Promise.all([createNewDevice(), generatePersonalKey(), createKeyAndSheet()]);
  const { commitment, reveal } = device;
  const { id } = (await fresh.post(path, { commitment })).body.request;
  const of = (step: string) => `${path}/${id}/${step}`;
  const challenge = { ...halves, nonce: reveal.nonce, proof: null };
  assert.equal(outcomeOf(await open.request("PUT", of("challenge"), challenge)), "200");
  assert.equal(outcomeOf(await fresh.post(of("reveal"), reveal, "PUT")), "200");
  const organizationId = open.id;
  const hash = "A".repeat(43);
  const keys = Array.from({ length: 32 }, (_, index) => ({
    ...{ version: index + 1, fingerprint: hash, hybridFingerprint: hash, seedHash: hash, isPublished: true },
  }));
  const heads: DeviceHeads = {
    ...{ lists: [], keyLogs: [], confirmed: [], forms: [] },
    envelopes: Array.from({ length: 999 }, (_, index) => ({
      ...{ organizationId, formId: `form_01jd8z0000e8m9a4v5c6d7e${100 + index}` as FormId, formName: "Contact" },
      ...{ firstVersion: 1, revision: 1, hash, list: { number: 1, hash }, keyLog: null },
      ...{ readers: [{ id: organizationId, by: organizationId }], keys },
    })),
  };
  const to = { commitment, personId: open.id, recipient: reveal.recipient, signingSeed: key.signingSeed };
  const file = await sealDeviceHeads(heads, to);
  assert.ok(file.length > 1_000_000 && file.length <= 1024 * 1024, `${file.length} bytes`);
  const largest = encodeBase64Url(new Uint8Array(1024 * 1024));
  const send = async (text: string) =>
    outcomeOf(await open.request("PUT", of("answer"), { copy: createFile("device"), heads: text }));
  assert.match(await send(`${largest}A`), /^400 /);
  assert.match(await send("A".repeat(1_500_000)), /^413 /);
  assert.equal(await send(largest), "200");
  assert.equal((await fresh.post(path, {}, "GET")).body.request.answer.heads, largest);
});
