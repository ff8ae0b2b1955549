import { StatementSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";

/** The most rows that statements on SQLite gave or changed between two turns of the event loop, while it did `work`. */
export async function measureTurns(work: () => Promise<unknown>): Promise<number> {
  const { all, run } = StatementSync.prototype;
  let rows = 0;
  StatementSync.prototype.all = function (this: StatementSync, ...values: never[]) {
    const found = Reflect.apply(all, this, values) as ReturnType<typeof all>;
    rows += found.length;
    return found;
  };
  StatementSync.prototype.run = function (this: StatementSync, ...values: never[]) {
    const done = Reflect.apply(run, this, values) as ReturnType<typeof run>;
    rows += Number(done.changes);
    return done;
  };
  let [most, isOver] = [0, false];
  const counting = (async () => {
    while (!isOver) {
      rows = 0;
      await setImmediate();
      most = Math.max(most, rows);
    }
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await counting;
    Object.assign(StatementSync.prototype, { all, run });
  }
  return most;
}
