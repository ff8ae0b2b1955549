import type { AccountId, FormId } from "@sealpost/wire";
import { isOwnerWithSession } from "../access/owner-session.ts";
import type { Principal } from "../access/principal.ts";
import { createMemory, type Remembered } from "./memory.ts";
import { fillingLogShare, fits, formShare, leastShares, type RoomShare, roomShares, sharedLogsMax } from "./quota.ts";
import { type StoredBytes, totalOf } from "./shared-room-store.ts";
import type { AccountUsage, UsageStore } from "./usage-store.ts";

export interface UsageMeter {
  /** Whether so many bytes more are within the quotas of the form and of its account; counts them as taken if so. */
  take(accountId: AccountId, formId: FormId, bytes: number, mayUseReserve: boolean): Promise<boolean>;
  /** Whether the account may store more besides submissions, up to `share` of what its plan allows. `asker`: the person who wants to. */
  hasRoomForOther(accountId: AccountId, share?: RoomShare, asker?: Principal): Promise<boolean>;
}

/** A person's sessions, or the API keys that they made, in one organization. */
export interface LogWriter {
  readonly kind: Principal["kind"];
  readonly accountId: AccountId;
  readonly personId: AccountId;
}

export interface UsageMeterDependencies {
  readonly usage: Pick<UsageStore, "findAccount" | "findFormBytes">;
  /** Whether somebody has left much in the log of the organization that they act for. */
  readonly hasLeftMany: (writer: LogWriter) => Promise<boolean>;
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number;
}

/** Sixteen processes that all take as much between two looks go 64 MiB beyond a quota. */
const bytesBetweenMax = 4 * 1_048_576;

const isFresh = ({ taken }: Remembered<unknown>) => taken < bytesBetweenMax;

/** Bytes taken since the sums of a room were measured, by all organizations that share it, however often these are asked for. */
function createTaken() {
  const taken = new WeakMap<StoredBytes, number>();
  const of = ({ shared }: AccountUsage) => taken.get(shared) ?? 0;
  return {
    of,
    isFresh: ({ value }: Remembered<AccountUsage>) => of(value) < bytesBetweenMax,
    add: (usage: AccountUsage, bytes: number) => taken.set(usage.shared, of(usage) + bytes),
  };
}

/**
 * What is stored is asked for some seconds, and counted here in between: no submission waits for a sum, and none writes a
 * row that all forms of an account share.
 */
export function createUsageMeter({
  usage,
  hasLeftMany,
  now = () => performance.now(),
}: UsageMeterDependencies): UsageMeter {
  const accounts = createMemory((id) => usage.findAccount(id), now);
  const taken = createTaken();
  const forms = createMemory((id) => usage.findFormBytes(id), now);
  const writers = createMemory((key) => hasLeftMany(JSON.parse(key)), now);

  async function hasFilled(asker: Principal): Promise<boolean> {
    const { kind, accountId } = asker;
    const writer: LogWriter = { kind, accountId, personId: kind === "session" ? asker.personId : asker.madeBy };
    return (await writers.find(JSON.stringify(writer), () => true)).value;
  }
  return {
    async take(accountId, formId, bytes, mayUseReserve) {
      const account = await accounts.find(accountId, taken.isFresh);
      const { bytesMax } = account.value;
      if (bytesMax === undefined) return true;
      const form = await forms.find(formId, isFresh);
      const isWithin =
        fits(totalOf(account.value.shared) + taken.of(account.value), bytes, bytesMax, mayUseReserve) &&
        fits(form.value + form.taken, bytes, bytesMax * formShare, mayUseReserve);
      if (!isWithin) return false;
      taken.add(account.value, bytes);
      form.taken += bytes;
      return true;
    },
    async hasRoomForOther(accountId, share = roomShares.anybody, asker) {
      const { bytesMax, shared, ...own } = (await accounts.find(accountId, taken.isFresh)).value;
      if (bytesMax === undefined) return true;
      const otherMax = own.otherBytes < bytesMax * leastShares.other ? share.otherOfSmall : share.other;
      if (shared.otherBytes >= bytesMax * otherMax) return false;
      // One that needs no room in the log is not asked for its part of it.
      if (share.log === Number.POSITIVE_INFINITY) return true;
      const isCrowded = shared.logBytes >= bytesMax * sharedLogsMax;
      if (own.logBytes >= bytesMax * (isCrowded ? leastShares.log : share.log)) return false;
      if (own.logBytes < bytesMax * fillingLogShare || asker === undefined || isOwnerWithSession(asker)) return true;
      return !(await hasFilled(asker));
    },
  };
}
