import type { NewAuditEntry } from "./audit-entry.ts";
import { findReader } from "./counted-actions.ts";

/**
 * Writes entries of reads. On a full disk a read continues, or nobody could rescue what is stored there: its entry is owed. It is in the
 * service's log at once, and in the audit log as soon as the database can be written. Entries of changes are never owed: they are in the
 * transaction of the change. A person has a share of those that wait, and so has an account: beyond it one entry for each action says that they read,
 * and not what, as in the audit log beyond its bound of the day.
 */
export interface OwedEntries {
  /** Writes an entry, now or when there is room. Throws where too many wait, and `tell` says so. */
  record(entry: NewAuditEntry): Promise<void>;
  /** The same, unless there is one of the last hour (`recordRepeated`). */
  readonly recordReading: RecordReading;
  /** Writes what waits; what is left is tried again. */
  settle(): Promise<void>;
  start(): void;
  /** Tries a last time. */
  stop(): Promise<void>;
}

export interface OwedEntriesDependencies {
  readonly record: (entry: NewAuditEntry) => Promise<void>;
  readonly recordRepeated: RecordReading;
  /** Whether the database can be read and not be written. */
  readonly isUnwritable: (error: unknown) => boolean;
  /** Tells the operator of an entry that waits, that has no place among those, or that is lost with the process. */
  readonly tell: (entry: NewAuditEntry, became: "owed" | "refused" | "lost") => void;
  readonly report: (error: unknown) => void;
}

/** Records what somebody reads, at most once an hour. */
export type RecordReading = (entry: NewAuditEntry) => Promise<boolean>;

const retryMilliseconds = 10_000;
/** Then what can be refused is, and the service's log has the rest. */
const owedMax = 10_000;
/** Entries that say what was read: of all, of one account and of one person. */
const namedMax = 5_000;
const namedMaxOfAccount = 100;
const namedMaxOfPerson = 20;

interface Owed {
  /** The account and the person that it counts for. */
  readonly shares: readonly string[];
  readonly entry: NewAuditEntry;
  readonly write: (entry: NewAuditEntry) => Promise<unknown>;
}

export function createOwedEntries({
  record,
  recordRepeated,
  isUnwritable,
  tell,
  report,
}: OwedEntriesDependencies): OwedEntries {
  /** By what they say; those that are written once an hour have one entry each. */
  const owed = new Map<string, Owed>();
  /** How many entries wait of each account and person. */
  const counts = new Map<string, number>();
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** False where the entry is one that doesn't say what was read. */
  function owe(entry: NewAuditEntry, write: Owed["write"], key: string, error: unknown): boolean {
    if (!isUnwritable(error)) throw error;
    if (owed.has(key)) return true;
    const shares = sharesOf(entry);
    const [ofAccount = 0, ofPerson = 0] = shares.map((share) => counts.get(share) ?? 0);
    const isNamed = owed.size < namedMax && ofAccount < namedMaxOfAccount && ofPerson < namedMaxOfPerson;
    if (isNamed) keep(key, { shares, entry, write });
    else if (!owed.has(unnamedKey(entry))) {
      if (owed.size >= owedMax) {
        tell(entry, "refused");
        throw error;
      }
      keep(unnamedKey(entry), { shares: [], entry: { ...entry, target: undefined }, write });
    }
    return isNamed;
  }

  function keep(key: string, one: Owed): void {
    owed.set(key, one);
    for (const share of one.shares) counts.set(share, (counts.get(share) ?? 0) + 1);
    tell(one.entry, "owed");
  }

  function forget(key: string, { shares }: Owed): void {
    owed.delete(key);
    for (const share of shares) {
      const left = (counts.get(share) ?? 0) - 1;
      if (left > 0) counts.set(share, left);
      else counts.delete(share);
    }
  }

  async function writeAll(): Promise<void> {
    for (const [key, one] of owed) {
      const { entry, write } = one;
      try {
        await write(entry);
      } catch (error) {
        if (isUnwritable(error)) return;
        // Nothing comes of trying it again, and it is in the service's log.
        tell(entry, "lost");
        report(error);
      }
      forget(key, one);
    }
  }

  function settle(): Promise<void> {
    if (owed.size === 0) return Promise.resolve();
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  return {
    async record(entry) {
      await record(entry).catch((error: unknown) => {
        // Beyond its share no count waits: it is in the service's log, and that somebody read is in an entry.
        owe(entry, record, JSON.stringify(entry), error);
      });
    },
    async recordReading(entry) {
      try {
        return await recordRepeated(entry);
      } catch (error) {
        // Within an hour the store writes it once.
        const { occurredAt, ...same } = entry;
        return owe(entry, recordRepeated, JSON.stringify(same), error);
      }
    },
    settle,
    start() {
      timer = setInterval(() => void settle(), retryMilliseconds);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await settle();
      for (const { entry } of owed.values()) tell(entry, "lost");
      owed.clear();
      counts.clear();
    },
  };
}

/** A person is the same by all sessions and API keys. */
function sharesOf({ accountId, actor }: NewAuditEntry): readonly string[] {
  return [`${accountId}`, `${accountId} ${actor.type} ${findReader(actor, true) ?? ""}`];
}

const unnamedKey = (entry: NewAuditEntry) => `${entry.action} ${sharesOf(entry)[1]}`;
