import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { StatementSync } from "node:sqlite";
import { Client } from "pg";

/** Collects the statements that requests to services of this process send and leaves out the statements of loops and tests. */
export function watchRequestStatements(): ReadonlySet<string> {
  const texts = new Set<string>();
  const isOfRequest = new AsyncLocalStorage<true>();
  subscribe("http.server.request.start", () => isOfRequest.enterWith(true));
  const note = (text: unknown) => {
    if (typeof text === "string" && isOfRequest.getStore() === true) texts.add(text);
  };
  const { run, all, iterate } = StatementSync.prototype;
  const watched = <Method extends typeof run | typeof all | typeof iterate>(method: Method) =>
    function (this: StatementSync, ...asked: Parameters<Method>) {
      note(this.sourceSQL);
      return Reflect.apply(method, this, asked);
    } as Method; // with its parameters and result
  Object.assign(StatementSync.prototype, { run: watched(run), all: watched(all), iterate: watched(iterate) });
  const { query } = Client.prototype;
  const watchedQuery = function (this: Client, ...asked: unknown[]) {
    const [first] = asked;
    note(typeof first === "string" ? first : (first as { readonly text?: unknown } | undefined)?.text); // one of pg's forms
    return Reflect.apply(query, this, asked);
  };
  Client.prototype.query = watchedQuery as typeof query; // whatever overload is called
  return texts;
}
