import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { createSummedLines } from "./summed-lines.ts";

declare module "fastify" {
  interface FastifyInstance {
    readonly errorLog: ErrorLog;
  }
}

/** Errors that a sender of many requests can cause many of, as every 503 while the database is away. */
export interface ErrorLog {
  /**
   * Writes the first error of a kind at once, through the log of its own request. More of the same kind are counted, and
   * logged once a second until none comes. A cause is logged by name, code and place, never by its text. A reason, where the
   * error is not in our code, makes one kind of what comes from all places.
   */
  write(log: FastifyBaseLogger, message: string, cause: unknown, reason?: string): void;
}

export function installErrorLog(app: FastifyInstance): void {
  const lines = createSummedLines<{ readonly message: string; readonly members: object }>(
    ({ message, members }, more) => app.log.error({ ...members, more }, message),
  );
  app.decorate("errorLog", { write });
  app.addHook("onClose", async () => lines.end());

  function write(...[log, message, cause, reason]: Parameters<ErrorLog["write"]>): void {
    const members = { reason, cause: describeCause(cause) };
    const { name, code, frames } = members.cause;
    const key = JSON.stringify([message, name, code, reason ?? frames]);
    // Beyond the kinds of a second the rest of a message's are one.
    const line = { message, members };
    if (lines.isFirst({ key, members: line }, { key: message, members: line })) log.error(members, message);
  }
}

/** Far above any frame of ours; a path that somebody chose must not cost time. */
const frameCharactersMax = 500;

/** For every error that anything logs as `err`, in the members that the logger wants. */
export function serializeError(error: unknown): { type: string; message: string; stack: string } {
  const { name, code, frames = [] } = describeCause(error);
  return { type: name, message: code ?? name, stack: frames.join("\n") };
}

/** The loggable parts of an error: its name, code and where it came from; a library's message may hold values. */
function describeCause(cause: unknown): { name: string; code?: string | undefined; frames?: string[] } {
  if (!(cause instanceof Error)) return { name: typeof cause };
  const code = "code" in cause ? String(cause.code) : undefined;
  const { stack = "", message } = cause;
  // After the text of the error, which may have lines that look like frames.
  const frames = stack
    .slice(stack.includes(message) ? stack.indexOf(message) + message.length : 0)
    .split("\n")
    .filter((line) => line.trimStart().startsWith("at "))
    .slice(0, 6);
  return {
    name: cause.name,
    code,
    frames: frames.map((line) =>
      line
        .trim()
        .slice(0, frameCharactersMax)
        .replace(/\(?file:\/\/.*\/(packages|node_modules)\//, "($1/"),
    ),
  };
}
