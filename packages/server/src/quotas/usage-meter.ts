import type { AccountId, FormId } from "@sealpost/wire";
import { fits, formShare } from "./quota.ts";
import type { AccountUsage, UsageStore } from "./usage-store.ts";

export interface UsageMeter {
  /** Whether so many bytes more are within the quotas of the form and of its account; counts them as taken if so. */
  take(accountId: AccountId, formId: FormId, bytes: number, mayUseReserve: boolean): Promise<boolean>;
}

export interface UsageMeterDependencies {
  readonly usage: Pick<UsageStore, "findAccount" | "findFormBytes">;
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number;
}

const everyMilliseconds = 10_000;
/** Sixteen processes that all take as much between two looks go 64 MiB beyond a quota. */
const bytesBetweenMax = 4 * 1_048_576;
const entriesMax = 10_000;

/**
 * What is stored is asked for some seconds, and counted here in between: no submission waits for a sum, and none writes a
 * row that all forms of an account share.
 */
export function createUsageMeter({ usage, now = () => performance.now() }: UsageMeterDependencies): UsageMeter {
  const accounts = createMemory((id) => usage.findAccount(id), now);
  const forms = createMemory((id) => usage.findFormBytes(id), now);
  return {
    async take(accountId, formId, bytes, mayUseReserve) {
      const account = await accounts.find(accountId);
      const { bytesMax } = account.value satisfies AccountUsage;
      if (bytesMax === undefined) return true;
      const form = await forms.find(formId);
      const isWithin =
        fits(account.value.bytes + account.taken, bytes, bytesMax, mayUseReserve) &&
        fits(form.value + form.taken, bytes, bytesMax * formShare, mayUseReserve);
      if (!isWithin) return false;
      account.taken += bytes;
      form.taken += bytes;
      return true;
    },
  };
}

interface Remembered<Value> {
  readonly value: Value;
  readonly at: number;
  /** Bytes since. */
  taken: number;
}

/** One question at a time for each key, however many wait for its answer. */
function createMemory<Value>(load: (key: string) => Promise<Value>, now: () => number) {
  const remembered = new Map<string, Remembered<Value>>();
  const loading = new Map<string, Promise<Remembered<Value>>>();

  async function ask(key: string): Promise<Remembered<Value>> {
    try {
      const entry = { value: await load(key), at: now(), taken: 0 };
      if (remembered.size >= entriesMax) remembered.clear();
      remembered.set(key, entry);
      return entry;
    } finally {
      loading.delete(key);
    }
  }

  return {
    find(key: string): Remembered<Value> | Promise<Remembered<Value>> {
      const known = remembered.get(key);
      if (known !== undefined && now() - known.at < everyMilliseconds && known.taken < bytesBetweenMax) return known;
      const asked = loading.get(key) ?? ask(key);
      loading.set(key, asked);
      return asked;
    },
  };
}
