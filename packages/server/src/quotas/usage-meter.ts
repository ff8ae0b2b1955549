import type { AccountId, FormId } from "@sealpost/wire";
import { createMemory, type Remembered } from "./memory.ts";
import { fits, formShare, type RoomShare, roomShares } from "./quota.ts";
import { totalOf } from "./shared-room-store.ts";
import type { AccountUsage, UsageStore } from "./usage-store.ts";

export interface UsageMeter {
  /** Whether so many bytes more are within the quotas of the form and of its account; counts them as taken if so. */
  take(accountId: AccountId, formId: FormId, bytes: number, mayUseReserve: boolean): Promise<boolean>;
  /** Whether the account may store more of what is no submission; `share` of what its plan allows. */
  hasRoomForOther(accountId: AccountId, share?: RoomShare): Promise<boolean>;
}

export interface UsageMeterDependencies {
  readonly usage: Pick<UsageStore, "findAccount" | "findFormBytes">;
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number;
}

/** Sixteen processes that all take as much between two looks go 64 MiB beyond a quota. */
const bytesBetweenMax = 4 * 1_048_576;

const isFresh = ({ taken }: Remembered<unknown>) => taken < bytesBetweenMax;

/**
 * What is stored is asked for some seconds, and counted here in between: no submission waits for a sum, and none writes a
 * row that all forms of an account share.
 */
export function createUsageMeter({ usage, now = () => performance.now() }: UsageMeterDependencies): UsageMeter {
  const accounts = createMemory((id) => usage.findAccount(id), now);
  const forms = createMemory((id) => usage.findFormBytes(id), now);
  return {
    async take(accountId, formId, bytes, mayUseReserve) {
      const account = await accounts.find(accountId, isFresh);
      const { bytesMax } = account.value satisfies AccountUsage;
      if (bytesMax === undefined) return true;
      const form = await forms.find(formId, isFresh);
      const isWithin =
        fits(totalOf(account.value.shared) + account.taken, bytes, bytesMax, mayUseReserve) &&
        fits(form.value + form.taken, bytes, bytesMax * formShare, mayUseReserve);
      if (!isWithin) return false;
      account.taken += bytes;
      form.taken += bytes;
      return true;
    },
    async hasRoomForOther(accountId, { other, log } = roomShares.anybody) {
      const { bytesMax, shared } = (await accounts.find(accountId, isFresh)).value;
      if (bytesMax === undefined) return true;
      return shared.otherBytes < bytesMax * other && shared.logBytes < bytesMax * log;
    },
  };
}
