import { median } from "./machine.ts";

/** Something to be measured: what it is called, and one round of it. */
export interface Contender<Figure> {
  readonly name: string;
  measure(round: number): Promise<Figure>;
}

/**
 * Runs all contenders one after the other in each round, so that other load of the machine meets all. The first warms up. Once it is
 * `endsAt`, by `performance.now()`, the round that is under way is the last, but not before the first that counts.
 */
export async function runAlternating<Figure>(
  rounds: number,
  contenders: readonly Contender<Figure>[],
  endsAt = Number.POSITIVE_INFINITY,
): Promise<ReadonlyMap<string, readonly Figure[]>> {
  const figures = new Map<string, Figure[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds && (round <= 1 || performance.now() < endsAt); round++)
    for (const { name, measure } of contenders) {
      const figure = await measure(round);
      if (round > 0) figures.get(name)?.push(figure);
    }
  return figures;
}

/** The median of the rounds' own ratios: what disturbed one round disturbed both of its sides. */
export function medianRatio(values: readonly number[] = [], base: readonly number[] = []): number {
  return median(values.map((value, round) => value / (base[round] ?? Number.NaN)));
}
