/**
 * A made-up next version of the service, as a program: its migration adds a column to the table of submissions and a key to
 * that of attempts, and leaves to the background what takes long. The machinery is the service's own.
 */
import { sql } from "kysely";
import { parseConfig } from "../../packages/server/src/config/config.ts";
import { migrations, type TableVersion } from "../../packages/server/src/database/migrate.ts";
import { startService } from "../../packages/server/src/service.ts";
import { systemClock } from "../../packages/server/src/time/clock.ts";

export const nextVersion: TableVersion = {
  migrations: {
    ...migrations,
    "9999-made-up": {
      async up(database) {
        await sql`alter table submission add column received_day bigint`.execute(database);
      },
    },
  },
  backgroundSteps: [
    {
      ...{ kind: "fill", table: "submission", by: "sequence" },
      ...{ left: "received_day is null", set: "received_day = received_at / 86400000" },
    },
    { kind: "index", name: "submission_day", on: "submission (form_id, received_day)" },
    { kind: "key", table: "attempt", name: "attempt_of_form", columns: "form_id, id" },
  ],
};

if (process.argv.at(-1) === "serve") {
  const service = await startService({ config: parseConfig(process.env), clock: systemClock, tables: nextVersion });
  console.log(`ready at ${service.url}`);
}
