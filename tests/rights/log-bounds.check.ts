import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormId } from "@sealpost/wire";
import { sql } from "kysely";
import { permissionsOfRole, type Role, roles } from "../../packages/server/src/access/roles.ts";
import {
  type ActionBound,
  actionBounds,
  actionsOf,
  repeatedActions,
} from "../../packages/server/src/audit-log/action-bounds.ts";
import type { AuditAction } from "../../packages/server/src/audit-log/audit-entry.ts";
import { repeatedPerDay } from "../../packages/server/src/audit-log/audit-log-store.ts";
import { hourMilliseconds } from "../../packages/server/src/time/clock.ts";
import { listDocumentOperations } from "../contract/operations.ts";
import { isEveryWay } from "../support/sample.ts";
import { openRights, type Rights, sendWhole } from "./rights.ts";

/**
 * What one person makes in the log of an organization within a day has a bound, which no further session and no further API key begins
 * again: every operation, by each role, sent by somebody who has used up every bound.
 */

/** As many sessions, and as many API keys, send each operation: a second one shows whether it begins again. `npm run test:rights` has a third. */
const times = isEveryWay ? 3 : 2;
/** Operations that end the credentials with which the others are sent. */
const endings = ["leaveOrganization", "deleteAccount", "deleteOrganization", "endOtherSessions", "switchOrganization"];
const password = "correct horse battery";

type Way = "session" | "api_key";

async function createAsker({ service, scene, calls }: Rights, role: Role, formIds: readonly FormId[]) {
  const email = `${role}@example.com`;
  const account = await service.signUp(email);
  await calls.addMember(scene.owner, account.id, {
    role,
    formIds: role === "reader" || role === "developer" ? formIds : undefined,
  });
  const sessions: string[] = [];
  const keys: { readonly id: string; readonly value: string }[] = [];
  for (let time = 0; time < times; time++) {
    const signedIn = await service.request("POST", "/api/auth/sign-in/email", { body: { email, password } });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const headers = { cookie, origin: service.url };
    const switched = await service.request("POST", `/api/organizations/${scene.owner.id}/switch`, { headers });
    assert.equal(switched.status, 200);
    sessions.push((await service.request("GET", "/api/auth/token", { headers })).body.token);
    keys.push(await calls.createKey(account, permissionsOfRole[role], scene.owner.id));
  }
  return { role, account, credentials: { session: sessions, api_key: keys.map(({ value }) => value) }, keys };
}

type Asker = Awaited<ReturnType<typeof createAsker>>;

/** As if the person had used up each bound two hours ago. */
async function useUp({ service, scene }: Rights, { account, keys: [key] }: Asker): Promise<void> {
  const bounds = [
    ...(["changes", "rescuing", "deleting"] as const).map((bound) => ({ action: actionsOf(bound)[0], count: 5000 })),
    { action: repeatedActions[0], count: repeatedPerDay },
  ];
  for (const [way, actorId, personId] of [
    ["session", `of ${account.id}`, account.id],
    ["api_key", key?.id ?? "", null],
  ] as const)
    for (const { action, count } of bounds)
      await sql`with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
        insert into audit_entry (id, account_id, occurred_at, action, actor, actor_id, person_id, change_number)
        select ${`${actorId} ${way} ${action} `} || number, ${scene.owner.id},
          cast(${Date.now() - 2 * hourMilliseconds} as bigint), ${action ?? ""}, ${way}, ${actorId}, ${personId}, number
          + (select coalesce(max(change_number), 0) from audit_entry where account_id = ${scene.owner.id} and actor = ${way})
        from numbers`.execute(service.database);
}

/** The entries that they have left since, by way and action. */
async function countEntries({ service, scene }: Rights, { account, keys }: Asker, since: number) {
  const rows = await service.database
    .selectFrom("audit_entry")
    .select(["actor", "action", ({ fn }) => fn.countAll().as("count")])
    .where("account_id", "=", scene.owner.id)
    .where("occurred_at", ">=", since)
    .where(({ or, eb }) =>
      or([
        eb("person_id", "=", account.id),
        eb(
          "actor_id",
          "in",
          keys.map(({ id }) => id),
        ),
      ]),
    )
    .groupBy(["actor", "action"])
    .execute();
  return rows.map(({ actor, action, count }) => ({ actor, action: action as AuditAction, count: Number(count) }));
}

const isWithin = (bound: ActionBound, count: number) =>
  typeof bound === "object" || count <= (bound === "reading" || bound === "repeated" ? 1 : 0);

test("every operation, by each role and by however many sessions and API keys of one person, leaves no more in the log than its bound says", async (t) => {
  const rights = await openRights(
    { after: (end) => t.after(end) },
    { SEALPOST_API_RATE: "0" },
    { apiKeyRate: 1_000_000 },
  );
  const { service, calls, idsOf } = rights;
  const operations = listDocumentOperations(service.app.swagger()).filter(
    ({ access, operationId }) => access !== "public" && access !== "operator" && !endings.includes(operationId),
  );
  const formIds: FormId[] = [];
  for (const operation of operations) formIds.push((await idsOf(operation)).form_id as FormId); // as the service answered it
  const found: string[] = [];
  const seen = new Set<string>();
  for (const role of roles) {
    const asker = await createAsker(rights, role, formIds);
    await useUp(rights, asker);
    const since = Date.now();
    for (const operation of operations)
      for (const way of ["session", "api_key"] satisfies readonly Way[])
        for (const credential of asker.credentials[way]) {
          const request = calls.prepare(operation, await idsOf(operation));
          const authorization = `Bearer ${credential}`;
          await sendWhole(service, { ...request, headers: { ...request.headers, authorization } });
        }
    // The log is shown with all that was read before.
    await rights.scene.owner.request("GET", "/api/audit-log");
    for (const { actor, action, count } of await countEntries(rights, asker, since)) {
      seen.add(action);
      if (!isWithin(actionBounds[action], count)) found.push(`${role} by ${actor}: ${count} of ${action}`);
    }
  }
  assert.deepEqual(found, []);
  for (const action of ["submissions.read", "submissions.exported", "webhook_secret.shown", "audit_log.exported"])
    assert.ok(seen.has(action), `nobody has left ${action}`);
});
