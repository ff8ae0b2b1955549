import { setImmediate } from "node:timers/promises";

/** How often the event loop comes round while `work` is done: how often others have a turn. */
export async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  const counting = (async () => {
    for (; !isOver; turns++) await setImmediate();
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await counting;
  }
  return turns;
}
