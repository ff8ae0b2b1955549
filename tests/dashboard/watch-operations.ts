import { setTimeout } from "node:timers/promises";
import type { BrowserContext } from "playwright-core";
import type { Operation } from "../contract/operations.ts";

/** An operation that a page asked for while it was loaded. */
export interface AskedOperation {
  readonly page: string;
  /** Label of the browser's person, such as a role. */
  readonly by: string;
  readonly operation: Operation;
  readonly status: number;
}

export interface SeenOperations {
  /** All pages of this browser are asked for by `by`. */
  watch(context: BrowserContext, by: string): void;
  /** Counts the requests that follow for this page of the manifest. */
  begin(page: string): void;
  /** Resolves once no request is on its way, and none begins for a moment. */
  settle(): Promise<void>;
  readonly asked: readonly AskedOperation[];
}

/** Longer than a page takes from an answer to the request that follows it. */
const quietMilliseconds = 100;

/** So long after anything else a request counts as lost: what a page had open when it was closed has no end. */
const lostMilliseconds = 3000;

/** Sees which of the document's operations pages ask for by themselves, and what they are answered. */
export function watchOperations(operations: readonly Operation[]): SeenOperations {
  const patterns = operations
    // A fixed path wins over one with a parameter, as in the router.
    .toSorted((one, other) => one.path.split("{").length - other.path.split("{").length)
    .map((operation) => ({ operation, pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`) }));
  const asked: AskedOperation[] = [];
  let page = "";
  let open = 0;
  let changed = 0;
  const count = (difference: number) => {
    open += difference;
    changed = performance.now();
  };
  return {
    asked,
    begin: (name) => {
      page = name;
    },
    watch(context, by) {
      // A request that was open when its browser was closed has no end.
      open = 0;
      context.on("request", () => count(1));
      context.on("requestfailed", () => count(-1));
      context.on("requestfinished", () => count(-1));
      context.on("response", (response) => {
        const { pathname } = new URL(response.url());
        const method = response.request().method();
        const found = patterns.find((one) => one.operation.method === method && one.pattern.test(pathname));
        if (found !== undefined) asked.push({ page, by, operation: found.operation, status: response.status() });
      });
    },
    async settle() {
      changed = performance.now();
      const since = () => performance.now() - changed;
      while (since() < quietMilliseconds || (open > 0 && since() < lostMilliseconds)) await setTimeout(20);
    },
  };
}
