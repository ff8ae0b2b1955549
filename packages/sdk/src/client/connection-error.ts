/** The server could not be reached, or the connection was lost before the whole answer was there. `cause` is the error of `fetch`. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/** The answer of `fetch`. Rejects with a `ConnectionError`, or the reason of an aborted signal. */
export function reached<Value>(sent: Promise<Value>): Promise<Value> {
  return sent.catch((error: unknown) => explain("The server could not be reached", error));
}

/** A piece of its body. Rejects with a `ConnectionError`, or the reason of an aborted signal. */
export function received<Value>(piece: Promise<Value>): Promise<Value> {
  return piece.catch((error: unknown) => explain("The connection to the server was lost", error));
}

/** The platform's `fetch` says no more than "fetch failed" or "terminated"; the reason is in its cause. */
function explain(what: string, error: unknown): never {
  // The decoder throws one too, with a code, for bytes that are not UTF-8.
  if (!(error instanceof TypeError) || "code" in error) throw error;
  const { cause, message } = error;
  throw new ConnectionError(`${what}: ${(cause instanceof Error && cause.message) || message}`, { cause: error });
}
