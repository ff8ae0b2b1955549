import assert from "node:assert/strict";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { get, type IncomingMessage, type ServerResponse } from "node:http";
import { after, test } from "node:test";
import { createId, type FormId } from "@sealpost/wire";
import { createForm } from "../../packages/server/src/forms/testing/test-form.ts";
import { insertSubmissions } from "../../packages/server/src/testing/insert-submissions.ts";
import { type Revocation, revocations } from "./revocations.ts";
import { openRights } from "./rights.ts";

const rights = await openRights({ after });
const { service, scene, createActor } = rights;
const { owner } = scene;

function find(name: string): Revocation {
  const found = revocations.find((one) => one.name === name);
  assert.ok(found, name);
  return found;
}

/** More than the buffers of a connection hold: a client that does not read leaves the answer unfinished. */
async function fillForm(): Promise<FormId> {
  const formId = await createForm(owner, { encryption: false });
  const payload = { version: "plain1" as const, fields: { text: "x".repeat(100_000) } };
  for (let start = 0; start < 200; start += 50)
    await insertSubmissions(
      service.database,
      Array.from({ length: 50 }, (_, index) => ({
        ...{ formId, id: createId("submission"), keyVersion: 1, payload, timestamp: 0, receivedAt: start + index },
      })),
    );
  return formId;
}

/** An export of which nothing is read; `ended` once the service has closed its connection. */
async function beginExport(formId: string, authorization: string) {
  const url = `${service.url}/api/forms/${formId}/submissions/export`;
  const asked = once(service.app.server, "request") as Promise<[IncomingMessage, ServerResponse]>; // Node's own event
  const request = get(url, { headers: { authorization }, agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  const [, answer] = await asked;
  const ended = once(answer, "close");
  return {
    /** Fails unless the answer broke off before it was whole. */
    async assertBroken() {
      await ended;
      const broken = once(response, "error");
      response.resume();
      const [error] = await broken;
      assert.equal(error.code, "ECONNRESET");
    },
  };
}

const formId = await fillForm();
const ways = [
  ["the session is ended in another browser", "session"],
  ["the password is changed in another browser", "session"],
  ["the member is removed", "session"],
  ["the member is removed", "apiKey"],
  ["the API key is revoked", "apiKey"],
  ["the account is disabled", "apiKey"],
] as const;
for (const [name, credential] of ways)
  test(`an export by ${credential} that is under way breaks off when ${name}`, async () => {
    const actor = await createActor();
    const exported = await beginExport(formId, actor.authorization[credential]);
    await find(name).by(scene, actor);
    await exported.assertBroken();
  });

test("an export breaks off when its form is deleted", async () => {
  const other = await fillForm();
  const exported = await beginExport(other, `Bearer ${owner.token}`);
  assert.equal((await owner.request("DELETE", `/api/forms/${other}?confirm=DELETE_FORM`)).status, 200);
  await exported.assertBroken();
});

test("every route that answers with a stream ends it with the right to read it", () => {
  const routes = globSync("packages/server/src/**/*-routes.ts").filter((file) => !file.includes(".test."));
  const streaming = routes.filter((file) => readFileSync(file, "utf8").includes("Readable.from("));
  assert.ok(streaming.length >= 3, streaming.join());
  assert.deepEqual(
    streaming.filter((file) => !readFileSync(file, "utf8").includes("request.endsWithRight(stream")),
    [],
  );
});
