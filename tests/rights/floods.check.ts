import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createWebhookService } from "../../packages/server/src/deliveries/testing/webhook-service.ts";
import { createForm } from "../../packages/server/src/forms/testing/test-form.ts";
import { onEither } from "../../packages/server/src/testing/test-database.ts";
import { type Flood, flood, time } from "./flood.ts";
import { type Actor, type Revocation, revocations, succeed } from "./revocations.ts";
import { openRights, type Rights } from "./rights.ts";

/**
 * Nobody holds a door shut by going through it again and again: each way in which a right ends is tried while the one who is to lose
 * it sends requests without a pause, and so is each change of a form while visitors do. PostgreSQL lets those who share a row pass
 * those who wait for it alone, and would answer none of these while a flood lasts (docs/decisions/0038-rights-over-time.md).
 */
const atOnce = 20;

const environment = { SEALPOST_API_RATE: "0", SEALPOST_SUBMIT_RATE: "0" };
const plain = { encryption: false, piiStrip: false, allowedOrigins: ["*"] };

/** More that ends or narrows what a member does. */
const others: readonly Pick<Revocation, "name" | "by" | "begin" | "undo" | "status">[] = [
  {
    name: "every other session is ended by the library",
    by: (_scene, actor) => actor.post("/api/auth/revoke-other-sessions", {}),
  },
  {
    name: "a form is handed to another organization",
    async by({ owner }) {
      const form = await createForm(owner, plain);
      const made = await owner.request("POST", "/api/organizations", { name: crypto.randomUUID() });
      const organizationId = made.body.organization.id;
      await succeed(owner.request("POST", `/api/forms/${form}/hand-over`, { organizationId }));
    },
  },
];

test("every way in which a right ends is done within seconds, whatever the one who loses it sends meanwhile", async (t) => {
  const rights = await openRights({ after: (end) => t.after(end) }, environment);
  const late: string[] = [];
  for (const { name, begin, by, undo, status } of [...revocations, ...others]) {
    const actor = await rights.createActor();
    // A member of named forms has no form to flood: they are owners until then.
    if (status !== 404) await begin?.(rights.scene, actor, []);
    const running = await floodAs(rights, actor);
    late.push(...(await time(name, running, () => by(rights.scene, actor))));
    await undo?.(rights.scene);
  }
  assert.deepEqual(late, []);
});

const changes: readonly (readonly [name: string, method: string, path: string, body?: object])[] = [
  ["changed", "PATCH", "", { name: "Another" }],
  ["closed to other sites", "PATCH", "", { settings: { allowedOrigins: ["https://example.com"] } }],
  ["held", "PUT", "/hold", { reason: "A reason" }],
  ["deleted", "DELETE", "?confirm=DELETE_FORM"],
];

test("a form is changed, held and deleted within seconds, whatever its visitors send meanwhile", async (t) => {
  const { service, scene } = await openRights({ after: (end) => t.after(end) }, environment);
  const late: string[] = [];
  for (const [name, method, path, body] of changes) {
    const form = await createForm(scene.owner, plain);
    const running = flood(service, {
      atOnce: 200,
      method: "POST",
      path: `/api/forms/${form}/submissions`,
      body: (count) => ({ payload: { encrypted: false, version: "plain1", fields: { count: `${count}` } } }),
    });
    const change = () => succeed(scene.owner.request(method, `/api/forms/${form}${path}`, body));
    late.push(...(await time(name, running, change)));
  }
  assert.deepEqual(late, []);
});

test(
  "a stranger with eight accounts and 32 organizations whose receivers hang keeps nobody from testing a webhook",
  onEither,
  async (t) => {
    const held = new Set<ServerResponse>();
    let isOver = false;
    const { account, service, path, receiver } = await createWebhookService(t, {
      answer: ({ path }, response) =>
        isOver || path !== "/hangs" ? void response.writeHead(204).end() : void held.add(response),
    });
    const webhookUrl = new URL("/hangs", receiver.url).href;
    const running: Flood[] = [];
    for (let person = 0; person < 8; person++) {
      const stranger = await service.signUp(`${person}@example.com`);
      for (let organization = 0; organization < 4; organization++) {
        if (organization > 0) {
          const made = await stranger.request("POST", "/api/organizations", { name: `Organization ${organization}` });
          await succeed(stranger.request("POST", `/api/organizations/${made.body.organization.id}/switch`));
        }
        const made = await stranger.request("POST", "/api/api-keys", { name: "Key", permissions: ["forms:write"] });
        const authorizations = [`Bearer ${made.body.key.key}`];
        const form = await createForm(stranger, { ...plain, webhookUrl });
        const request = { method: "POST", path: `/api/forms/${form}/webhook/test`, authorizations, atOnce: 2 };
        running.push(flood(service, { ...request, body: () => ({}) }));
      }
    }
    while (held.size < 8) await nextTurn();
    const begun = performance.now();
    const { status, body } = await account.request("POST", path("webhook/test"));
    const took = Math.round(performance.now() - begun);
    assert.deepEqual([status, body.success], [200, true], JSON.stringify(body));
    assert.ok(took < 15_000, `${took} ms`);
    isOver = true;
    for (const response of held) response.writeHead(204).end();
    await Promise.all(running.map(({ end }) => end()));
  },
);

/** The same form is renamed by session and by API key. */
async function floodAs({ service, scene }: Rights, { authorization: { session, apiKey } }: Actor): Promise<Flood> {
  const form = await createForm(scene.owner, plain);
  const body = (count: number) => ({ name: `${form} ${count}` });
  return flood(service, {
    method: "PATCH",
    path: `/api/forms/${form}`,
    authorizations: [session, apiKey],
    atOnce,
    body,
  });
}
