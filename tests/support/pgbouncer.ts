import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort, type PostgresServer } from "../../packages/server/src/testing/postgres-server.ts";

export interface PgBouncer {
  readonly version: string;
  /** The address of the database `postgres`; others have their names in its place. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The version of PgBouncer on this machine, or of the program that is named; `undefined` without one. */
export function findPgBouncerVersion(program: string): string | undefined {
  try {
    return /PgBouncer (\d+\.\d+)/.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))?.[1];
  } catch {
    return undefined;
  }
}

/** PgBouncer in transaction mode before a server: as docs/standby.md says, and unchanged where it keeps no prepared statements. */
export async function startPgBouncer(server: PostgresServer, program: string): Promise<PgBouncer> {
  const version = findPgBouncerVersion(program);
  if (version === undefined) throw new Error(`${program} is not PgBouncer`);
  const folder = mkdtempSync(join(tmpdir(), "sealpost-pgbouncer-"));
  chmodSync(folder, 0o755);
  const port = await findFreePort();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${server.port} user=postgres password=password
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
max_client_conn = 1000
server_idle_timeout = 5
${keepsStatements(version) ? "max_prepared_statements = 200\nignore_startup_parameters = idle_in_transaction_session_timeout" : ""}
`,
  );
  // It does not run as root.
  const { uid, gid } = statSync(server.dataFolder);
  const child = spawn(program, [file], { uid, gid, stdio: ["ignore", "ignore", "pipe"] });
  const log: string[] = [];
  const gone = once(child, "exit");
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      log.push(chunk.toString());
      if (log.join("").includes("process up")) resolve();
    });
    gone.then(([code]) => reject(new Error(`PgBouncer ended with ${code}: ${log.join("")}`)), reject);
  });
  return {
    version,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      child.kill("SIGKILL");
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function keepsStatements(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 1 || minor >= 21;
}
