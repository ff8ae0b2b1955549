import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "./database.ts";
import { type Hosts, openPrimaryClient, type PrimaryClient } from "./hosts.ts";

/** Tells the other processes on a PostgreSQL database that there may be work. Lost ones cost them a second: they poll. */
export interface Notifications {
  /** Says it once for all calls of the next 50 ms. Call it after the commit. */
  announce(): void;
  /** Gives the other processes a line of less than 8,000 bytes that is kept nowhere; lost where one of them is not listening. */
  tell(line: string): void;
  /** Calls `onNotification` when another process announces, and `onLine` with each line of another. */
  start(onNotification: () => void, onLine?: (line: string) => void): void;
  stop(): Promise<void>;
}

const channel = "sealpost_wake";
const lineChannel = "sealpost_lines";
const gatherMilliseconds = 50;
const reconnectMilliseconds = 1_000;
const checkMilliseconds = 10_000;

/**
 * NOTIFY is a statement of its own after the commit, never part of the writing transaction: there it takes a lock of the
 * whole database at the commit, and submissions would be written one after the other. A connection of its own listens,
 * for the pool's come and go. It is asked now and then, so that it does not listen to a server that is gone.
 */
export function createNotifications(database: Database, hosts: Hosts): Notifications {
  const self = randomUUID();
  let isStopped = false;
  let isGathering = false;
  let announcing = Promise.resolve();
  let listener: PrimaryClient | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function listen(onNotification: () => void, onLine: (line: string) => void): Promise<void> {
    let connection: PrimaryClient | undefined;
    let isLost = false;
    const reconnect = () => {
      connection?.drop();
      if (isStopped || isLost) return;
      isLost = true;
      clearTimeout(timer);
      timer = setTimeout(() => void listen(onNotification, onLine), reconnectMilliseconds);
    };
    const check = () => {
      timer = setTimeout(() => void connection?.check().then(check, reconnect), checkMilliseconds);
    };
    try {
      connection = await openPrimaryClient(hosts);
      if (isStopped) return connection.drop();
      listener = connection;
      connection.client.on("end", reconnect);
      connection.client.on("notification", ({ channel: from, payload = "" }) => {
        if (payload.startsWith(self)) return;
        if (from === lineChannel) onLine(payload.slice(self.length));
        else onNotification();
      });
      await connection.client.query(`listen ${lineChannel}`);
      await connection.client.query(`listen ${channel}`);
      // Announcements of the time when nobody listened.
      onNotification();
      check();
    } catch {
      reconnect();
    }
  }

  function notify(to: string, payload: string): void {
    const sent = sql`select pg_notify(${to}, ${payload})`.execute(database).catch(() => {});
    announcing = Promise.all([announcing, sent]).then(() => {});
  }

  return {
    announce() {
      if (isGathering || isStopped) return;
      isGathering = true;
      setTimeout(() => {
        isGathering = false;
        if (isStopped) return;
        notify(channel, self);
      }, gatherMilliseconds).unref();
    },
    tell(line) {
      if (!isStopped) notify(lineChannel, self + line);
    },
    start(onNotification, onLine = () => {}) {
      void listen(onNotification, onLine);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await announcing;
      await listener?.client.end().catch(() => {});
    },
  };
}
