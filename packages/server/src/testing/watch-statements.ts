import { Client } from "pg";
import { findUnscoped } from "./statement-shape.ts";

/** Root of the repository, which may itself be in a folder called `tests`. */
const root = new URL("../../../../", import.meta.url).href;

const verdicts = new Map<string, string | undefined>();

/**
 * From here on every statement that the service sends to PostgreSQL in this process has to say of which forms it is
 * (`findUnscoped`); one that does not fails. Those that a test sends itself may be anything.
 */
export function watchStatements(): void {
  const { query } = Client.prototype;
  const watched = function (this: Client, ...parameters: unknown[]) {
    const [first] = parameters;
    const text = typeof first === "string" ? first : (first as { readonly text?: unknown } | undefined)?.text; // one of pg's three forms
    if (typeof text === "string") check(text);
    return Reflect.apply(query, this, parameters);
  };
  Client.prototype.query = watched as typeof query; // whatever overload is called
}

function check(text: string): void {
  if (!verdicts.has(text)) verdicts.set(text, findUnscoped(text));
  const verdict = verdicts.get(text);
  if (verdict === undefined) return;
  const sender = findSender();
  if (sender !== undefined) throw new Error(`A statement of ${sender} ${verdict}`);
}

/** The file of the service that sends a statement; `undefined` if it is a test. */
function findSender(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const frames = new Error().stack?.split("\n") ?? [];
  Error.stackTraceLimit = stackTraceLimit;
  const files = frames.flatMap(
    (frame) => /^(?:packages\/server\/src\/([^:]+)|(tests\/[^:]+))/.exec(frame.split(root)[1] ?? "")?.slice(1) ?? [],
  );
  const [nearest] = files.filter((file) => file !== undefined && !/^(database|testing)\/(?!.*\.test\.ts)/.test(file));
  return nearest === undefined || /\.test\.ts$|(^|\/)testing\/|^tests\//.test(nearest) ? undefined : nearest;
}
