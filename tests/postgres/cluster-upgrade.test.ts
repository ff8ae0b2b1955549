import assert from "node:assert/strict";
import { test } from "node:test";
import { type Kysely, sql } from "kysely";
import { migrate, migrations } from "../../packages/server/src/database/migrate.ts";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { onCluster } from "../../packages/server/src/testing/test-database.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { startFormsLoad } from "./forms-load.ts";
import { startDeliveryReceiver } from "./hand-over.ts";
import { createCluster, createPlainForm } from "./processes.ts";

/** One of each kind of table: spread by form, copied to each server, and on the coordinator alone. */
async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  for (const table of ["submission", "delivery_queue", "webhook", "form"])
    await schema.alterTable(table).addColumn("later", "text").execute();
  for (const table of ["form_count", "delivery"])
    await schema
      .alterTable(table)
      .addColumn("later", "bigint", (column) => column.notNull().defaultTo(0))
      .execute();
}

test(
  "a later version's migration adds columns on a cluster while this one serves: nothing is refused, lost or left unsent",
  onCluster,
  async (t) => {
    const receiver = await startDeliveryReceiver(t, createTemporaryFolder(t));
    const cluster = await createCluster(t, receiver.environment);
    const service = await cluster.start();
    const token = await signUpForToken(service);
    const formIds: string[] = [];
    for (let count = 0; count < 8; count++)
      formIds.push(await createPlainForm(service, token, { webhookUrl: receiver.url }));
    const load = startFormsLoad(service, formIds);
    await load.acceptedMore(100, formIds);
    await migrate(cluster.database, { ...migrations, "9999-later": { up } });
    await load.acceptedMore(100, formIds);
    await load.stop();
    assert.equal(load.refused(formIds), 0, service.output());
    const accepted = [...load.accepted(formIds)].sort();
    const { rows } = await sql<{ id: string; later: null }>`
    select id, later from submission where form_id = any(${formIds}) order by id`.execute(cluster.database);
    assert.deepEqual(
      rows,
      accepted.map((id) => ({ id, later: null })),
    );
    await receiver.allArrived(accepted);
  },
);
