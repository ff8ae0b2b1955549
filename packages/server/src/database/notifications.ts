import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { Client } from "pg";
import type { Database } from "./database.ts";

/** Tells the other processes on a PostgreSQL database that there may be work. Lost ones cost them a second: they poll. */
export interface Notifications {
  /** Says it once for all calls of the next 50 ms. Call it after the commit. */
  announce(): void;
  /** Calls `onNotification` when another process announces. */
  start(onNotification: () => void): void;
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
export function createNotifications(database: Database, url: string): Notifications {
  const self = randomUUID();
  let isStopped = false;
  let isGathering = false;
  let announcing = Promise.resolve();
  let listener: Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function listen(onNotification: () => void): Promise<void> {
    const client = new Client({ connectionString: url, application_name: "sealpost", keepAlive: true });
    listener = client;
    const reconnect = () => {
      if (isStopped || listener !== client) return;
      listener = undefined;
      timer = setTimeout(() => void listen(onNotification), reconnectMilliseconds);
    };
    client.on("error", reconnect);
    client.on("end", reconnect);
    client.on("notification", ({ payload }) => {
      if (payload !== self) onNotification();
    });
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      // Announcements of the time when nobody listened.
      onNotification();
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
    start(onNotification) {
      void listen(onNotification);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await announcing;
      await listener?.end().catch(() => {});
    },
  };
}
