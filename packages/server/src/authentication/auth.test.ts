import assert from "node:assert/strict";
import { test } from "node:test";
import { getMigrations } from "better-auth/db/migration";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { openSqlite } from "../database/open-sqlite.ts";
import { createSingleRing } from "../instance/key-ring.ts";
import { createOwnAddress } from "../instance/own-address.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestService } from "../testing/test-service.ts";
import { systemClock } from "../time/clock.ts";
import { createAuth } from "./auth.ts";

function createAuthOn(database: Database) {
  return createAuth({
    clock: systemClock,
    isDisabled: async () => false,
    endOldest: async () => {},
    database,
    address: createOwnAddress({ host: "127.0.0.1", port: 0, baseUrl: undefined, trustedProxies: [] }),
    secretBox: createSecretBox(createSingleRing(new Uint8Array(32))),
    signUp: "open",
    defaultPlan: "free",
    instanceId: "sealpost:test",
  });
}

test("the sign-in library finds nothing to add to the tables that our migration makes", async (t) => {
  const database = openSqlite(createTemporaryFolder(t));
  t.after(() => database.destroy());
  await migrate(database);
  const plan = async () => {
    const options = { ...createAuthOn(database).options, database: { db: database, type: "sqlite" as const } };
    const { toBeCreated, toBeAdded } = await getMigrations(options, { throwOnUnsafe: false });
    return [...toBeCreated, ...toBeAdded].map(({ table, fields }) => `${table}: ${Object.keys(fields)}`);
  };
  assert.deepEqual(await plan(), []);
  // The control: it does look.
  await sql`alter table session drop column user_agent`.execute(database);
  assert.deepEqual(await plan(), ["session: user_agent"]);
});

test("of the library's routes only the listed ones are open", async (t) => {
  const service = await createTestService(t);
  const { cookie } = await service.signUp();
  const open = [
    "GET /get-session",
    "GET /jwks",
    "GET /list-sessions",
    "GET /token",
    "POST /change-password",
    "POST /revoke-other-sessions",
    "POST /revoke-session",
    "POST /sign-in/email",
    "POST /sign-out",
    "POST /sign-up/email",
    "POST /two-factor/disable",
    "POST /two-factor/enable",
    "POST /two-factor/generate-backup-codes",
    "POST /two-factor/verify-backup-code",
    "POST /two-factor/verify-totp",
  ];
  const endpoints = Object.values(createAuthOn(service.database).api).flatMap((endpoint) => {
    const { path, options } = endpoint as { path?: string; options?: { method?: string | readonly string[] } }; // as better-call makes them
    return path === undefined ? [] : [options?.method ?? "POST"].flat().map((method) => ({ method, path }));
  });
  assert.ok(endpoints.length > open.length, "the library has more routes than we open");
  for (const { method, path } of endpoints) {
    const name = `${method} ${path}`;
    if (open.includes(name)) continue;
    const answer = await service.request(method, `/api/auth${path.replaceAll(/:\w+/g, "x")}`, {
      headers: { cookie, origin: service.url },
      ...(method === "POST" && { body: {} }),
    });
    assert.ok([404, 405].includes(answer.status), `${name} answered ${answer.status}`);
  }
  for (const name of open) {
    assert.ok(
      endpoints.some(({ method, path }) => `${method} ${path}` === name),
      `the library has no ${name} any more`,
    );
  }
});
