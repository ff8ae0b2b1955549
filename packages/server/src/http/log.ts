import type { FastifyBaseLogger } from "fastify";
import { pino } from "pino";
import type { Output } from "../output/output.ts";
import { serializeError } from "./error-log.ts";

/** The service's log, JSON lines: there before anything is opened, so that whatever happens during a start can be written. */
export function createLog(level: string, output?: Pick<Output, "write">): FastifyBaseLogger {
  const options = { level, base: null, serializers: { err: serializeError } };
  return output === undefined ? pino(options) : pino(options, output);
}
