import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { Client } from "pg";
import { findSpread, formTables, referenceTables } from "../database/distributed-tables.ts";
import { onServer } from "../testing/on-server.ts";
import { runCommand } from "../testing/run-command.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createDirectUrl, createTestDatabase, onCluster, onEither, onPostgresAlone } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { requireVersion } from "./cluster.ts";
import { confirm } from "./confirm.ts";

test("a Citus older than what was tested is refused by its name", onEither, () => {
  for (const text of ["Citus 13.2.2 on x86_64-pc-linux-gnu", "Citus 13.10.0 on x", "Citus 14.0.0devel on x"])
    requireVersion(text, "the coordinator");
  for (const text of ["Citus 13.1.1 on x", "Citus 12.9.0 on x", "Citus 9.5.8 on x", "something else"])
    assert.throws(() => requireVersion(text, "worker-1:5432"), /^Error: Citus on worker-1:5432 is too old: /);
});

test("where nobody sits at a terminal the answer is no, and nothing is read", onEither, async () => {
  const input = new PassThrough();
  input.end("yes\n");
  assert.equal(await confirm(input, new PassThrough(), "Go ahead?"), false);
});

test("at a terminal only yes is yes", onEither, async () => {
  for (const [answer, agreed] of [
    ["y", true],
    ["Yes", true],
    ["", false],
    ["yesterday", false],
  ] as const) {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = new PassThrough();
    const answered = confirm(input, output, "Go ahead?");
    await once(output, "readable");
    input.write(`${answer}\n`);
    assert.equal(await answered, agreed, answer);
  }
});

test("without a PostgreSQL database the command says so, as for wrong settings", onEither, async () => {
  const { code, stderr } = await runCommand(["distribute"], {});
  assert.deepEqual([code, /SQLite is one file on one machine/.test(stderr)], [2, true], stderr);
});

test("a database without Citus is refused with a sentence by both commands", onPostgresAlone, async (t) => {
  const url = await createDirectUrl(t);
  for (const command of ["distribute", "undistribute"]) {
    const { code, stdout, stderr } = await runCommand([command, "--yes"], { SEALPOST_DATABASE_URL: url });
    assert.deepEqual([code, stdout, /^This database has no Citus: /.test(stderr)], [1, "", true], stderr);
  }
});

test("an impossible number of parts is refused before anything is asked", onEither, async () => {
  for (const shards of ["0", "1025", "-1", "1.5", "many"]) {
    const { code, stderr } = await runCommand(["distribute", `--shards=${shards}`], {
      SEALPOST_DATABASE_URL: "postgres://nowhere.invalid/x",
    });
    assert.deepEqual([code, /whole number from 1 to 1024/.test(stderr)], [2, true], stderr);
  }
});

test("without Citus no table is spread", onPostgresAlone, async (t) => {
  assert.equal((await onServer({ url: await createDirectUrl(t) }, findSpread)).size, 0);
});

test(
  "the tables go to one server and back without a row lost, from wherever the command was stopped",
  onCluster,
  async (t) => {
    const url = await createDirectUrl(t);
    const run = (...parameters: string[]) => runCommand(parameters, { SEALPOST_DATABASE_URL: url });
    const ask = <Row>(text: string) => onServer({ url }, async (client) => (await client.query(text)).rows as Row[]); // as it was asked
    const forms = Array.from({ length: 40 }, (_, index) => `form_${index}`);
    for (const form of forms)
      await ask(`insert into form_count (form_id, stored, received) values ('${form}', 1, 2);
      insert into submission (form_id, id, key_version, version, timestamp, received_at) values ('${form}', 'a', 1, 'v', 1, 1)`);
    const read = () =>
      ask(
        "select form_id, stored, received, id, sequence from form_count join submission using (form_id) order by form_id",
      );
    const before = await read();
    assert.equal(before.length, forms.length);

    const unanswered = await run("undistribute");
    assert.deepEqual([unanswered.code, /Nothing was changed/.test(unanswered.stderr)], [1, true], unanswered.stderr);
    assert.equal((await onServer({ url }, findSpread)).size, formTables.length + referenceTables.length);

    // As if it had been stopped after some tables.
    await ask("select undistribute_table('attempt')");
    await ask("select undistribute_table('delivery')");
    const half = await run("undistribute", "--yes");
    assert.deepEqual([half.code, half.stderr], [0, ""]);
    assert.match(half.stdout, new RegExp(`All ${formTables.length + referenceTables.length - 2} steps are done`));
    assert.deepEqual(await read(), before);
    assert.equal((await onServer({ url }, findSpread)).size, 0);
    assert.match((await run("undistribute", "--yes")).stdout, /^Nothing to do/);

    // As if it had been stopped between two statements of one step.
    await ask("select create_reference_table('webhook')");
    await ask("select create_distributed_table('form_count', 'form_id', shard_count => 4, colocate_with => 'none')");
    const again = await run("distribute", "--shards", "4", "--yes");
    assert.deepEqual([again.code, again.stderr], [0, ""]);
    assert.match(again.stdout, /form_count: its copy on the coordinator removed/);
    assert.deepEqual(await read(), before);
    assert.match((await run("distribute", "--yes")).stdout, /Nothing to do/);
  },
);

test("a table that is distributed in another way is refused, and nothing is changed", onCluster, async (t) => {
  const folder = createTemporaryFolder(t);
  const { SEALPOST_DATABASE_URL: url = "" } = await createTestDatabase(t, folder);
  const spreadBefore = await onServer({ url }, async (client) => {
    await client.query("select undistribute_table('attempt')");
    await client
      .query("select create_distributed_table('attempt', 'delivery_id', colocate_with => 'none')")
      .catch(() => {});
    await client.query("select create_reference_table('attempt')").catch(() => {});
    return findSpread(client);
  });
  assert.equal(spreadBefore.get("attempt"), "reference");
  for (const command of ["distribute", "undistribute"]) {
    const { code, stderr } = await runCommand([command, "--yes"], { SEALPOST_DATABASE_URL: url });
    assert.deepEqual([code, /^The table attempt is distributed differently/.test(stderr)], [1, true], stderr);
  }
  assert.deepEqual(await onServer({ url }, findSpread), spreadBefore);
  await assert.rejects(createTestService(t, { folder }), /Only some of the tables are spread/);
});

test("while a process serves the database its tables stay where they are", onCluster, async (t) => {
  const url = await createDirectUrl(t);
  const process = new Client({ connectionString: url, application_name: "sealpost" });
  await process.connect();
  try {
    const { code, stderr } = await runCommand(["undistribute", "--yes"], { SEALPOST_DATABASE_URL: url });
    assert.deepEqual([code, /^A process serves this database/.test(stderr)], [1, true], stderr);
  } finally {
    await process.end();
  }
});

test("a worker is not taken for a coordinator, and a coordinator without workers is refused", onCluster, async (t) => {
  const url = await createDirectUrl(t);
  const { rows } = await onServer({ url }, (client) =>
    client.query("select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 limit 1"),
  );
  const worker = new URL(url);
  worker.host = `${rows[0].host}:${rows[0].port}`;
  const asWorker = await runCommand(["distribute", "--yes"], { SEALPOST_DATABASE_URL: worker.href });
  assert.match(asWorker.stderr, /^This server is a worker of the cluster/);
  const name = new URL(url).pathname.slice(1);
  const alone = new URL(url);
  alone.pathname = `/${name}_alone`;
  await onServer({ url }, (client) => client.query(`create database "${name}_alone"`));
  try {
    await onServer({ url: alone.href }, (client) => client.query("create extension citus"));
    const { code, stderr } = await runCommand(["distribute", "--yes"], { SEALPOST_DATABASE_URL: alone.href });
    assert.deepEqual([code, /^The coordinator has no workers/.test(stderr)], [1, true], stderr);
  } finally {
    await onServer({ url }, (client) => client.query(`drop database "${name}_alone" with (force)`));
  }
});
