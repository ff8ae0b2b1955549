import type { FastifyInstance, FastifyRequest } from "fastify";
import { awaitDurable } from "../database/await-durable.ts";
import type { Database } from "../database/database.ts";
import { isRead } from "./is-read.ts";

/** Who sends a change again takes these as done: the thing is gone, or there already. */
const saysAlreadySo: readonly number[] = [404, 409, 410];

/** Waits, where an answer of this status says what is stored, until that is durable. */
export type Settle = (request: FastifyRequest, status: number) => Promise<void>;

/**
 * A change's answer is as durable as the change itself, also where it was sent again and only read what the first one has written:
 * the commit of that one may have no standby yet. Submissions wait where they are compared, and for nothing else.
 */
export function createSettle(database: Database): Settle {
  return async (request, status) => {
    const { method, principal, routeOptions } = request;
    if (isRead(request) || method === "OPTIONS") return;
    if (routeOptions.url === undefined || routeOptions.config.rate === "submissions") return;
    if (status < 400 || (principal !== undefined && saysAlreadySo.includes(status))) await awaitDurable(database);
  };
}

/** For answers that are no errors; `installErrorHandling` does the same for the others. */
export function installDurableAnswers(app: FastifyInstance, settle: Settle): void {
  app.addHook("onSend", async (request, reply) => {
    if (reply.statusCode < 400) await settle(request, reply.statusCode);
  });
}
