import type { Plan } from "../config.ts";

const gibibyte = 1_073_741_824;

/** What the submissions of an account may take; `undefined` is any number of bytes (decisions, section 14). */
const planBytes: Readonly<Record<Plan, number | undefined>> = {
  free: gibibyte,
  starter: 10 * gibibyte,
  pro: 100 * gibibyte,
  enterprise: undefined,
};

/** `granted`: what an account that was there before quotas may store in any case. */
export function bytesMaxOf(plan: Plan, granted: number): number | undefined {
  const bytes = planBytes[plan];
  return bytes === undefined ? undefined : Math.max(bytes, granted);
}

/** One form may fill half of its account's, so that no form keeps the others from taking anything. */
export const formShare = 0.5;
/** Above this share only small bodies from quiet addresses are taken. */
export const openShare = 0.8;

/** Whether so many bytes more stay within a quota, of an account or of a form. */
export function fits(usedBytes: number, moreBytes: number, bytesMax: number, mayUseReserve: boolean): boolean {
  return usedBytes + moreBytes <= bytesMax * (mayUseReserve ? 1 : openShare);
}

export type QuotaLevel = 0 | 80 | 100;

/**
 * What there is to tell. The quota counts as full a little before its end: the last body that did not fit was larger than
 * what was left.
 */
export function levelOf(usedBytes: number, bytesMax: number): QuotaLevel {
  const share = usedBytes / bytesMax;
  if (share >= 0.999) return 100;
  return share >= openShare ? 80 : 0;
}
