import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createChallenge,
  createNewDevice,
  deviceCode,
  generatePersonalKey,
  type PersonalKey,
  parseDeviceCode,
} from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import type { DeviceApi, PassedRequest } from "../../packages/dashboard/src/devices/device-api.ts";
import { createGiver, findAsking } from "../../packages/dashboard/src/devices/give-key.ts";
import { createReceiver } from "../../packages/dashboard/src/devices/receive-key.ts";

// A personal key on its way to another device, over a server made of functions.

type Passed = { -readonly [Name in keyof PassedRequest]: PassedRequest[Name] };
const personId = createId("account");

/** Passes on what the devices say, each part once, as the service does. */
function playServer() {
  const server = { request: undefined as Passed | undefined, sent: [] as string[] };
  let made = 0;
  const asOne = (isNew: boolean): DeviceApi => ({
    async find() {
      return server.request && { ...server.request, isOwn: isNew };
    },
    async create(commitment) {
      made += 1;
      const id = `dev_${made}`;
      server.request = {
        ...{ id, isOwn: true, commitment, expiresAt: 1 },
        ...{ challenge: null, reveal: null, isAnswered: false, answer: null },
      };
      server.sent.push("create");
      return server.request;
    },
    async challenge(_id, challenge) {
      server.sent.push("challenge");
      if (server.request) server.request.challenge ??= challenge;
    },
    async reveal(_id, reveal) {
      server.sent.push("reveal");
      if (server.request) server.request.reveal ??= reveal;
    },
    async answer() {
      server.sent.push("answer");
    },
    async end() {
      server.request = undefined;
    },
  });
  const current = () => {
    assert.ok(server.request);
    return server.request;
  };
  return { server, current, newDevice: asOne(true), openDevice: asOne(false) };
}

async function begin() {
  const played = playServer();
  const [device, key] = await Promise.all([createNewDevice(), generatePersonalKey()]);
  const receiver = await createReceiver(played.newDevice, personId, device);
  const giverFor = async (own: PersonalKey = key, scanned?: Parameters<typeof createGiver>[4]) => {
    const asking = await findAsking(played.openDevice);
    assert.ok(asking);
    return createGiver(played.openDevice, personId, own, asking, scanned);
  };
  return { ...played, device, key, receiver, giverFor };
}

test("two devices of a person show one code, the new one reveals nothing before it is challenged, and takes no answer before its person has compared", async () => {
  const { server, current, receiver, giverFor } = await begin();
  assert.deepEqual(await receiver.look(), { kind: "waiting" });
  assert.deepEqual(server.sent, ["create"]);
  const giver = await giverFor();
  assert.deepEqual(await giver.look(), { kind: "waiting" });
  assert.deepEqual(await receiver.look(), { kind: "asked" });
  assert.deepEqual(server.sent, ["create", "challenge"], "nothing is revealed before its person has spoken");
  receiver.say(false);
  const shown = await receiver.look();
  const other = await giver.look();
  assert.ok(shown.kind === "compare" && other.kind === "compare");
  assert.equal(shown.code, other.code);
  assert.deepEqual(server.sent, ["create", "challenge", "reveal"]);
  // A server can seal a key of its own for what was revealed, and skip the other device.
  current().answer = { copy: "AAAA", heads: "AAAA" };
  assert.equal((await receiver.look()).kind, "compare");
  receiver.confirm();
  assert.equal((await receiver.look()).kind, "answered");
});

test("a server chooses no code: whatever it puts between two devices, before either of them has said what it draws, they show two codes, and what it changes later is not taken", async () => {
  const { server, current, device, key, receiver, giverFor } = await begin();
  const [between, thiefs] = await Promise.all([createNewDevice(), generatePersonalKey()]);
  const { id: requestId, commitment } = current();
  // To the new device it plays the open one, with the key of the thief.
  current().challenge = await createChallenge({ requestId, personId, commitment }, thiefs);
  receiver.say(false);
  const first = await receiver.look();
  assert.ok(first.kind === "compare" && current().reveal !== null);
  // To the open device it plays the new one, and knows the code that the new one shows.
  const honest = current();
  server.request = { ...honest, commitment: between.commitment, challenge: null, reveal: null };
  const giver = await giverFor();
  assert.deepEqual(await giver.look(), { kind: "waiting" });
  assert.ok(current().challenge !== null);
  current().reveal = between.reveal;
  const second = await giver.look();
  assert.ok(second.kind === "compare");
  assert.notEqual(second.code, first.code);
  // It would have to find another reveal, or another challenge: neither is taken.
  const again = await giverFor().catch(() => undefined);
  assert.equal(again, undefined, "a request that was challenged is not challenged again");
  current().reveal = device.reveal;
  const kept = await giver.look();
  assert.ok(kept.kind === "compare" && kept.code === second.code, "the first reveal stays");
  current().challenge = await createChallenge({ requestId, personId, commitment }, key);
  const stays = await receiver.look();
  assert.ok(stays.kind === "compare" && stays.code === first.code, "the first challenge stays");
  // Nothing at all is shown for a reveal that was not committed to.
  const fresh = await begin();
  const freshGiver = await fresh.giverFor();
  await freshGiver.look();
  fresh.current().reveal = between.reveal;
  assert.deepEqual(await freshGiver.look(), { kind: "wrong" });
});

test("a scanned code is trusted on both sides without comparing; a server that takes the proof away, forges it, or shows another request gets nothing", async () => {
  const { server, current, device, receiver, giverFor } = await begin();
  const { commitment, secret } = device;
  const scanned = { commitment, secret };
  assert.equal(parseDeviceCode("https://example.org"), undefined);
  const giver = await giverFor(undefined, scanned);
  await giver.look();
  const proven = current().challenge;
  assert.ok(proven !== null);
  // Without the proof the codes would be compared here alone: the other device shows none.
  server.request = { ...current(), challenge: { ...proven, proof: null } };
  assert.equal((await receiver.look()).kind, "asked");
  receiver.say(true);
  receiver.say(false);
  assert.equal((await receiver.look()).kind, "wrong");
  assert.equal(current().reveal, null, "nothing was revealed");
  const { receiver: second, current: now, giverFor: next, device: other } = await begin();
  const forged = await createChallenge(
    { requestId: now().id, personId, commitment: now().commitment },
    await generatePersonalKey(),
    secret,
  );
  now().challenge = forged;
  second.say(true);
  assert.deepEqual(await second.look(), { kind: "wrong" });
  now().challenge = null;
  assert.deepEqual(await second.look(), { kind: "wrong" }, "it stays so");
  // The server shows the request of another device than the one that was scanned.
  const confused = await next(undefined, scanned);
  assert.deepEqual(await confused.look(), { kind: "other" });
  assert.equal(now().challenge, null, "nothing was said");
  const { receiver: third, giverFor: honest, device: own } = await begin();
  const right = await honest(undefined, { commitment: own.commitment, secret: own.secret });
  await right.look();
  third.say(true);
  assert.equal((await third.look()).kind, "trusted");
  const seen = await right.look();
  assert.ok(seen.kind === "scanned" && seen.reveal.recipient === own.reveal.recipient);
  assert.notEqual(other.commitment, own.commitment);
});

test("the later of two devices that ask ends the first, for both sides, and a challenge for another person or request gives another code", async () => {
  const { newDevice, receiver, giverFor, current, key, device } = await begin();
  const giver = await giverFor();
  await giver.look();
  const challenge = current().challenge;
  const request = { requestId: current().id, personId, commitment: device.commitment };
  const later = await createReceiver(newDevice, personId, await createNewDevice());
  assert.deepEqual(await receiver.look(), { kind: "ended" });
  assert.deepEqual(await giver.look(), { kind: "ended" });
  assert.deepEqual(await later.look(), { kind: "waiting" });
  assert.ok(challenge !== null && challenge.signingKey === key.signingKey);
  const code = await deviceCode(request, challenge, device.reveal);
  // The challenge of the first request is replayed in the later one.
  current().challenge = challenge;
  later.say(false);
  const replayed = await later.look();
  assert.ok(replayed.kind === "compare" && replayed.code !== code);
  const others = [{ personId: createId("account") }, { requestId: "dev_9" }];
  for (const change of others)
    assert.notEqual(await deviceCode({ ...request, ...change }, challenge, device.reveal), code);
});
