import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { StatementSync } from "node:sqlite";
import { Client } from "pg";
import type { StatementWork } from "./measured-work.ts";

/** How often each statement was sent. */
type Runs = Map<string, number>;

/**
 * From here on the statements are counted that requests to services of this process send, each in its own asynchronous context:
 * loops and tests send the same texts at the same time. Gives a function with those of the requests that began since it was asked last.
 */
export function watchRequestStatements(): () => ReadonlyMap<string, number> {
  const runsOfRequest = new AsyncLocalStorage<Runs>();
  let requests: Runs[] = [];
  subscribe("http.server.request.start", () => {
    const runs: Runs = new Map();
    requests.push(runs);
    runsOfRequest.enterWith(runs);
  });
  const note = (text: unknown) => {
    const runs = runsOfRequest.getStore();
    if (typeof text === "string" && runs !== undefined) runs.set(text, (runs.get(text) ?? 0) + 1);
  };
  const { run, all, get, iterate } = StatementSync.prototype;
  const watched = <Method extends typeof run | typeof all | typeof get | typeof iterate>(method: Method) =>
    function (this: StatementSync, ...asked: Parameters<Method>) {
      note(this.sourceSQL);
      return Reflect.apply(method, this, asked);
    } as Method; // with its parameters and result
  Object.assign(StatementSync.prototype, {
    run: watched(run),
    all: watched(all),
    get: watched(get),
    iterate: watched(iterate),
  });
  const { query } = Client.prototype;
  const watchedQuery = function (this: Client, ...asked: unknown[]) {
    const [first] = asked;
    note(typeof first === "string" ? first : (first as { readonly text?: unknown } | undefined)?.text); // one of pg's forms
    return Reflect.apply(query, this, asked);
  };
  Client.prototype.query = watchedQuery as typeof query; // whatever overload is called
  return () => {
    const total: Runs = new Map();
    for (const runs of requests) for (const [text, count] of runs) total.set(text, (total.get(text) ?? 0) + count);
    requests = [];
    return total;
  };
}

/** The work that requests made themselves: their statements alone, as often as they sent them. */
export function ofRequests(
  work: Iterable<StatementWork>,
  runsOfRequests: ReadonlyMap<string, number>,
): readonly StatementWork[] {
  return [...work].flatMap(({ text, steps }) => {
    const runs = runsOfRequests.get(text);
    return runs === undefined ? [] : [{ text, runs, steps }];
  });
}
