import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { FailedRowsError } from "../database/failed-rows.ts";
import { kindOf } from "../database/kind.ts";
import { createForm, listEvents, postPlain, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { isCluster } from "../testing/test-database.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { createBinPurgeStore } from "./bin-purge-store.ts";
import { createPurgeStore } from "./purge-store.ts";

type Table = "submission" | "submission_bin";

/** Refuses to remove this row, as a database does where it is damaged. */
async function damage({ database }: TestService, table: Table, id: string): Promise<void> {
  const condition = sql`old.id = ${sql.lit(id)}`;
  if (kindOf(database) === "sqlite")
    await sql`create trigger damaged before delete on ${sql.table(table)} when ${condition}
      begin select raise(abort, 'damaged'); end`.execute(database);
  else {
    await sql`create function damaged() returns trigger language plpgsql as $$ begin raise exception 'damaged'; end $$`.execute(
      database,
    );
    await sql`create trigger damaged before delete on ${sql.table(table)}
      for each row when (${condition}) execute function damaged()`.execute(database);
  }
}

interface Way {
  /** Where the rows lie that are to be removed. */
  readonly table: Table;
  /** Takes all of them away from readers. */
  readonly hide: (scene: Scene) => Promise<unknown>;
  readonly purge: (service: TestService) => () => Promise<boolean>;
}

interface Scene {
  readonly service: TestService;
  readonly ids: readonly string[];
  readonly request: (method: string, path: string, body?: unknown) => Promise<unknown>;
}

const toBin = ({ request, ids }: Scene) => request("POST", "/submissions/bin", { ids });
const deleteAll = ({ request }: Scene) => request("DELETE", "/submissions?confirm=DELETE_SUBMISSIONS");
const purgeSubmissions = ({ database }: TestService) => {
  const store = createPurgeStore(database);
  return () => store.purgeSubmissions();
};

const ways: Readonly<Record<string, Way>> = {
  "deleted submissions": { table: "submission", hide: deleteAll, purge: purgeSubmissions },
  "deleted submissions that were in the bin": {
    table: "submission_bin",
    async hide(scene) {
      await toBin(scene);
      await deleteAll(scene);
    },
    purge: purgeSubmissions,
  },
  "submissions of an emptied bin": {
    table: "submission_bin",
    async hide(scene) {
      await toBin(scene);
      await scene.request("DELETE", "/submissions/bin?confirm=EMPTY_BIN");
    },
    purge({ database }) {
      const store = createBinPurgeStore(database);
      return () => store.purge(Date.now());
    },
  },
};

for (const [name, { table, hide, purge }] of Object.entries(ways))
  test(`a row that can't be removed keeps no other one of its form, before and after it: ${name}`, {
    skip: isCluster ? "triggers are made by hand" : false,
  }, async (t) => {
    const service = await createTestService(t, { deliveries: silentWebhooks });
    const owner = await service.signUp();
    const formId = await createForm(owner, { encryption: false, webhookUrl });
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) ids.push(await postPlain(service, formId));
    const damagedId = ids[2] ?? assert.fail();
    await damage(service, table, damagedId);
    const request = (method: string, path: string, body?: unknown) =>
      owner.request(method, `/api/forms/${formId}${path}`, body);
    await hide({ service, ids, request });
    const step = purge(service);
    const run = async () => {
      while (await step());
    };
    /** Its failure, as soon as the service's own worker has nothing of it in hand. */
    const findFailure = async (): Promise<unknown> => {
      for (;;) {
        const error: unknown = await run().catch((thrown: unknown) => thrown);
        if (error !== undefined) return error;
        await setImmediate();
      }
    };
    for (let time = 0; time < 2; time++) {
      const error = await findFailure();
      assert.ok(error instanceof FailedRowsError && error.rows.includes(formId), String(error));
      const left = await service.database.selectFrom(table).select("id").where("form_id", "=", formId).execute();
      assert.deepEqual(
        left.map(({ id }) => id),
        [damagedId],
      );
      const events = await listEvents(service, formId, "submission.deleted");
      assert.deepEqual(
        events.map(({ submission }) => submission.id).toSorted(),
        ids.filter((id) => id !== damagedId).toSorted(),
      );
    }
    // Mended, it goes as all others did.
    await sql`drop trigger damaged ${sql.raw(kindOf(service.database) === "sqlite" ? "" : `on ${table}`)}`.execute(
      service.database,
    );
    while ((await listEvents(service, formId, "submission.deleted")).length < ids.length) {
      await run();
      await setImmediate();
    }
    assert.equal((await listEvents(service, formId, "submission.deleted")).length, ids.length);
  });
