import type { Plan } from "../config/config.ts";

export const gibibyte = 1_073_741_824;

/** The bytes that an account may store, its submissions and everything else; `undefined` is unlimited (contract, section 14.1). */
const planBytes: Readonly<Record<Plan, number | undefined>> = {
  free: gibibyte,
  starter: 10 * gibibyte,
  pro: 100 * gibibyte,
  enterprise: undefined,
};

/** No quota that somebody can have is smaller. */
export const bytesMaxLeast = gibibyte;

export function bytesMaxOf(plan: Plan): number | undefined {
  return planBytes[plan];
}

/** One form may fill half of its account's, so that no form keeps the others from taking anything. */
export const formShare = 0.5;
/** Shares of what the plan allows, from which on nothing more is added. */
export interface RoomShare {
  /** So much of it may be something other than submissions: keys, envelopes, lists. */
  readonly other: number;
  /** An organization that stores less than `leastShares.other` of it itself adds to it up to here. */
  readonly otherOfSmall: number;
  /** So much each organization's audit log may take besides, which takes nothing from submissions. */
  readonly log: number;
}
/** Less than the room of owners, and more than one organization can fill with new keys. */
const otherOfSmall = 0.4375;
/**
 * `owner`: an owner with a session, whom nobody else's changes keep from anything. `rescue`: new keys, which have some room of
 * their own, and need none in the log.
 */
export const roomShares = {
  anybody: { other: 0.25, otherOfSmall, log: 0.5 },
  owner: { other: 0.5, otherOfSmall: 0.5, log: 1 },
  rescue: { other: 0.375, otherOfSmall, log: Number.POSITIVE_INFINITY },
  ownersRescue: { other: 0.625, otherOfSmall: 0.625, log: Number.POSITIVE_INFINITY },
} as const satisfies Readonly<Record<string, RoomShare>>;
/**
 * Of an organization itself: what others have filled in the room that it shares keeps nobody in it from adding until it stores so
 * much. A manager of one organization would otherwise stop the API keys, managers and developers of all that its founder made.
 */
export const leastShares = { other: 1 / 64, log: 1 / 16 } as const;
/** So much all logs of a shared room take together, before each has its least share alone: fifty of them fill no disk. */
export const sharedLogsMax = 4;
/** Beyond this share of its room a log takes no more of anybody but an owner who has left many entries there already: the rest may. */
export const fillingLogShare = 0.25;
/** The share that all but owners may fill. */
export const otherShare = roomShares.anybody.other;
/** Above this share only small bodies from quiet addresses are taken. */
export const openShare = 0.8;

/** Whether so many bytes more stay within a quota, of an account or of a form. */
export function fits(usedBytes: number, moreBytes: number, bytesMax: number, mayUseReserve: boolean): boolean {
  return usedBytes + moreBytes <= bytesMax * (mayUseReserve ? 1 : openShare);
}

export type QuotaLevel = 0 | 80 | 100;

/** The last body that did not fit was larger than what was left: so a bound counts as reached a little before it. */
const openMargin = 0.002; // a mebibyte of half a gibibyte
const fullMargin = 0.001;

/** How full a quota is, as announced to its owner. */
export function levelOf(usedBytes: number, bytesMax: number): QuotaLevel {
  const share = usedBytes / bytesMax;
  if (share >= 1 - fullMargin) return 100;
  return share >= openShare - openMargin ? 80 : 0;
}

/** Coming and going at a bound is not announced each time: it counts as fallen when so much of the quota is free below it. */
const fallenShare = 0.05;

/** The owner's knowledge after the next email, or after the quota has emptied. Higher than `notified`: an email is due. */
export function nextLevel(notified: QuotaLevel, usedBytes: number, bytesMax: number): QuotaLevel {
  const level = levelOf(usedBytes, bytesMax);
  if (level >= notified) return level;
  const kept = levelOf(usedBytes + bytesMax * fallenShare, bytesMax);
  return kept >= notified ? notified : kept;
}
