import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { listStepsLeft } from "../database/background-worker.ts";
import { requireNotCopied } from "../database/copied-away.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { isDatabaseUnreachable, isOfDatabase } from "../database/errors.ts";
import { LeftOverLogError, listLogs } from "../database/left-over-log.ts";
import { backgroundSteps } from "../database/migrate.ts";
import { findMigrationState } from "../database/migration-state.ts";
import { sqliteFile } from "../database/open-sqlite.ts";
import { OtherBaselineError } from "../database/own-baseline.ts";
import { requireNoRestore } from "../database/restoring.ts";
import { backupKey, copyKey } from "../instance/instance.ts";
import { createInstanceInvitationStore } from "../operators/instance-invitation-store.ts";
import { endOfWait } from "../retention/clock-guard.ts";
import { findClockSeen } from "../retention/clock-guard-store.ts";
import { describeEnd } from "../retention/held-back.ts";
import { findHeldBack } from "../retention/held-back-store.ts";
import { dayMilliseconds, isFromAhead } from "../time/clock.ts";
import type { FindTarget } from "../webhooks/webhook-target.ts";
import { checkDeliveries, checkEmails } from "./check-backlog.ts";
import { checkHolds } from "./check-holds.ts";
import { checkHosts } from "./check-hosts.ts";
import { checkKeyProofs, checkOwners, checkSignUp, ownerlessMax } from "./check-people.ts";
import { checkQuotas } from "./check-quotas.ts";
import { checkSecret } from "./check-secret.ts";
import { checkStoredWebhooks } from "./check-webhook.ts";
import { checkWorkers } from "./check-workers.ts";
import {
  countAccounts,
  countUnprovedForms,
  findInstanceValue,
  findLastReceived,
  listLongTexts,
  listOwnerless,
  readDatabaseTime,
  readVersion,
} from "./doctor-store.ts";
import { type CheckName, type Finding, ok, problem, warning } from "./finding.ts";

const postgresOldest = 150_000;
const secondsApartMax = 5;

/** The database and what is in it. Nothing is made or changed: not the file, not a table. `findTarget`: name servers may be asked for the hosts of webhooks. */
export async function checkDatabase(config: Config, now: number, findTarget?: FindTarget): Promise<readonly Finding[]> {
  try {
    requireNoRestore(config);
  } catch (error) {
    const finding = "A restore was begun and is not complete";
    return [problem("database", finding, error instanceof Error ? error.message : String(error))];
  }
  try {
    requireNotCopied(config);
  } catch (error) {
    const finding = "The instance was copied to PostgreSQL, and is not served from here";
    return [problem("database", finding, error instanceof Error ? error.message : String(error))];
  }
  const file = join(config.dataFolder, sqliteFile);
  if (config.databaseUrl === undefined && !existsSync(file) && listLogs(file).length === 0)
    return [
      warning(
        "database",
        `There is no database in ${config.dataFolder} yet`,
        "It is made by the first start: sealpost-server",
      ),
    ];
  let database: Database | undefined;
  try {
    database = openDatabase(config);
    const version = await readVersion(database);
    const old = version.number !== undefined && version.number < postgresOldest;
    const findings = [
      old
        ? problem("database", `${version.name} is too old`, "Upgrade PostgreSQL to 15 or newer")
        : ok("database", describeAnswer(version)),
      ...(config.databaseUrl === undefined ? [] : await checkHosts(config.databaseUrl, database)),
      ...(await checkClock(database, now)),
    ];
    const migrations = await checkMigrations(database);
    findings.push(...migrations.findings);
    if (!migrations.isUsable) return findings;
    const workers = await checkWorkers(database);
    findings.push(...workers);
    if (workers.some(({ level }) => level === "problem")) return findings;
    return [...findings, ...(await checkContent(database, config, now, findTarget))];
  } catch (error) {
    if (error instanceof OtherBaselineError || error instanceof LeftOverLogError)
      return [problem("database", error.finding, error.remedy)];
    const message = error instanceof Error && error.message !== "" ? error.message : String(error);
    return [
      problem(
        "database",
        `The database cannot be used: ${message}`,
        config.databaseUrl === undefined
          ? `Look at the permissions and the disk of ${config.dataFolder}; if the file is damaged, put it aside and restore a backup (sealpost-server restore --help)`
          : "Look whether PostgreSQL runs, and at user, password, host and database in SEALPOST_DATABASE_URL",
      ),
    ];
  } finally {
    await database?.destroy();
  }
}

/** The file of SQLite is opened and its list of tables read; only a backup looks at each page. */
function describeAnswer({ name, number }: Awaited<ReturnType<typeof readVersion>>): string {
  return number === undefined ? `${name} opens the file` : `${name} answers`;
}

async function checkClock(database: Database, now: number): Promise<readonly Finding[]> {
  const remedy = "Let NTP set the clock: timedatectl set-ntp true";
  const theirs = await readDatabaseTime(database);
  if (theirs === undefined) return [];
  const seconds = Math.abs(theirs - now) / 1000;
  return seconds > secondsApartMax
    ? [problem("clock", `This machine's clock and the database's are ${Math.round(seconds)} seconds apart`, remedy)]
    : [ok("clock", "This machine's clock and the database's agree")];
}

async function checkMigrations(
  database: Database,
): Promise<{ readonly findings: readonly Finding[]; readonly isUsable: boolean }> {
  const { newest, missing, unknown } = await findMigrationState(database);
  if (newest === undefined)
    return {
      findings: [warning("database", "The database is empty", "It is set up by the first start: sealpost-server")],
      isUsable: false,
    };
  if (unknown.length > 0)
    return {
      findings: [
        problem(
          "database",
          `A newer version of Sealpost was started on this database (${unknown.join(", ")})`,
          "Run that version, or restore a backup that this one has made",
        ),
      ],
      isUsable: false,
    };
  if (missing.length > 0)
    return {
      findings: [
        warning(
          "database",
          `The tables are of an older version (${newest}); the next start brings ${missing.join(", ")}`,
          "Make a backup with the old version, then start this one",
        ),
      ],
      isUsable: false,
    };
  return { findings: [ok("database", `The tables are this version's (${newest})`)], isUsable: true };
}

type Look = readonly [check: CheckName, look: () => Promise<readonly Finding[]>];

async function checkContent(
  database: Database,
  config: Config,
  now: number,
  findTarget: FindTarget | undefined,
): Promise<readonly Finding[]> {
  const looks: readonly Look[] = [
    ["database", () => checkCopy(database)],
    ["database", () => checkSecret(database, config)],
    ["clock", () => checkLastReceived(database, now)],
    ["clock", () => checkJump(database)],
    ["restore", () => checkHeldBack(database, now)],
    ["database", () => checkBackgroundSteps(database)],
    ["sign-up", async () => [checkSignUp(config, await findSignUps(database, now))]],
    ["deliveries", () => checkDeliveries(database, now)],
    ...(config.mail === undefined ? [] : [["mail", () => checkEmails(database, now)] satisfies Look]),
    ["database", async () => [checkTexts(await listLongTexts(database, textsMax + 1))]],
    ["keys", async () => [checkKeyProofs(await countUnprovedForms(database))]],
    ["holds", () => checkHolds(database, now)],
    ["organizations", async () => [checkOwners(await listOwnerless(database, ownerlessMax + 1))]],
    ["backup", async () => [checkBackup(await findInstanceValue(database, backupKey), now)]],
    ...(config.hasQuotas
      ? [["quotas", async () => [await checkQuotas(database, config.defaultPlan)]] satisfies Look]
      : []),
    ...(findTarget === undefined
      ? []
      : [["webhook", async () => [await checkStoredWebhooks(database, findTarget)]] satisfies Look]),
  ];
  const findings: Finding[] = [];
  for (const [check, look] of looks) findings.push(...(await lookPastDamage(check, look)));
  return findings;
}

/** A damaged row keeps nothing else from being looked at. No message of ours is shown: it may hold what somebody wrote. */
async function lookPastDamage(check: CheckName, look: Look[1]): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (isDatabaseUnreachable(error)) throw error;
    const message = error instanceof Error && isOfDatabase(error) ? error.message : undefined;
    const reason = message ?? (error instanceof Error ? error.name : typeof error);
    return [
      problem(
        check,
        `What the database holds about this can't be read: ${reason}`,
        "A row is damaged, or was changed by hand. Restore a backup from before (sealpost-server restore --help), or report it with the version",
      ),
    ];
  }
}

async function checkCopy(database: Database): Promise<readonly Finding[]> {
  if ((await findInstanceValue(database, copyKey)) === undefined) return [];
  return [
    problem(
      "database",
      "A copy to this database is not complete",
      "Run `sealpost-server copy` again: it resumes where it was",
    ),
  ];
}

async function checkLastReceived(database: Database, now: number): Promise<readonly Finding[]> {
  const last = await findLastReceived(database);
  if (last !== undefined && last > now + 60_000)
    return [
      problem(
        "clock",
        `The newest submission came ${Math.round((last - now) / 60_000)} minutes in the future: the clock was wrong then, or is now`,
        "Let NTP set the clock: timedatectl set-ntp true",
      ),
    ];
  // One row says it: to look at all would take as long as reading them.
  const compared = last === undefined ? "there is no submission to compare it with" : "the last one stored is no later";
  return [ok("clock", `It is ${new Date(now).toISOString()} here; of submissions, ${compared}`)];
}

const findSignUps = async (database: Database, now: number) => ({
  accounts: await countAccounts(database),
  invitations: (await createInstanceInvitationStore(database).list(now)).length,
});

/** So many rows are named at most. */
const textsMax = 20;

function checkTexts(found: readonly string[]): Finding {
  if (found.length === 0) return ok("database", "No text is longer than PostgreSQL can keep in an index");
  const named = `${found.slice(0, textsMax).join(", ")}${found.length > textsMax ? " and more" : ""}`;
  return warning(
    "database",
    `Texts that are longer than they may be, and that a copy to PostgreSQL stops at: ${named}`,
    "Give such an account another address, or delete it: sealpost-server account move --help, sealpost-server account delete --help. Invitations go when they end",
  );
}

async function checkJump(database: Database): Promise<readonly Finding[]> {
  const seen = await findClockSeen(database);
  if (seen?.jump === undefined) return [];
  const [before, since] = [seen.at, seen.jump.since].map((time) => new Date(time).toISOString());
  const until = new Date(endOfWait(seen)).toISOString();
  return [
    warning(
      "clock",
      `The clock went from ${before} to ${since}: nothing is deleted for its age before ${until}`,
      "If the service was stopped for so long, or the clock was set right, there is nothing to do. Else let NTP set the clock: timedatectl set-ntp true",
    ),
  ];
}

async function checkHeldBack(database: Database, now: number): Promise<readonly Finding[]> {
  const held = await findHeldBack(database, now);
  if (held === undefined) return [];
  return [
    warning(
      "restore",
      `The instance was set back to ${new Date(held.since).toISOString()}: nothing is deleted for its age before ${describeEnd(held)}`,
      "Until then, legal holds and longer retention of since then can be set again. For more time: sealpost-server deletions wait. If nothing was set since: sealpost-server deletions resume",
    ),
  ];
}

async function checkBackgroundSteps(database: Database): Promise<readonly Finding[]> {
  const left = await listStepsLeft(database, backgroundSteps);
  if (left.length === 0) return [];
  return [
    warning(
      "database",
      `Changes of the tables that are not finished: ${left.map((step) => ("table" in step ? step.table : step.name)).join(", ")}`,
      "A running service makes them in the background, and its log says how far it is. Past a pooler it needs SEALPOST_DATABASE_DIRECT_URL",
    ),
  ];
}

const backupDaysMax = 8;

function checkBackup(madeAt: string | undefined, now: number): Finding {
  // Not a warning: others save the database with means of their own.
  if (madeAt === undefined) return ok("backup", "No backup was made by sealpost-server backup yet");
  if (isFromAhead(Number(madeAt), now))
    return warning(
      "backup",
      `The last backup is from ${new Date(Number(madeAt)).toISOString()}, which is yet to come: the clock was wrong then, or is now`,
      "Make one each day, by a timer: sealpost-server backup --help",
    );
  const days = Math.floor((now - Number(madeAt)) / dayMilliseconds);
  const message = `The last backup is from ${new Date(Number(madeAt)).toISOString()}`;
  return days <= backupDaysMax
    ? ok("backup", message)
    : warning("backup", `${message}, ${days} days ago`, "Make one each day, by a timer: sealpost-server backup --help");
}
