import type { HostAnswer, HostState } from "./host-state.ts";
import { NoPrimaryError } from "./no-primary-error.ts";

/** A server that a process writes to, as long as it can. */
export interface Primary {
  /** Its place among the hosts of the URL. */
  readonly index: number;
  readonly state: HostState;
}

/** Chooses the server to write to among those of `names`, by what each answered, and by which one it was until now. */
export function choosePrimary(
  names: readonly string[],
  answers: readonly HostAnswer[],
  known: Primary | undefined,
): Primary {
  const candidates = answers.flatMap((state, index) => (isCandidate(state, known) ? [{ index, state }] : []));
  const [first, ...others] = candidates;
  if (known === undefined) refuseStrangers(names, answers);
  // As long as it serves: two that are written to are two truths, and what was answered is in the one that it was.
  const same = candidates.find(({ index }) => index === known?.index);
  if (same !== undefined) return same;
  const list = answers.map((answer, index) => `${names[index]} ${describe(answer, known)}`).join("; ");
  if (first === undefined)
    throw new NoPrimaryError(
      names.length === 1
        ? `The database cannot be written to: ${list}`
        : `None of the database's hosts can be written to: ${list}`,
    );
  const rival = others.find(({ state }) => !isSameServer(state, first.state));
  if (rival !== undefined)
    throw new NoPrimaryError(
      `Two of the database's hosts accept writes, and neither knows what the other one stores: ${names[first.index]} and ${names[rival.index]}. Stop the one that should not be the primary, then start again`,
    );
  return first;
}

/** Whether a server may be written to by a process that knows of this primary. */
export function isCandidate(answer: HostAnswer, known: Primary | undefined): answer is HostState {
  return answer.role === "primary" && !isStranger(answer, known?.state) && !isFormer(answer, known?.state);
}

/** Not a copy of the same database. */
function isStranger(state: HostState, other: HostState | undefined): boolean {
  return state.system !== undefined && other?.system !== undefined && state.system !== other.system;
}

/** A primary that another one has followed since. It does not know what that one stores. */
function isFormer({ timeline }: HostState, known: HostState | undefined): boolean {
  return timeline !== undefined && known?.timeline !== undefined && timeline < known.timeline;
}

function isSameServer(state: HostState, other: HostState): boolean {
  return state.system === other.system && state.startedAt === other.startedAt;
}

function refuseStrangers(names: readonly string[], answers: readonly HostAnswer[]): void {
  const states = answers.flatMap((state, index) => (state.role === "silent" ? [] : [{ index, state }]));
  for (const one of states)
    for (const other of states)
      if (isStranger(other.state, one.state))
        throw new NoPrimaryError(
          `Two of the database's hosts are not copies of the same database: ${names[one.index]} and ${names[other.index]}. Look at the hosts in SEALPOST_DATABASE_URL`,
        );
}

/** The answer of a host, in words. */
export function describe(answer: HostAnswer, known: Primary | undefined): string {
  switch (answer.role) {
    case "silent":
      return `cannot be asked (${describeError(answer.error)})`;
    case "standby":
      return "is a standby";
    case "read-only":
      return "is set to read-only";
    case "primary":
      if (isStranger(answer, known?.state)) return "is another database";
      return isFormer(answer, known?.state) ? "is the primary of before" : "accepts writes";
    default:
      return answer satisfies never;
  }
}

/** An address with several families fails with one error for each, and no message of its own. */
function describeError(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first.message : error.message;
}
