import assert from "node:assert/strict";
import { test } from "node:test";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { createForm, pair, postPlain, sealSubmission } from "./testing/test-form.ts";

test("from its end on an older key version takes nothing more, what was stored before is answered as before, and a later rotation opens no version again", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const formId = await createForm(account);
  const [second, third] = [takeKeyPair(), takeKeyPair()];
  const keyOf = [pair.publicKey, second.publicKey, third.publicKey];
  const make = (version: number) => sealSubmission(formId, version, keyOf[version - 1]);
  const post = async (body: object) => {
    const answer = await service.request("POST", `/api/forms/${formId}/submissions`, { body });
    return [answer.status, answer.body.code];
  };
  const ask = async (path: string, body: object) => {
    clock.advance(1);
    const answer = await account.request("POST", `/api/forms/${formId}${path}`, body);
    return [answer.status, answer.body.details ?? answer.body.code];
  };
  const listEnds = async () => {
    const { keys } = (await account.request("GET", `/api/forms/${formId}/keys`)).body;
    return keys.map(({ closesAt }: { closesAt?: number }) => closesAt).toReversed();
  };
  const tooHigh = (newest: number) => `Must be at most ${newest}, the newest key version of this form`;
  assert.deepEqual(await ask("/keys/close", { below: 2, at: 0 }), [400, { below: tooHigh(1) }]);
  const end = clock.now() + 60_000;
  const rotation = { publicKey: second.publicKey, closeKeyVersions: { below: 3, at: end } };
  assert.deepEqual(await ask("/rotate-keys", rotation), [400, { "closeKeyVersions.below": tooHigh(2) }]);
  assert.deepEqual(await listEnds(), [undefined], "nothing of a refused rotation is kept");
  assert.deepEqual(await ask("/rotate-keys", { ...rotation, closeKeyVersions: { below: 2, at: end } }), [
    200,
    undefined,
  ]);
  assert.deepEqual(await listEnds(), [end, undefined]);

  const stored = await make(1);
  assert.deepEqual(await post(stored), [201, undefined], "until then it is taken");
  clock.advance(60_000);
  assert.deepEqual(await post(await make(1)), [410, "key_version_closed"]);
  assert.deepEqual(await post(stored), [200, undefined]);
  assert.deepEqual(await post(await make(2)), [201, undefined]);
  await account.request("POST", `/api/forms/${formId}/submissions/bin`, { ids: [stored.id] });
  assert.deepEqual(await post(stored), [200, undefined], "what is in the bin was stored too");

  const later = clock.now() + 60_000;
  const next = { publicKey: third.publicKey, closeKeyVersions: { below: 3, at: later } };
  assert.deepEqual(await ask("/rotate-keys", next), [200, undefined]);
  assert.deepEqual(await listEnds(), [end, later, undefined]);
  assert.deepEqual(await post(await make(1)), [410, "key_version_closed"]);
  assert.deepEqual(await post(await make(2)), [201, undefined]);
  assert.deepEqual(await ask("/keys/close", { below: 3, at: 0 }), [200, undefined]);
  const ended = clock.now();
  assert.deepEqual(await post(await make(2)), [410, "key_version_closed"]);
  assert.deepEqual(await ask("/keys/close", { below: 3, at: null }), [200, undefined]);
  assert.deepEqual(await listEnds(), [undefined, undefined, undefined]);
  assert.deepEqual(await post(await make(1)), [201, undefined]);
  const { entries } = (await account.request("GET", "/api/audit-log?action=form.keys_closed")).body;
  assert.deepEqual(
    entries
      .toReversed()
      .map(({ details }: { details: { changes: { to: unknown }[] } }) => details.changes.map(({ to }) => to)),
    [
      [2, new Date(end).toISOString()],
      [3, new Date(later).toISOString()],
      [3, new Date(ended).toISOString()],
      [3, null],
    ],
  );
});

test("the end of a key version refuses nothing that is not sealed", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  await account.request("POST", `/api/forms/${formId}/rotate-keys`, {
    publicKey: takeKeyPair().publicKey,
    closeKeyVersions: { below: 2, at: 0 },
  });
  await postPlain(service, formId);
  const plain = { payload: { encrypted: false, version: "plain1", fields: {} }, keyVersion: 1 };
  assert.equal((await service.request("POST", `/api/forms/${formId}/submissions`, { body: plain })).status, 201);
  const sealed = await sealSubmission(formId);
  assert.equal((await service.request("POST", `/api/forms/${formId}/submissions`, { body: sealed })).status, 410);
});
