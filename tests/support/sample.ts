const { SEALPOST_CASES: chosen } = process.env;

/**
 * Files that generate hundreds of cases run a sample of them where one is named, the same at each run; each of them in `npm run test:rest`, which
 * `.ci/run` has; and each in every way in `npm run test:cases`. These commands find every file that imports this one, and `npm test` leaves it out.
 */
export const isWhole = chosen === "each" || chosen === "all";

/** Whether a case runs by every program and in every state that it can, and not by one of them, in turn. */
export const isEveryWay = chosen === "all";

/** For what is whole or not at all. */
export const inWhole = { skip: !isWhole && "in npm run test:cases" };

/** The first case, and each `step`th after it. */
export function sampleEvery<Case>(cases: readonly Case[], step: number): readonly Case[] {
  return isWhole ? cases : cases.filter((_, index) => index % step === 0);
}

/** The first case of each kind. */
export function sampleKinds<Case>(cases: readonly Case[], kindOf: (of: Case) => unknown): readonly Case[] {
  return isWhole ? cases : firstOfEach(cases, kindOf);
}

function firstOfEach<Case>(cases: readonly Case[], kindOf: (of: Case) => unknown): readonly Case[] {
  return [...Map.groupBy(cases, kindOf).values()].flatMap((ofKind) => ofKind.slice(0, 1));
}

/** The first case of each kind, and all of them in `npm run test:cases` alone: what tells those of a kind apart takes turns in `cases`. */
export function sampleTurns<Case>(cases: readonly Case[], kindOf: (of: Case) => unknown): readonly Case[] {
  return isEveryWay ? cases : firstOfEach(cases, kindOf);
}

/** Pairs of a `one` and an `other`: as many as the longer list has members, so that each member of both is in one. */
export function samplePairs<One, Other>(
  ones: readonly One[],
  others: readonly Other[],
): readonly (readonly [One, Other])[] {
  const pairs = ones.flatMap((one) => others.map((other) => [one, other] as const));
  if (isWhole) return pairs;
  return pairs.filter((_, index) => {
    const [row, column] = [Math.floor(index / others.length), index % others.length];
    return ones.length >= others.length ? row % others.length === column : column % ones.length === row;
  });
}
