import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeenKey } from "./envelope-checks.ts";
import { FarVersionError, findNextKey } from "./next-revision.ts";

test("a rotation follows no key version that the server made up", () => {
  assert.deepEqual(findNextKey([{ version: 2 }, { version: 1 }], []), { version: 3, isHybrid: false });
  assert.equal(findNextKey([{ version: 32 }], []).version, 33);
  for (const confirmed of [undefined, 33])
    assert.throws(
      () => findNextKey([{ version: 999 }], [], { confirmed }),
      (error) => error instanceof FarVersionError && error.known === 0 && !error.isLogged,
    );
  assert.equal(findNextKey([{ version: 999 }], [], { confirmed: 999 }).version, 1000);
  for (const version of [1000, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY, Number.NaN])
    assert.throws(() => findNextKey([{ version }], []), /a form has at most 1000 key pairs/);
});

const envelopeOf = (...keys: readonly Pick<SeenKey, "version" | "hybridFingerprint" | "isPublished">[]) =>
  [{ head: { keys } }] as unknown as Parameters<typeof findNextKey>[1]; // what findNextKey reads of it
const hybrid = { hybridFingerprint: "A".repeat(43), isPublished: true };
const rsa = { hybridFingerprint: null, isPublished: true };

test("a rotation goes no more than an envelope's places above the newest version that an envelope has, whatever the server says", () => {
  const envelopes = envelopeOf({ version: 3, ...rsa }, { version: 2, ...rsa });
  assert.equal(findNextKey([{ version: 35 }], envelopes).version, 36);
  for (const version of [36, 998])
    assert.throws(() => findNextKey([{ version }], envelopes), /the newest in its envelope is 3/);
});

test("a rotation goes above every version that was seen as published, whatever the server calls the newest", () => {
  const seen = envelopeOf({ version: 1, ...rsa }, { version: 11, ...rsa });
  for (const published of [[], [{ version: 1 }], [{ version: 11 }]])
    assert.equal(findNextKey(published, seen).version, 12);
  assert.equal(findNextKey([{ version: 12 }], seen).version, 13);
  const planted = envelopeOf({ version: 1, ...rsa }, { version: 11, ...rsa, isPublished: false });
  assert.equal(findNextKey([{ version: 1 }], planted).version, 2, "control: that of a key that was never published");
  assert.throws(() => findNextKey([{ version: 1 }], envelopeOf({ version: 1000, ...rsa })), /at most 1000 key pairs/);
});

test("a rotation makes a hybrid key where the newest published one in an envelope has one, whatever the server calls the newest", () => {
  const envelopes = envelopeOf({ version: 2, ...hybrid }, { version: 1, ...rsa });
  for (const version of [2, 3]) assert.equal(findNextKey([{ version }], envelopes).isHybrid, true, String(version));
  const later = envelopeOf({ version: 1, ...rsa }, { version: 2, ...hybrid, isPublished: false });
  assert.deepEqual(findNextKey([{ version: 1 }], later), { version: 2, isHybrid: true }, "the server denies that one");
  const dropped = envelopeOf({ version: 1, ...hybrid }, { version: 2, ...rsa });
  assert.equal(findNextKey([{ version: 2 }], dropped).isHybrid, false, "control: it was left out on purpose");
});

test("where the server denies every key of the envelopes that opened, the newest of them counts, with its hybrid key", () => {
  const denied = envelopeOf({ version: 3, ...hybrid, isPublished: false }, { version: 1, ...rsa, isPublished: false });
  assert.deepEqual(findNextKey([{ version: 35 }], denied), { version: 36, isHybrid: true });
  for (const version of [36, 998])
    assert.throws(() => findNextKey([{ version }], denied), /the newest in its envelope is 3/);
});

test("versions are counted from the newest entry of a key log that is followed, whatever the envelopes have", () => {
  const envelopes = envelopeOf({ version: 1, ...rsa });
  const logged = { version: 34, hybridFingerprint: null };
  assert.deepEqual(findNextKey([{ version: 34 }], envelopes, { logged }), { version: 35, isHybrid: false });
  assert.equal(findNextKey([{ version: 66 }], envelopes, { logged }).version, 67);
  for (const confirmed of [undefined, 67])
    assert.throws(
      () => findNextKey([{ version: 67 }], envelopes, { logged, confirmed }),
      (error) => error instanceof FarVersionError && error.isLogged && error.known === 34,
    );
  assert.equal(
    findNextKey([{ version: 35 }], envelopeOf({ version: 3, ...rsa }), { logged: { ...logged, version: 1 } }).version,
    36,
  );
  assert.equal(findNextKey([{ version: 1 }], envelopes, { logged: { version: 1, ...hybrid } }).isHybrid, true);
});

test("without a key log a person says that the server's version is right, and that one alone counts", () => {
  const envelopes = envelopeOf({ version: 1, ...rsa });
  assert.equal(findNextKey([{ version: 34 }], envelopes, { confirmed: 34 }).version, 35);
  for (const confirmed of [33, 35, 1])
    assert.throws(() => findNextKey([{ version: 34 }], envelopes, { confirmed }), FarVersionError);
  assert.throws(() => findNextKey([{ version: 1000 }], envelopes, { confirmed: 1000 }), /at most 1000 key pairs/);
});
