import { type Hosts, openPrimaryClient, type PrimaryClient } from "./hosts.ts";

const everyMilliseconds = 1_000;

/**
 * Asks the primary every second. A server that is gone without a word leaves connections that wait for it, some for a
 * quarter of an hour; without this nobody would look for the next primary before they have given up.
 */
export function startHostWatch(hosts: Hosts): { stop(): void } {
  let connection: PrimaryClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function look(): Promise<void> {
    const index = await hosts.find().catch(() => undefined);
    if (index === undefined) return;
    try {
      connection ??= await openPrimaryClient(hosts);
      await connection.check();
    } catch {
      drop();
      hosts.doubt(index);
      // Finding another one leaves this one; where none is found, this one does not answer either.
      await hosts.find().catch(() => hosts.onLeave(index));
    }
  }

  function drop(): void {
    connection?.drop();
    connection = undefined;
  }

  function wait(): void {
    timer = setTimeout(() => void look().finally(() => (isStopped ? drop() : wait())), everyMilliseconds);
    timer.unref();
  }

  wait();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
      drop();
    },
  };
}
