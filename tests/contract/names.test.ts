import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, createTestService, type TestService } from "../../packages/server/src/testing/test-service.ts";
import { type Document, listNames } from "./name-places.ts";
import { createOperationCalls } from "./operation-calls.ts";
import { listDocumentOperations } from "./operations.ts";

/** Control, line, direction and zero-width characters: what a name must not have, wherever it is given. */
const refused = [
  ...["\u0000", "\u0007", "\n", "\r", "\t", "\u001b", "\u007f", "\u0085", "\u009f"],
  ...["\u2028", "\u2029", "\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"],
  ...["\u200b", "\u2060", "\ufeff", "\ufff9", "\ud83d"],
];
/** Characters that names of people have. */
const taken = ["Zoë", "王小明", "علی‌رضا", "👩‍💻", "❤️", "O'Brien-Łukasz"];

function withName(body: unknown, place: string, name: string): unknown {
  const copy = structuredClone(body) as Record<string, unknown>; // an object, as every such body
  const members = place.split(".");
  let at: Record<string, unknown> = copy;
  for (const member of members.slice(0, -1)) at = at[member] as Record<string, unknown>; // as the schema says
  at[members.at(-1) ?? ""] = name;
  return copy;
}

/** Whether the answer refuses that member. */
function refuses({ status, body }: Pick<Answer, "status" | "body">, place: string): boolean {
  if (status !== 400 && status !== 422) return false;
  const { details = {}, error } = body;
  const member = place.split(".").at(-1) ?? "";
  return Object.keys(details).some((key) => key.split(".").includes(member)) || /^Key name/.test(error);
}

/** A name of the list is what its entry commits to, or it is refused; what one may be is in the tests of the file of names. */
const ofList = ["addMemberListEntry", "giveBackMemberListEntries"];

test("no operation takes a name that hides something or turns the text around it", async (t) => {
  const service = await createTestService(t, {
    apiKeyRate: 0,
    environment: { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8", SEALPOST_API_RATE: "0" },
  });
  const account = await service.signUp();
  const calls = createOperationCalls(service);
  const document: Document = (await service.request("GET", "/api/openapi.json")).body;
  const operations = listDocumentOperations(document).filter(
    (one) => !ofList.includes(one.operationId) && listNames(document, one).length > 0,
  );
  const names = operations.map(({ operationId }) => operationId);
  for (const known of [
    "createForm",
    "updateForm",
    "createApiKey",
    "renameAccount",
    "renameOrganization",
    "setFormHold",
  ])
    assert.ok(names.includes(known), `${known} is not among ${names}`);
  for (const operation of operations) {
    const ids = await calls.createIds(account, operation);
    for (const place of listNames(document, operation)) {
      const send = (name: string) => ask(service, account.token, calls.prepare(operation, ids), place, name);
      const passed: string[] = [];
      for (const character of refused)
        if (!refuses(await send(`A${character}B`), place)) passed.push(JSON.stringify(character));
      assert.deepEqual(passed, [], `${operation.operationId} ${place}`);
      for (const name of taken) assert.ok(!refuses(await send(name), place), `${operation.operationId} ${name}`);
    }
  }
});

test("nobody signs up with such a name either", async (t) => {
  const service = await createTestService(t);
  await service.signUp();
  for (const character of refused) {
    const body = { name: `A${character}B`, email: "person@example.com", password: "correct horse battery" };
    const answer = await service.request("POST", "/api/auth/sign-up/email", { body });
    assert.ok(refuses(answer, "name"), JSON.stringify(character));
  }
});

function ask(
  service: TestService,
  token: string,
  { method, path, headers, body }: ReturnType<ReturnType<typeof createOperationCalls>["prepare"]>,
  place: string,
  name: string,
) {
  const asked = JSON.stringify(withName(JSON.parse(body ?? "{}"), place, name));
  return service.request(method, path, { token, headers, body: asked });
}
