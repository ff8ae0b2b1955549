import { Client, type ClientBase, type ClientConfig, DatabaseError, type QueryConfig } from "pg";
import { applicationName } from "./application-name.ts";
import { throwOfDatabase } from "./errors.ts";
import { rememberErrorsOfClient } from "./errors-of-database.ts";

/** A server as it describes itself. */
export interface HostState {
  /** `standby`: it follows another one. `read-only`: it follows nobody, and accepts no writes all the same. */
  readonly role: "primary" | "standby" | "read-only";
  /** The same for a primary and its standbys; `undefined` where it may not be asked. */
  readonly system: string | undefined;
  /** Counts the promotions that led to this primary. */
  readonly timeline: number | undefined;
  /** How far its log is, in bytes. */
  readonly position: number;
  /** Whether a commit that was answered is on a standby, too. */
  readonly isSynchronous: boolean;
  /** With `system` it tells whether two names lead to one server. */
  readonly startedAt: string;
}

/** The answer of a host that was asked. */
export type HostAnswer = HostState | { readonly role: "silent"; readonly error: Error };

/** For a server that is gone without a word, and so that no answer of one takes the time of the others. */
export const askMilliseconds = 2_000;

// A standby has no place of its own to write to, and says so by an error.
const question = (system: string) => `
  select
    case when pg_is_in_recovery() then 'standby' when current_setting('transaction_read_only')::boolean then 'read-only' else 'primary' end as role,
    ${system} as system,
    case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as file,
    (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end - '0/0')::float8 as position,
    current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('off', 'local') as synchronous,
    pg_postmaster_start_time()::text as started`;

const system = "(select system_identifier::text from pg_control_system())";

/** Asks a server on an open connection. */
export async function readHostState(client: Pick<ClientBase, "query">): Promise<HostState> {
  const ask = (text: string) => client.query({ text, query_timeout: askMilliseconds } as QueryConfig); // pg has more settings than its types
  const { rows } = await ask(question(system)).catch((error: unknown) => {
    // Not every provider lets its customers ask for it.
    if (error instanceof DatabaseError && error.code === "42501") return ask(question("null"));
    throw error;
  });
  const { role, system: identifier, file, position, synchronous, started } = rows[0];
  return {
    role,
    system: identifier ?? undefined,
    timeline: file === null ? undefined : Number.parseInt(file.slice(0, 8), 16),
    position,
    isSynchronous: synchronous,
    startedAt: started,
  };
}

/** A connection outside of the pool. */
export async function openClient(config: ClientConfig): Promise<Client> {
  const client = new Client({ application_name: applicationName, keepAlive: true, ...config });
  // A caller that waits for an answer gets the error; without a listener the process would end.
  client.on("error", () => {});
  try {
    return rememberErrorsOfClient(await client.connect());
  } catch (error) {
    client.connection.stream.destroy();
    return throwOfDatabase(error);
  }
}

/** Asks a server on a connection made for it. Never throws. */
export async function askHost(url: string): Promise<HostAnswer> {
  try {
    const client = await openClient({ connectionString: url, connectionTimeoutMillis: askMilliseconds });
    try {
      return await readHostState(client);
    } finally {
      client.end().catch(() => {});
    }
  } catch (error) {
    return { role: "silent", error: error instanceof Error ? error : new Error(String(error)) };
  }
}
