import { describe, type Primary } from "./choose-primary.ts";
import type { HostAnswer } from "./host-state.ts";

/** Something that would make the loss of the primary worse. Nobody who sends or reads notices any of it before. */
export interface HostConcern {
  readonly kind: "gone" | "lagging" | "read-only" | "asynchronous";
  /** A sentence for the operator. */
  readonly message: string;
}

const mebibyte = 1_048_576;
/** One segment of the log: a standby that follows is never that far from it for long. */
const lagBytesMax = 16 * mebibyte;

export function findHostConcerns(
  names: readonly string[],
  answers: readonly HostAnswer[],
  primary: Primary,
): readonly HostConcern[] {
  const concerns = answers.flatMap((answer, index): HostConcern[] => {
    const name = names[index];
    const message = `${name} ${describe(answer, primary)}`;
    if (index === primary.index) return [];
    if (answer.role === "silent") return [{ kind: "gone", message }];
    if (answer.role !== "standby") return [{ kind: "read-only", message }];
    const lagBytes = primary.state.position - answer.position;
    if (lagBytes <= lagBytesMax) return [];
    return [{ kind: "lagging", message: `${message}, and lags the primary by ${Math.floor(lagBytes / mebibyte)} MiB` }];
  });
  if (answers.length > 1 && !primary.state.isSynchronous)
    concerns.push({
      kind: "asynchronous",
      message: `${names[primary.index]} answers before a standby has what was written: its loss may lose the newest submissions`,
    });
  return concerns;
}
