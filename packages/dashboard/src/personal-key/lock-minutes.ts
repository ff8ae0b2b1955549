/** After so many minutes without use a key can lock by itself. */
export const lockMinutesChoices = [5, 15, 60] as const;
export type LockMinutes = (typeof lockMinutesChoices)[number];

const storageName = "sealpost-lock-minutes";
let unkept: LockMinutes = 15;

/** This browser's choice; 15 where nothing was chosen. */
export function findLockMinutes(): LockMinutes {
  try {
    const kept = Number(localStorage.getItem(storageName));
    return lockMinutesChoices.find((minutes) => minutes === kept) ?? unkept;
  } catch {
    return unkept; // a browser that keeps nothing
  }
}

export function keepLockMinutes(minutes: LockMinutes): void {
  unkept = minutes;
  try {
    localStorage.setItem(storageName, String(minutes));
  } catch {
    // Then it holds for this page.
  }
}
