import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { createWebhookService } from "../deliveries/testing/webhook-service.ts";
import { onServer } from "../testing/on-server.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase, onCluster } from "../testing/test-database.ts";

/** Statements that ask all shards, and why. */
const ofAllShards: readonly (readonly [says: RegExp, reason: string])[] = [
  [/count\(\*\) AS due/, "counts what is due before a claim"],
  [/SELECT due_at .*ORDER BY due_at LIMIT/, "asks when the next delivery is due"],
  [/^issuing SELECT .*\bbytes\b/, "adds up the bytes that an account stores"],
];

/** The statements that Citus sends to workers, as it reports them to a client with `citus.log_remote_commands`, from here on. */
function collectRemoteCommands(): string[] {
  const commands: string[] = [];
  const { emit } = Client.prototype;
  Client.prototype.emit = function (this: Client, ...event: Parameters<typeof emit>) {
    const [name, notice] = event;
    if (name === "notice" && String(notice?.message).startsWith("issuing ")) commands.push(notice.message);
    return Reflect.apply(emit, this, event);
  } as typeof emit; // the same parameters
  return commands;
}

test("a submission, its claim and the end of its request ask the one shard of its form", onCluster, async (t) => {
  const folder = createTemporaryFolder(t);
  const { SEALPOST_DATABASE_URL: url = "" } = await createTestDatabase(t, folder);
  await onServer({ url }, (client) =>
    client.query(`alter database "${new URL(url).pathname.slice(1)}" set citus.log_remote_commands = on`),
  );
  const commands = collectRemoteCommands();
  const { service, formId, requestEnded } = await createWebhookService(t, { folder, settings: { encryption: false } });
  const shards = await onServer({ url }, async (client) => {
    const { rows } = await client.query(
      "select shardid as id, shardminvalue as from from pg_dist_shard where shardminvalue is not null",
    );
    return new Map(rows.map(({ id, from }) => [String(id), String(from)]));
  });
  const post = async () => {
    const ended = requestEnded();
    const payload = { encrypted: false, version: "plain1", fields: { message: "Zoë" } };
    const { status } = await service.request("POST", `/api/forms/${formId}/submissions`, { body: { payload } });
    assert.equal(status, 201);
    await ended;
  };
  await post();
  commands.length = 0;
  await post();
  const asked = commands.filter((command) => !ofAllShards.some(([says]) => says.test(command)));
  const places = asked.flatMap((command) =>
    [...command.matchAll(/public\.(\w+)_(\d{6,})\b/g)].flatMap(([, table = "", shard = ""]) => {
      const place = shards.get(shard);
      return place === undefined ? [] : [{ table, place }];
    }),
  );
  assert.deepEqual(new Set(places.map(({ place }) => place)).size, 1, asked.join("\n"));
  assert.deepEqual(
    commands.filter((command) => command.includes("PREPARE TRANSACTION")),
    [],
    "one server commits in one phase",
  );
  const tables = new Set(places.map(({ table }) => table));
  for (const table of ["submission", "form_count", "form_day", "event", "delivery", "delivery_queue", "attempt"])
    assert.ok(tables.has(table), `${table} was asked for\n${asked.join("\n")}`);
});
