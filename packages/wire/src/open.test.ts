import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findOpeningKeys, open } from "./open.ts";
import { seal, sealWith } from "./seal.ts";
import { binding, flipBit, otherForm } from "./testing/opening-vectors.ts";
import { importVectorKey, vectorKeys } from "./testing/vector-keys.ts";

const sealed = seal({ email: "ada@example.com" }, binding, vectorKeys.small.publicKey);
const openingKey = importVectorKey("small");
const message = "This payload could not be opened: it was changed, or sealed to another key";

test("any single flipped bit of data, key or iv gives the one same failure", async () => {
  const payload = await sealed;
  const keys = [await openingKey];
  const bits = { data: 1040 * 8, key: 256 * 8, iv: 12 * 8 };
  const anyBit = fc
    .constantFrom("data" as const, "key" as const, "iv" as const)
    .chain((member) => fc.record({ member: fc.constant(member), bit: fc.nat({ max: bits[member] - 1 }) }));
  await fc.assert(
    fc.asyncProperty(anyBit, async ({ member, bit }) => {
      const changed = { ...payload, [member]: flipBit(payload[member], bit) };
      assert.deepEqual(await open({ ...binding, payload: changed }, keys), {
        opened: false,
        reason: "could_not_be_opened",
        message,
      });
    }),
    { numRuns: 300 },
  );
  // The control: without a flipped bit the same payload and key do open.
  assert.equal((await open({ ...binding, payload }, keys)).opened, true);
});

test("any single bit flipped in the text of a member never opens", async () => {
  const payload = await sealed;
  const keys = [await openingKey];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("data" as const, "key" as const, "iv" as const),
      fc.nat(),
      async (member, seed) => {
        const text = payload[member];
        const bit = seed % (text.length * 8);
        const at = bit >> 3;
        const flipped =
          text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << (bit & 7))) + text.slice(at + 1);
        const changed = await open({ ...binding, payload: { ...payload, [member]: flipped } }, keys);
        assert.equal(changed.opened, false);
      },
    ),
    { numRuns: 200 },
  );
});

test("a submission of one form, key version or id does not open as that of another", async () => {
  const payload = await sealed;
  const keys = [await openingKey];
  for (const change of [{ formId: otherForm }, { keyVersion: 2 }, { submissionId: "sub_" as const }])
    assert.deepEqual(await open({ ...binding, ...change, payload }, keys), {
      opened: false,
      reason: "could_not_be_opened",
      message,
    });
});

test("an unknown version and a missing key are reported before any cipher runs", async () => {
  const payload = await sealed;
  const { cryptoKey, fingerprint } = await openingKey;
  const original = crypto.subtle.decrypt;
  let decryptions = 0;
  crypto.subtle.decrypt = (...given) => {
    decryptions++;
    return original.apply(crypto.subtle, given);
  };
  try {
    const future = await open({ ...binding, payload: { ...payload, version: "sp3" } }, [{ cryptoKey, fingerprint }]);
    const noKey = await open({ ...binding, payload }, [{ cryptoKey, fingerprint, keyVersion: 2 }]);
    assert.deepEqual(future, {
      opened: false,
      reason: "unknown_version",
      message: "This payload has a format that this version cannot open",
    });
    assert.deepEqual(noKey, {
      opened: false,
      reason: "no_key",
      message: "No private key available for key version 1 of this form",
    });
    assert.equal(decryptions, 0);
    await open({ ...binding, payload }, [{ cryptoKey, fingerprint }]);
    assert.equal(decryptions, 2, "the control: opening decrypts the content key and the data");
  } finally {
    crypto.subtle.decrypt = original;
  }
});

test("members that are no text at all give the one failure and no exception", async () => {
  const payload = await sealed;
  for (const value of [null, undefined, 1, {}, [], ["A"]]) {
    for (const member of ["data", "key", "iv"] as const) {
      // Values that a stranger's JSON may have where the type says string.
      const changed = { ...payload, [member]: value } as unknown as typeof payload;
      const result = await open({ ...binding, payload: changed }, [await openingKey]);
      assert.deepEqual(result, { opened: false, reason: "could_not_be_opened", message });
    }
  }
});

test("with keys of several versions, each submission opens with its own", async () => {
  const names = ["first", "small", "second"] as const;
  const keys = await Promise.all(
    names.map((name, index) => importVectorKey(name, { formId: binding.formId, keyVersion: index + 1 })),
  );
  for (const [index, name] of names.entries()) {
    const bound = { ...binding, keyVersion: index + 1 };
    const payload = await seal({ sealedWith: name }, bound, vectorKeys[name].publicKey);
    assert.deepEqual(await open({ ...bound, payload }, keys), { opened: true, fields: { sealedWith: name } });
    const expected = vectorKeys[name].fingerprint;
    assert.equal((await open({ ...bound, payload }, keys, expected)).opened, true);
  }
});

test("keys are chosen by fingerprint, else by form and version, else those without a version", async () => {
  const wanted = { formId: binding.formId, keyVersion: 2 };
  const [exact, anyForm, unlabelled, foreign, older] = await Promise.all([
    importVectorKey("first", wanted),
    importVectorKey("second", { keyVersion: 2 }),
    importVectorKey("small"),
    importVectorKey("large", { formId: otherForm, keyVersion: 2 }),
    importVectorKey("large", { formId: binding.formId, keyVersion: 1 }),
  ]);
  assert.deepEqual(findOpeningKeys([older, foreign, unlabelled, anyForm, exact], wanted), [anyForm, exact]);
  assert.deepEqual(findOpeningKeys([older, foreign, unlabelled], wanted), [unlabelled]);
  assert.deepEqual(findOpeningKeys([older, foreign], wanted), []);
  assert.deepEqual(findOpeningKeys([], wanted), []);
  assert.deepEqual(findOpeningKeys([exact, older], wanted, older.fingerprint), [older]);
  assert.deepEqual(findOpeningKeys([exact, unlabelled], wanted, older.fingerprint), []);
});

test("a content key that begins with zero bytes opens as any other", async () => {
  for (const zeros of [1, 2, 31, 32]) {
    const randomBytes = (length: number) => new Uint8Array(length).fill(7).fill(0, 0, zeros);
    const payload = await sealWith(randomBytes, { zeros: `${zeros}` }, binding, vectorKeys.small.publicKey);
    assert.deepEqual(await open({ ...binding, payload }, [await openingKey]), {
      opened: true,
      fields: { zeros: `${zeros}` },
    });
  }
});
