import { DatabaseSync, type StatementSync } from "node:sqlite";

/**
 * A statement that ran, how often, and the steps of SQLite's virtual machine that it took each time, on average: some five for each row
 * that it looks at.
 */
export interface StatementWork {
  readonly text: string;
  readonly runs: number;
  readonly steps: number;
}

/** Node has these since 26; its types do not. */
interface CountedStatement extends StatementSync {
  stat(counter: "vmStep" | "run"): number;
  resetStats(): void;
}

/**
 * From here on the work of every statement is counted that this thread prepares on SQLite. Gives a function with the work of
 * each since it was asked last.
 */
export function measureWork(): () => readonly StatementWork[] {
  const prepared = new Map<CountedStatement, string>();
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, text: string) {
    const statement = Reflect.apply(prepare, this, [text]) as CountedStatement; // see above
    prepared.set(statement, text);
    return statement;
  };
  return () =>
    [...prepared].flatMap(([statement, text]) => {
      try {
        const [steps, runs] = [statement.stat("vmStep"), statement.stat("run")];
        statement.resetStats();
        return runs === 0 ? [] : [{ text, runs, steps: steps / runs }];
      } catch {
        // Its database was closed.
        prepared.delete(statement);
        return [];
      }
    });
}
