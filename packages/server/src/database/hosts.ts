import type { Client } from "pg";
import { type DatabaseHost, parseDatabaseUrl } from "../config/database-url.ts";
import { choosePrimary, describe, isCandidate, type Primary } from "./choose-primary.ts";
import { findHostConcerns } from "./host-concerns.ts";
import { askHost, askMilliseconds, type HostAnswer, type HostState, openClient, readHostState } from "./host-state.ts";
import { NoPrimaryError } from "./no-primary-error.ts";

/** Where the lines about the hosts go. */
export interface HostsLog {
  warn(message: string): void;
  error(message: string): void;
}

/** The hosts of a database, and which of them is written to. */
export interface Hosts {
  readonly all: readonly DatabaseHost[];
  /** Whether it matters which of them answers; else there is one, and nothing is asked. */
  readonly wantsPrimary: boolean;
  /** The place of the host to connect to. Asks all of them when that is not known; throws when none may be written to. */
  find(): Promise<number>;
  /** Throws if a server that was just connected to is not, or is no longer, the one to write to. */
  verify(index: number, state: HostState): void;
  /** Says that a host could not be connected to, so that all are asked before the next connection. */
  doubt(index: number): void;
  /** Called when a host that was written to no longer is: no connection to it may be used. */
  onLeave: (index: number) => void;
  /** Starts the log. It begins with whatever would make the loss of the primary worse. */
  logTo(log: HostsLog): void;
  warn(message: string): void;
}

/** Many ask at once while there is no primary; the servers are asked four times a second. */
const rememberMilliseconds = 250;

/** Throws a sentence for the operator where the text is no URL of a database. */
export function createHosts(text: string): Hosts {
  const url = parseDatabaseUrl(text);
  if (url === undefined) throw new Error("The database's URL is not like postgres://user:password@host/database");
  const { hosts, wantsPrimary } = url;
  const names = hosts.map(({ name }) => name);
  let primary: Primary | undefined;
  let isDoubtful = false;
  let searching: Promise<number> | undefined;
  let lastAnswers: readonly HostAnswer[] = [];
  let lastComplaint = "";
  let log: HostsLog | undefined;

  async function search(): Promise<number> {
    const answers = await Promise.all(hosts.map(({ url }) => askHost(url)));
    lastAnswers = answers;
    const before = primary;
    let found: Primary;
    try {
      found = choosePrimary(names, answers, before);
    } catch (error) {
      if (before !== undefined && error instanceof NoPrimaryError) complain(error.message);
      throw error;
    }
    primary = found;
    isDoubtful = false;
    lastComplaint = "";
    if (before !== undefined) tell(before, found, answers);
    return found.index;
  }

  function complain(message: string): void {
    if (message !== lastComplaint) log?.error(message);
    lastComplaint = message;
  }

  function tell(before: Primary, found: Primary, answers: readonly HostAnswer[]): void {
    const rivals = answers.flatMap((answer, index) =>
      index !== found.index && isCandidate(answer, found) && answer.startedAt !== found.state.startedAt
        ? [names[index]]
        : [],
    );
    if (rivals.length > 0)
      log?.error(
        `${rivals.join(", ")} accepts writes as well as ${names[found.index]}, and is not used: stop the one that should not be the primary`,
      );
    if (found.index === before.index) return;
    const old = answers[before.index];
    log?.warn(
      `${names[found.index]} is the primary now; ${names[before.index]} ${old === undefined ? "" : describe(old, found)}`,
    );
    const lackedBytes = before.state.position - found.state.position;
    if (lackedBytes > 0)
      log?.error(
        `${names[found.index]} lacks at least ${lackedBytes} bytes of the log that ${names[before.index]} had: submissions that were answered with 201 may be lost`,
      );
    self.onLeave(before.index);
  }

  const self: Hosts = {
    all: hosts,
    wantsPrimary,
    find() {
      if (!wantsPrimary) return Promise.resolve(0);
      if (primary !== undefined && !isDoubtful) return Promise.resolve(primary.index);
      if (searching === undefined) {
        searching = search();
        const forget = () => {
          searching = undefined;
        };
        searching.then(forget, () => setTimeout(forget, rememberMilliseconds).unref());
      }
      return searching;
    },
    verify(index, state) {
      if (index === primary?.index && isCandidate(state, primary)) {
        primary = { index, state };
        return;
      }
      self.doubt(index);
      throw new NoPrimaryError(`${names[index]} ${describe(state, primary)}, and is not the primary`);
    },
    doubt(index) {
      if (index === primary?.index) isDoubtful = true;
    },
    onLeave: () => {},
    warn: (message) => log?.warn(message),
    logTo(to) {
      log = to;
      if (primary === undefined) return;
      for (const { message } of findHostConcerns(names, lastAnswers, primary)) log.warn(message);
    },
  };
  return self;
}

/** A connection outside of the pool to the host that was written to when it was opened. */
export interface PrimaryClient {
  readonly client: Client;
  /** Throws if it does not answer, or is to be written to no longer. */
  check(): Promise<void>;
  /** Ends it without waiting for anything. */
  drop(): void;
}

export async function openPrimaryClient(hosts: Hosts): Promise<PrimaryClient> {
  const index = await hosts.find();
  try {
    const connectionString = hosts.all[index]?.url;
    const client = await openClient({ connectionString, connectionTimeoutMillis: askMilliseconds });
    const drop = () => void client.connection.stream.destroy();
    const check = async () => {
      const state = await readHostState(client);
      if (hosts.wantsPrimary) hosts.verify(index, state);
    };
    await check().catch((error: unknown) => {
      drop();
      throw error;
    });
    return { client, check, drop };
  } catch (error) {
    hosts.doubt(index);
    throw error;
  }
}

/** Whether a pooler is between: it gives its clients other process ids than those of the server's connections. */
export async function isPooled(hosts: Hosts): Promise<boolean> {
  const { client, drop } = await openPrimaryClient(hosts);
  try {
    return await isThroughPooler(client);
  } finally {
    drop();
  }
}

/** The same, of a connection that is there. */
export async function isThroughPooler(client: Client): Promise<boolean> {
  const { rows } = await client.query("select pg_backend_pid() as pid");
  return rows[0].pid !== (client as Client & { readonly processID?: number }).processID; // absent from pg's types
}
