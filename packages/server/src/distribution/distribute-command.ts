import { type Command, InvalidArgumentError } from "commander";
import type { ClientBase } from "pg";
import { ConfigError } from "../config/config.ts";
import { loadSecret } from "../config/config-files.ts";
import type { Step } from "./distribute.ts";

export interface DistributeCommandDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A line on standard output. */
  readonly print: (line: string) => void;
  /** Asks the operator a question; false where nobody can answer. */
  readonly confirm: (question: string) => Promise<boolean>;
  readonly exitCodes: string;
}

interface Options {
  readonly yes?: true;
}

/** More are only more to plan for, and each is a table on a worker. */
const shardsMax = 1_024;

/** `sealpost-server distribute` and `sealpost-server undistribute`. */
export function addDistributeCommands(program: Command, dependencies: DistributeCommandDependencies): void {
  const { print, exitCodes } = dependencies;
  program
    .command("distribute")
    .description("Spread the tables of submissions over the workers of a Citus cluster.")
    .option("--shards <number>", "number of shards for each table", parseShards, 32)
    .option("--yes", "do not ask")
    .addHelpText(
      "after",
      `
SEALPOST_DATABASE_URL names the coordinator, or SEALPOST_DATABASE_DIRECT_URL where a
pooler is between. Everything that belongs to a form lies together on one worker;
accounts, forms and their keys stay on the coordinator.

Stop the service first, and make a backup. The command says what it will do and asks.
If it is interrupted, no row is lost: start it again, and it does the rest. Until
then no service starts. \`sealpost-server undistribute\` brings everything back.
${exitCodes}

Example:
  sealpost-server distribute --shards 64 --yes`,
    )
    .action(({ shards, ...options }: Options & { shards: number }) =>
      move(dependencies, options, async (client) => {
        const [{ checkCluster }, { planDistribute }] = await loadParts();
        const workers = await checkCluster(client);
        print(`${workers} ${workers === 1 ? "worker" : "workers"}, each table in ${shards} parts`);
        return planDistribute(client, shards);
      }),
    );
  program
    .command("undistribute")
    .description("Bring the tables of submissions back to one PostgreSQL.")
    .option("--yes", "do not ask")
    .addHelpText(
      "after",
      `
The reverse of \`sealpost-server distribute\`: the coordinator needs room for all rows.
Stop the service first. If it is interrupted, start it again.
${exitCodes}`,
    )
    .action((options: Options) =>
      move(dependencies, options, async (client) => {
        const [{ checkSpread }, { planUndistribute }] = await loadParts();
        await checkSpread(client);
        return planUndistribute(client);
      }),
    );
}

function loadParts() {
  return Promise.all([import("./cluster.ts"), import("./distribute.ts")]);
}

/** Checks and plans on one connection, shows the plan, and does it if the operator agrees. */
async function move(
  { environment, print, confirm }: DistributeCommandDependencies,
  { yes }: Options,
  plan: (client: ClientBase) => Promise<readonly Step[]>,
): Promise<void> {
  const url =
    loadSecret(environment, "SEALPOST_DATABASE_DIRECT_URL") ?? loadSecret(environment, "SEALPOST_DATABASE_URL");
  if (url === undefined)
    throw new ConfigError(["SEALPOST_DATABASE_URL must name a PostgreSQL database: SQLite is one file on one machine"]);
  const { createHosts, isThroughPooler, openPrimaryClient } = await import("../database/hosts.ts");
  const [, { runSteps }] = await loadParts();
  const { client, drop } = await openPrimaryClient(createHosts(url));
  try {
    if (await isThroughPooler(client))
      throw new Error(
        "This connection goes through a pooler: SEALPOST_DATABASE_DIRECT_URL must name the coordinator itself",
      );
    await client.query("set application_name = 'sealpost-server distribute'");
    const steps = await plan(client);
    if (steps.length === 0) return print("Nothing to do");
    for (const { table, action } of steps) print(`  ${table}: ${action}`);
    if (yes !== true && !(await confirm("Go ahead?")))
      throw new Error("Nothing was changed. --yes does it without asking");
    await runSteps(client, steps, ({ table, action }) => print(`done: ${table}, ${action}`));
    print(`All ${steps.length} steps are done. Start the service`);
  } finally {
    drop();
  }
}

function parseShards(text: string): number {
  const shards = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(shards <= shardsMax)) throw new InvalidArgumentError(`Must be a whole number from 1 to ${shardsMax}.`);
  return shards;
}
