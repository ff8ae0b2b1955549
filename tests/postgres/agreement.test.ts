import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createId } from "@sealpost/wire";
import { createPlainForm, post, request, startTwo } from "./processes.ts";

// One pair of processes for all but the last; each test has forms or keys of its own.
const { one, other, token, database } = await startTwo({ after });

test("two processes count exactly what both accept, and take one id once", async () => {
  const forms = [await createPlainForm(one, token), await createPlainForm(one, token)];
  const ids = Array.from({ length: 40 }, () => createId("submission"));
  const answers = await Promise.all(
    forms.flatMap((form) =>
      ids.flatMap((id) => [
        post(one, form, { id, keyVersion: 1 }),
        post(other, form, { id, keyVersion: 1 }),
        post(one, form),
        post(other, form),
      ]),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 80, "the same again");
  assert.equal(statuses.filter((status) => status === 201).length, 240);
  for (const form of forms) {
    for (const service of [one, other]) {
      assert.equal((await request(service, "GET", `/api/forms/${form}`, { token })).body.form.submissionCount, 120);
      const { body } = await request(service, "GET", `/api/forms/${form}/submissions?from=0`, { token });
      assert.equal(body.total, 120);
    }
    const { body } = await request(other, "GET", `/api/forms/${form}/stats`, { token });
    assert.equal(body.stats.totalSubmissions, 120, JSON.stringify(body));
  }
});

test("what is deleted in one process while both accept is deleted, and the rest is counted", async () => {
  const form = await createPlainForm(one, token);
  const accepted = new Set<string>();
  let deleted = 0;
  let isOver = false;
  const load = [one, other, one, other].map(async (service) => {
    while (!isOver) {
      const { status, body } = await post(service, form);
      assert.equal(status, 201);
      accepted.add(body.submission.id);
    }
  });
  for (let round = 0; round < 6; round++) {
    const path = `/api/forms/${form}/submissions?confirm=DELETE_SUBMISSIONS`;
    const { status, body } = await request(round % 2 === 0 ? other : one, "DELETE", path, { token });
    assert.equal(status, 200);
    deleted += body.deleted.submissionsDeleted;
  }
  isOver = true;
  await Promise.all(load);
  const left = (await request(one, "GET", `/api/forms/${form}/submissions?from=0&limit=1`, { token })).body.total;
  assert.equal(left + deleted, accepted.size);
  assert.equal((await request(one, "GET", `/api/forms/${form}`, { token })).body.form.submissionCount, left);
  // The purge of either process ends it, and nothing hides for ever or comes back.
  const purge = database.selectFrom("submission_purge").select("form_id").where("form_id", "=", form);
  while ((await purge.execute()).length > 0) await request(one, "GET", "/health/live");
  const rows = await database.selectFrom("submission").select("id").where("form_id", "=", form).execute();
  assert.equal(rows.length, left);
});

test("an API key that one process revokes is refused by the other on the next request", async () => {
  const { key } = (await request(one, "POST", "/api/api-keys", { token, body: { name: "Key" } })).body;
  assert.equal((await request(other, "GET", "/api/forms", { token: key.key })).status, 200);
  await request(one, "DELETE", `/api/api-keys/${key.id}`, { token });
  assert.equal((await request(other, "GET", "/api/forms", { token: key.key })).status, 401);
});

test("two processes together make no more API keys than the plan allows", async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      request(index % 2 === 0 ? one : other, "POST", "/api/api-keys", { token, body: { name: `Key ${index}` } }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 5);
  assert.equal((await request(other, "GET", "/api/api-keys", { token })).body.total, 5);
});

test("signing out in one process ends the session in the other, token and cookie", async () => {
  const signedIn = await request(one, "POST", "/api/auth/sign-in/email", {
    body: { email: "owner@example.com", password: "correct horse battery" },
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const { token: ended } = (await request(one, "GET", "/api/auth/token", { cookie })).body;
  assert.equal((await request(other, "GET", "/api/forms", { token: ended })).status, 200);
  assert.equal((await request(other, "GET", "/api/forms", { cookie })).status, 200);
  const out = await fetch(`${one.url}/api/auth/sign-out`, { method: "POST", headers: { cookie, origin: one.url } });
  assert.equal(out.status, 200);
  assert.equal((await request(other, "GET", "/api/forms", { token: ended })).status, 401);
  assert.equal((await request(other, "GET", "/api/forms", { cookie })).status, 401);
});

test("settings that one process changes decide at once what the other accepts", async () => {
  const form = await createPlainForm(one, token);
  // So that the other has the form in its memory.
  assert.equal((await post(other, form)).status, 201);
  for (const [encryption, status] of [
    [true, 400],
    [false, 201],
    [true, 400],
  ] as const) {
    const changed = await request(one, "PATCH", `/api/forms/${form}`, { token, body: { settings: { encryption } } });
    assert.equal(changed.status, 200);
    assert.equal((await post(other, form)).status, status);
  }
  await request(one, "DELETE", `/api/forms/${form}?confirm=DELETE_FORM`, { token });
  assert.equal((await post(other, form)).status, 404);
});

test("an account's requests are counted over both processes", async (t) => {
  const limited = await startTwo(t, { SEALPOST_API_RATE: "10" });
  const answers = [];
  for (let index = 0; index < 12; index++)
    answers.push(
      await request(index % 2 === 0 ? limited.one : limited.other, "GET", "/api/forms", { token: limited.token }),
    );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array(10).fill(200), 429, 429],
  );
});
