import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createId } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { settingNames, settings } from "../forms/form-settings.ts";
import { createForm, sealSubmission } from "../forms/testing/test-form.ts";
import { createKeyRing, type KeyRing } from "../instance/key-ring.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { createFirstSubmissions } from "./first-submission.ts";

const origin = "https://page.example";
const fields = { message: "write to ada@example.com", phone: "+49 30 901820" };
const plain = () => ({ id: createId("submission"), payload: { encrypted: false, version: "plain1", fields } });

type FormId = Parameters<typeof sealSubmission>[0];
type Change = (account: TestAccount, formId: FormId) => Promise<unknown>;

/** A first try of a visitor, for a form with these settings. */
const kinds = {
  sealed: { settings: {}, make: (formId: FormId): Promise<object> | object => sealSubmission(formId) },
  plain: { settings: { encryption: false }, make: plain },
  stripped: { settings: { encryption: false, piiStrip: true }, make: plain },
} as const;

async function ask(account: TestAccount, method: string, path: string, body?: object) {
  const answer = await account.request(method, path, body);
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
}

const change = (settings: object) => (account: TestAccount, formId: FormId) =>
  ask(account, "PATCH", `/api/forms/${formId}`, { settings });

/** Everything that decides what becomes of a submission, and can be another thing when it is sent again. */
const changes: Readonly<Record<string, Change>> = {
  ...Object.fromEntries(
    settingNames.flatMap((name) =>
      [settings[name].default, ...settings[name].examples].map((value) => [
        `${name} is ${JSON.stringify(value)}`,
        change({ [name]: value }),
      ]),
    ),
  ),
  "every setting has another value": change(
    Object.fromEntries(settingNames.map((name) => [name, settings[name].examples.at(-1)])),
  ),
  "the form has another key": (account, formId) =>
    ask(account, "POST", `/api/forms/${formId}/rotate-keys`, { publicKey: takeKeyPair().publicKey }),
  "the form's former key is closed": (account, formId) =>
    ask(account, "POST", `/api/forms/${formId}/rotate-keys`, {
      publicKey: takeKeyPair().publicKey,
      closeKeyVersions: { below: 2, at: 0 },
    }),
};

/** Deletes all that is in the bin. */
const emptiesBin = "binDays is 0";

function createPost(service: TestService, formId: FormId) {
  return async (body: object, headers: Readonly<Record<string, string>> = { origin }) => {
    const answer = await service.request("POST", `/api/forms/${formId}/submissions`, { body, headers });
    return { status: answer.status, submission: answer.body.submission, code: answer.body.code };
  };
}

async function start(t: TestContext) {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  return { clock, service, account: await service.signUp() };
}

suite("a submission whose answer was lost gets that answer, whatever the form's owner has changed since", () => {
  for (const [kind, { settings, make }] of Object.entries(kinds))
    test(`${kind}: …`, async (t) => {
      const { clock, service, account } = await start(t);
      const check = async ([name, apply]: readonly [string, Change]) => {
        const formId = await createForm(account, settings);
        const post = createPost(service, formId);
        const [kept, binned, other] = [await make(formId), await make(formId), await make(formId)];
        const first = await post(kept);
        const second = await post(binned);
        assert.deepEqual([first.status, second.status], [201, 201], name);
        await ask(account, "POST", `/api/forms/${formId}/submissions/bin`, { ids: [second.submission.id] });
        clock.advance(1000);
        await apply(account, formId);
        const answered = ({ submission }: typeof first) => ({ status: 200, submission, code: undefined });
        assert.deepEqual(await post(kept), answered(first), name);
        if (name === emptiesBin) assert.equal(await untilRefused(() => post(binned)), "submission_deleted");
        else assert.deepEqual(await post(binned), answered(second), name);
        // Other content under the same id is answered as a new submission is, or by the conflict.
        const fresh = await post(other);
        const foreign = await post({ ...(await make(formId)), ...withOtherContent(kept, other) });
        assert.ok(foreign.status >= 400, `${name}: ${JSON.stringify(foreign)}`);
        if (fresh.status >= 400) assert.deepEqual(foreign, fresh, name);
        else assert.equal(foreign.code, "submission_id_taken", name);
      };
      // Not all at once: one person's transactions have few places, and on a busy machine some would be refused.
      const all = Object.entries(changes);
      for (let begun = 0; begun < all.length; begun += 6) await Promise.all(all.slice(begun, begun + 6).map(check));
    });
});

/** The bin is emptied in the background. */
async function untilRefused(post: () => Promise<{ readonly code: string }>): Promise<string | undefined> {
  for (let tries = 0; tries < 100; tries++) {
    const { code } = await post();
    if (code !== undefined) return code;
    await setTimeout(50);
  }
  return undefined;
}

/** The content of `other`, under the id of `first`. */
function withOtherContent(first: object, other: object): object {
  const { payload, ...rest } = structuredClone({ payload: {}, id: "", ...other });
  const id = "id" in first ? first.id : undefined;
  if ("fields" in payload) return { ...rest, id, payload: { ...payload, fields: { message: "another" } } };
  return { ...rest, id, payload };
}

test("of what was stripped nothing is stored but a digest under the service's secret, another one for each submission", async (t) => {
  const { service, account } = await start(t);
  const formId = await createForm(account, kinds.stripped.settings);
  const post = createPost(service, formId);
  const [one, two] = [plain(), plain()];
  const harmless = { ...plain(), payload: { encrypted: false, version: "plain1", fields: { message: "hello" } } };
  const { id: _id, ...unnamed } = plain();
  for (const body of [one, two, harmless, unnamed]) assert.equal((await post(body)).status, 201);
  const rows = await service.database
    .selectFrom("submission")
    .select(["fields", "posted_digest"])
    .where("form_id", "=", formId)
    .orderBy("sequence")
    .execute();
  assert.ok(rows.every(({ fields }) => fields !== null && !fields.includes("ada@")));
  const [first, second, ...others] = rows.map(({ posted_digest }) => posted_digest);
  assert.ok(first && second && first !== second);
  assert.match(first, /^[\w-]{43}$/);
  assert.deepEqual(others, [null, null], "nothing was stripped; or nobody can ask again");
  const listed = await account.request("GET", `/api/forms/${formId}/submissions`);
  assert.ok(!JSON.stringify(listed.body).includes(first));
});

test("what was stripped is known when it is sent again although it came back from the bin", async (t) => {
  const { service, account } = await start(t);
  const formId = await createForm(account, kinds.stripped.settings);
  const post = createPost(service, formId);
  const body = plain();
  const { submission } = await post(body);
  await ask(account, "POST", `/api/forms/${formId}/submissions/bin`, { ids: [body.id] });
  await ask(account, "POST", `/api/forms/${formId}/submissions/bin/restore`, { ids: [body.id] });
  await change({ piiTypes: ["PHONE_NUMBER"] })(account, formId);
  assert.deepEqual(await post(body), { status: 200, submission, code: undefined });
});

test("what was deleted is not brought back, and a site that may not submit learns of no id whether it is taken", async (t) => {
  const { service, account } = await start(t);
  const formId = await createForm(account, { ...kinds.plain.settings, binDays: 0 });
  const post = createPost(service, formId);
  const [kept, deleted, fresh] = [plain(), plain(), plain()];
  for (const body of [kept, deleted]) assert.equal((await post(body)).status, 201);
  await ask(account, "POST", `/api/forms/${formId}/submissions/delete`, { ids: [deleted.id] });
  assert.equal((await post(deleted)).status, 409);
  await change({ allowedOrigins: ["https://other.example"] })(account, formId);
  const other = { ...kept, payload: { ...kept.payload, fields: { message: "a guess" } } };
  for (const body of [deleted, other, fresh])
    assert.deepEqual(await post(body), { status: 403, submission: undefined, code: "origin_not_allowed" });
  assert.equal((await post(kept)).status, 200);
});

test("what was stripped is known when it is sent again after the service's secret was changed, until the former one is dropped", async (t) => {
  const { service } = await start(t);
  const [first, second] = [1, 2].map((number) => ({ number, secret: new Uint8Array(32).fill(number) }));
  assert.ok(first && second);
  const id = createId("submission");
  const formId = createId("form");
  const stored = { formId, id, keyVersion: 1, payload: { version: "plain1", fields: {} }, timestamp: 1 } as const;
  const create = (ring: KeyRing, postedDigest?: string) =>
    createFirstSubmissions({
      database: service.database,
      submissions: { find: async () => ({ ...stored, receivedAt: 1, postedDigest }), findInBin: async () => undefined },
      secretBox: createSecretBox(ring),
    });
  const posted = { keyVersion: undefined, payload: { version: "plain1", fields } } as const;
  const digest = create(createKeyRing([first], 1)).digestPosted(formId, id, fields);
  const ask = async (ring: KeyRing) => (await create(ring, digest).findFirst(formId, id, posted)).outcome;
  assert.equal(await ask(createKeyRing([first, second], 1)), "repeated");
  assert.equal(await ask(createKeyRing([first, second], 2)), "repeated");
  assert.equal(await ask(createKeyRing([second], 2)), "conflict");
});
