import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { Client } from "pg";
import type { Database } from "./database.ts";

/** Tells the other processes on a PostgreSQL database that there may be work. Lost ones cost them a second: they poll. */
export interface WakeUps {
  /** Says it once for all calls of the next 50 ms. Call it after the commit. */
  announce(): void;
  /** Calls `onWakeUp` when another process announces. */
  start(onWakeUp: () => void): void;
  stop(): Promise<void>;
}

const channel = "sealpost_wake";
const gatherMilliseconds = 50;
const reconnectMilliseconds = 1000;

/**
 * NOTIFY is a statement of its own after the commit, never part of the writing transaction: there it takes a lock of the
 * whole database at the commit, and submissions would be written one after the other. A connection of its own listens,
 * for the pool's come and go.
 */
export function createWakeUps(database: Database, url: string): WakeUps {
  const self = randomUUID();
  let isStopped = false;
  let isGathering = false;
  let announcing = Promise.resolve();
  let listener: Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function listen(onWakeUp: () => void): Promise<void> {
    const client = new Client({ connectionString: url, application_name: "sealpost", keepAlive: true });
    listener = client;
    const reconnect = () => {
      if (isStopped || listener !== client) return;
      listener = undefined;
      timer = setTimeout(() => void listen(onWakeUp), reconnectMilliseconds);
    };
    client.on("error", reconnect);
    client.on("end", reconnect);
    client.on("notification", ({ payload }) => {
      if (payload !== self) onWakeUp();
    });
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      // What was announced while nobody listened.
      onWakeUp();
    } catch {
      reconnect();
      await client.end().catch(() => {});
    }
  }

  return {
    announce() {
      if (isGathering || isStopped) return;
      isGathering = true;
      setTimeout(() => {
        isGathering = false;
        if (isStopped) return;
        announcing = sql`select pg_notify(${channel}, ${self})`.execute(database).then(
          () => {},
          () => {},
        );
      }, gatherMilliseconds).unref();
    },
    start(onWakeUp) {
      void listen(onWakeUp);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await announcing;
      await listener?.end().catch(() => {});
    },
  };
}
