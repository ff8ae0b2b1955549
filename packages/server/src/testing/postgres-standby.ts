import { appendFile, chmod, chown, copyFile, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onServer } from "./on-server.ts";
import { type PostgresServer, startPostgresServer } from "./postgres-server.ts";

/** Settings of both servers of a pair: the log since a standby was copied, and memory that goes with the folder of a killed one. */
const settings = ["wal_keep_size=512MB", "dynamic_shared_memory_type=mmap", "wal_retrieve_retry_interval=100ms"];

export function startPrimary(): Promise<PostgresServer> {
  return startPostgresServer({ settings });
}

/** A standby of a running server, from a copy of its files made meanwhile (PostgreSQL's manual, section 25.3.3). */
export function startStandby(primary: PostgresServer, port?: number): Promise<PostgresServer> {
  const source = "user=postgres password=password host=127.0.0.1 application_name=standby";
  return startPostgresServer({
    ...(port !== undefined && { port }),
    settings,
    fill: (folder) =>
      onServer(primary, async (client) => {
        await client.query("select pg_backup_start('standby', fast => true)");
        await copyFolder(primary.dataFolder, folder);
        const { rows } = await client.query("select labelfile from pg_backup_stop(wait_for_archive => false)");
        // Where `alter system` writes, so that a test can take it away; of two lines the last one counts.
        await appendFile(join(folder, "postgresql.auto.conf"), `primary_conninfo = '${source} port=${primary.port}'\n`);
        const { uid, gid } = await stat(folder);
        for (const [name, content] of Object.entries({ backup_label: rows[0].labelfile, "standby.signal": "" })) {
          await writeFile(join(folder, name), content);
          await chown(join(folder, name), uid, gid);
        }
      }),
  });
}

/** Has the primary answer a commit only when its standby has it too; resolves when that holds. */
export async function replicateSynchronously(primary: PostgresServer): Promise<void> {
  await onServer(primary, async (client) => {
    await client.query("alter system set synchronous_standby_names = 'standby'");
    await client.query("select pg_reload_conf()");
    for (;;) {
      const { rowCount } = await client.query("select 1 from pg_stat_replication where sync_state = 'sync'");
      if (rowCount === 1) return;
    }
  });
}

/** Cuts it off from the primary; resolves when it hears of nothing. */
export async function stopFollowing(standby: PostgresServer): Promise<void> {
  await onServer(standby, async (client) => {
    await client.query("alter system set primary_conninfo = ''");
    await client.query("select pg_reload_conf()");
    while ((await client.query("select 1 from pg_stat_wal_receiver")).rowCount !== 0);
  });
}

/** Makes the standby a primary; resolves when it accepts writes. */
export function promote(standby: PostgresServer): Promise<unknown> {
  return onServer(standby, (client) => client.query("select pg_promote()"));
}

/** The standby fetches the log on its own, and must not take itself for the server that it was copied from. */
const leftOut = ["pg_wal", "pg_replslot", "pg_dynshmem", "postmaster.pid", "postmaster.opts"];

/** Files may go meanwhile; whatever the log says of them is done again. */
async function copyFolder(from: string, to: string, isTop = true): Promise<void> {
  const { uid, gid } = await stat(from);
  await mkdir(to, { recursive: true, mode: 0o700 });
  await chmod(to, 0o700);
  await chown(to, uid, gid);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    const isLeftOut = isTop && leftOut.includes(entry.name);
    if (entry.isDirectory()) {
      if (isLeftOut) {
        await mkdir(target, { mode: 0o700 });
        await chown(target, uid, gid);
      } else await copyFolder(source, target, false);
    } else if (!isLeftOut) {
      try {
        await copyFile(source, target);
        await chown(target, uid, gid);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
      }
    }
  }
}

/**
 * Stops every process of a server where it is: its connections stay open and nothing answers, as if its machine had lost its
 * power. Resolves to what ends them.
 */
export async function freeze(server: PostgresServer): Promise<() => Promise<void>> {
  const pids = await onServer(server, async (client) => {
    const { rows } = await client.query("select pid from pg_stat_activity where pid <> pg_backend_pid()");
    return [server.pid(), ...rows.map(({ pid }) => pid)];
  });
  // The one that makes new ones first.
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  return async () => {
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await server.kill();
  };
}
