import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeBase64Url, type FormId } from "@sealpost/wire";
import { decryptWith, encryptTo } from "./age-file.ts";
import {
  createChallenge,
  createNewDevice,
  type DeviceChallenge,
  deviceCode,
  formatDeviceCode,
  isChallengeRight,
  isRevealOf,
  parseDeviceCode,
} from "./device.ts";
import { type DeviceHeads, deviceHeadsMax, headsFormat, openDeviceHeads, sealDeviceHeads } from "./device-heads.ts";
import { writtenHeadsBytesMax } from "./device-heads-form.ts";
import { generatePersonalKey } from "./personal-key.ts";
import { RefusalError } from "./refusal.ts";
import { importSigningKey, signLine } from "./signature.ts";
import { devices, tryChallenge, tryHeads } from "./testing/device-conformance.ts";
import { deviceVectors } from "./testing/device-vectors.ts";
import { findPersonalKey } from "./testing/people.ts";

const [requestId, personId] = ["dev_01jd8z0000e8m9a4v5c6d7e8f9", "acc_01jd8z0000e8m9a4v5c6d7e8f9"];

test("vectors: commitment, proof, scanned text and code of a device follow from what was drawn", async () => {
  assert.deepEqual(await deviceVectors(), devices);
});

test("vectors: a challenge is taken with the proof that was scanned, or without one where nothing was, and heads from their person alone", async () => {
  for (const vector of devices.challenges)
    assert.equal(await tryChallenge(isChallengeRight, vector), vector.outcome, vector.name);
  for (const vector of devices.heads)
    assert.equal(await tryHeads(openDeviceHeads, vector), vector.outcome, vector.name);
});

test("a reveal is that of its commitment or none, and a challenge is proven by the secret for its request and person alone", async () => {
  const [device, other, key] = await Promise.all([createNewDevice(), createNewDevice(), generatePersonalKey()]);
  const { commitment, reveal, secret } = device;
  assert.equal(await isRevealOf(commitment, reveal), true);
  for (const changed of [
    { ...reveal, nonce: other.reveal.nonce },
    { ...reveal, recipient: other.reveal.recipient },
    { ...reveal, recipient: reveal.recipient.toUpperCase() },
    { ...reveal, nonce: "" },
  ])
    assert.equal(await isRevealOf(commitment, changed), false);
  const request = { requestId, personId, commitment };
  const challenge = await createChallenge(request, key, secret);
  assert.equal(await isChallengeRight(request, challenge, secret), true);
  assert.equal(await isChallengeRight(request, { ...challenge, proof: null }, undefined), true);
  const foreign = await createChallenge(request, await generatePersonalKey(), other.secret);
  const changes: readonly DeviceChallenge[] = [
    foreign,
    { ...challenge, signingKey: foreign.signingKey },
    { ...challenge, recipient: foreign.recipient },
    { ...challenge, nonce: foreign.nonce },
    { ...challenge, nonce: "", proof: null },
    { ...challenge, recipient: "age1", proof: null },
  ];
  for (const changed of changes) assert.equal(await isChallengeRight(request, changed, secret), false);
  for (const change of [
    { requestId: requestId.replace("9a4v", "9a4w") },
    { personId: personId.replace("9a4v", "9a4w") },
    { commitment: other.commitment },
  ])
    assert.equal(await isChallengeRight({ ...request, ...change }, challenge, secret), false, "of another request");
  const scanned = formatDeviceCode(device);
  assert.deepEqual(parseDeviceCode(scanned), { commitment, secret });
  for (const code of ["", scanned.slice(0, -1), scanned.replace("/1:", "/2:"), `${scanned}A`])
    assert.equal(parseDeviceCode(code), undefined);
});

test("both devices show one code where nobody is between them, and other codes whatever a server puts between", async () => {
  const [device, between, key, thiefs] = await Promise.all([
    createNewDevice(),
    createNewDevice(),
    generatePersonalKey(),
    generatePersonalKey(),
  ]);
  const request = { requestId, personId, commitment: device.commitment };
  const honest = await createChallenge(request, key);
  const code = await deviceCode(request, honest, device.reveal);
  assert.match(code, /^\d{3}( \d{3}){4}$/);
  assert.equal(await deviceCode(request, { ...honest }, { ...device.reveal }), code);
  // The open device has the server's commitment, and seals for the server if the codes are the same.
  const open = { ...request, commitment: between.commitment };
  const challenged = await createChallenge(open, key);
  const shownByOpen = await deviceCode(open, challenged, between.reveal);
  // The server passes the challenge on unchanged, or one of its own key; it has to before the new device reveals.
  for (const passed of [challenged, { ...challenged, recipient: thiefs.recipient, signingKey: thiefs.signingKey }])
    assert.notEqual(await deviceCode(request, passed, device.reveal), shownByOpen);
  // Once it knows the new device's code it can't choose another reveal, which it has committed to.
  const tries = Array.from({ length: 200 }, (_, index) => ({
    ...between.reveal,
    nonce: encodeBase64Url(new TextEncoder().encode(`${index}`.padStart(16))),
  }));
  for (const reveal of tries) assert.equal(await isRevealOf(between.commitment, reveal), false);
  // Another person, or another request, has another code.
  for (const change of [
    { personId: "acc_01jd8z0000e8m9a4v5c6d7e8f8" },
    { requestId: "dev_01jd8z0000e8m9a4v5c6d7e8f8" },
  ])
    assert.notEqual(await deviceCode({ ...request, ...change }, honest, device.reveal), code);
});

test("heads are taken from the key's person at this handover, and neither from anybody else nor of an earlier one that a service keeps", async () => {
  const [device, key, stranger] = await Promise.all([createNewDevice(), generatePersonalKey(), generatePersonalKey()]);
  const { identity, reveal } = device;
  const hash = "A".repeat(43);
  const organizationId = personId;
  const list = { number: 3, hash };
  const envelope = {
    ...{ organizationId, formId: "form_01jd8z0000e8m9a4v5c6d7e8f9" as never, formName: "Contact" },
    ...{ firstVersion: 1, revision: 2, hash, list, keyLog: list },
    readers: [{ id: personId, by: personId, isDoubtful: false }],
    keys: [
      {
        version: 1,
        fingerprint: hash,
        hybridFingerprint: null,
        seedHash: hash,
        isPublished: true,
        isAhead: false,
        isUnproven: false,
      },
    ],
  };
  const keyLog = { formId: envelope.formId, number: 4, hash };
  const confirmed = [
    { organizationId, id: personId, role: "reader" as const, fingerprint: hash, signingKey: hash, entry: 3 },
  ];
  const forms = [{ formId: envelope.formId, organizationId }];
  const heads = { lists: [{ organizationId, ...list }], envelopes: [envelope], keyLogs: [keyLog], confirmed, forms };
  const { commitment } = device;
  const to = { commitment, personId, recipient: reveal.recipient, signingSeed: key.signingSeed };
  const expected = { commitment, personId, signingKey: key.signingKey };
  const file = await sealDeviceHeads(heads, to);
  assert.deepEqual(await openDeviceHeads(file, identity, expected), { heads, leftOut: nothing });
  const reasonOf = (opened: unknown) => opened instanceof RefusalError && opened.reason;
  // A server can seal for the new device, and does not have the signing key.
  const forged = await sealDeviceHeads(heads, { ...to, signingSeed: stranger.signingSeed });
  assert.equal(reasonOf(await openDeviceHeads(forged, identity, expected)), "not_signed");
  // A service that kept the content of an earlier handover seals it again, and gives the next request the same id: the commitment is the new device's.
  const next = await createNewDevice();
  const lines = await decryptWith(identity, file);
  const replayed = await encryptTo([next.reveal.recipient], new TextDecoder().decode(lines));
  const asked = { ...expected, commitment: next.commitment };
  assert.equal(reasonOf(await openDeviceHeads(replayed, next.identity, asked)), "other_key");
  assert.equal(reasonOf(await openDeviceHeads(file, stranger.identity, expected)), "not_a_reader");
  assert.equal(reasonOf(await openDeviceHeads(file.slice(0, -1), identity, expected)), "malformed");
  const { identity: _, ...person } = await findPersonalKey("hybrid owner");
  assert.equal(
    reasonOf(await openDeviceHeads(file, identity, { ...expected, signingKey: person.signingKey })),
    "not_signed",
  );
});

const nothing = { lists: 0, envelopes: 0, keyLogs: 0, confirmed: 0, forms: 0 };

test("heads are written in one way; of more than fit into a file as many go along as do, and it says how many do not", async () => {
  const [device, key] = await Promise.all([createNewDevice(), generatePersonalKey()]);
  const { identity, reveal } = device;
  const hash = "A".repeat(43);
  const formId: FormId = "form_01jd8z0000e8m9a4v5c6d7e8f9" as FormId;
  const organizationId = personId;
  /** Another id, not in the order in which they are written. */
  const numbered = <Id extends string>(id: Id, index: number) => `${id.slice(0, -3)}${999 - index}` as Id;
  const { commitment } = device;
  const to = { commitment, personId, recipient: reveal.recipient, signingSeed: key.signingSeed };
  const expected = { commitment, personId, signingKey: key.signingKey };
  const none = { lists: [], envelopes: [], keyLogs: [], confirmed: [], forms: [] };
  const before = await sealDeviceHeads(none, to, 0);
  const line = `{"format":"sealpost-device-heads/1","commitment":"${commitment}","personId":"${personId}","writtenAt":"1970-01-01T00:00:00Z","lists":[],"envelopes":[],"keyLogs":[],"confirmed":[],"forms":[],"leftOut":{"lists":0,"envelopes":0,"keyLogs":0,"confirmed":0,"forms":0},"extensions":{},"critical":[]}`;
  assert.equal(new TextDecoder().decode(await decryptWith(identity, before)).split("\n")[0], line);
  assert.deepEqual(await openDeviceHeads(before, identity, expected), { heads: none, leftOut: nothing });
  const list = { number: 3, hash };
  const keys = Array.from({ length: 32 }, (_, index) => ({
    version: index + 1,
    ...{ fingerprint: hash, hybridFingerprint: hash, seedHash: hash, isPublished: true },
  }));
  const envelopeOf = (index: number, firstVersion: number) => ({
    ...{ organizationId, formId: numbered(formId, index), formName: "é".repeat(100) },
    ...{ firstVersion, revision: 1, hash, list, keyLog: null },
    ...{
      readers: [{ id: personId, by: personId }],
      keys: keys.map((one) => ({ ...one, version: one.version + firstVersion - 1 })),
    },
  });
  const member = (index: number) => ({
    ...{ organizationId, id: numbered(personId, index), role: "reader" as const },
    ...{ fingerprint: hash, signingKey: hash, entry: 3 },
  });
  const each = <Item>(count: number, make: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => make(index));
  const many: DeviceHeads = {
    lists: each(65, (index) => ({ organizationId: numbered(organizationId, index), ...list })),
    // The form that was made last has two.
    envelopes: [...each(400, (index) => envelopeOf(index, 1)), envelopeOf(0, 33)],
    keyLogs: each(401, (index) => ({ formId: numbered(formId, index), ...list })),
    confirmed: each(257, member),
    forms: each(401, (index) => ({ formId: numbered(formId, index), organizationId })),
  };
  const file = await sealDeviceHeads(many, to);
  assert.ok(file.length <= writtenHeadsBytesMax, `${file.length} bytes`);
  const opened = await openDeviceHeads(file, identity, expected);
  assert.ok(!(opened instanceof RefusalError), String(opened));
  const { heads, leftOut } = opened;
  assert.deepEqual(leftOut, { ...nothing, envelopes: 401 - heads.envelopes.length });
  assert.ok(heads.envelopes.length > 100 && leftOut.envelopes > 0, `${heads.envelopes.length} envelopes`);
  assert.deepEqual(
    [heads.lists, heads.keyLogs, heads.confirmed, heads.forms].map(({ length }) => length),
    [65, 401, 257, 401],
  );
  const ofLast = heads.envelopes.filter((one) => one.formId === numbered(formId, 0));
  assert.deepEqual(
    ofLast.map(({ firstVersion }) => firstVersion),
    [33],
    "the newest of each form goes first",
  );

  // Small heads are limited to the number that a reader takes.
  const spread = <Id extends string>(id: Id, index: number) => `${id.slice(0, -5)}${10_000 + index}` as Id;
  const forms = each(deviceHeadsMax + 1, (index) => ({ formId: spread(formId, index), organizationId }));
  const full = await openDeviceHeads(await sealDeviceHeads({ ...none, forms }, to), identity, expected);
  assert.ok(!(full instanceof RefusalError), String(full));
  assert.deepEqual([full.heads.forms.length, full.leftOut], [deviceHeadsMax, { ...nothing, forms: 1 }]);
  const content = {
    format: headsFormat,
    commitment,
    personId,
    writtenAt: "1970-01-01T00:00:00Z",
    ...none,
    forms,
    leftOut: nothing,
    extensions: {},
    critical: [],
  };
  const signed = await signLine(headsFormat, JSON.stringify(content), await importSigningKey(key.signingSeed));
  const over = await openDeviceHeads(await encryptTo([reveal.recipient], signed), identity, expected);
  assert.ok(over instanceof RefusalError && over.reason === "malformed", String(over));
});
