import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { findRightChange, principalOf } from "../access/access.ts";
import { renewPrincipal } from "../access/renew-principal.ts";
import { runGuarded } from "../database/transaction-guard.ts";
import { Problem } from "../problems/problem.ts";
import type { FindAgain } from "./authentication.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Breaks a long answer off within a second of the end of the right to read it; and when `isStillTheirs` says no. */
    endsWithRight(stream: Readable, isStillTheirs?: () => Promise<boolean>): void;
  }
}

const lookMilliseconds = 1000;

export interface StandingDependencies {
  readonly findAgain: FindAgain;
  /** Resolves when a transaction of the request may begin, with what says that it has ended. */
  readonly takePlace: (request: FastifyRequest) => Promise<() => void>;
  /** Called before each transaction of a request; tests take a right away here. */
  readonly beforeTransaction?: ((request: FastifyRequest) => Promise<void>) | undefined;
}

/**
 * Rights end at once (docs/decisions/0038-rights-over-time.md). `installAccess` looks at them before a body is read; here they are
 * looked at again when it was read, which may have taken half a minute, in each transaction of the request, and while it is answered.
 */
export function installStanding(
  app: FastifyInstance,
  { findAgain, takePlace, beforeTransaction }: StandingDependencies,
): void {
  app.addHook("preValidation", async (request) => {
    if (request.principal === undefined || !hasWaited(request)) return;
    renewPrincipal(request, await findAgain(request.principal), "before_handler");
  });
  app.addHook("preHandler", (request, reply, done) => {
    runGuarded(
      {
        before: async () => beforeTransaction?.(request),
        takePlace: () => takePlace(request),
        async check(transaction) {
          // A public route has nobody's right: a link that was mailed, say.
          if (request.principal === undefined) return;
          const found = await findAgain(request.principal, transaction, findRightChange(request));
          renewPrincipal(request, found, "in_handler");
        },
        isOver: () => reply.raw.writableEnded,
      },
      done,
    );
  });
  app.decorateRequest("endsWithRight", function (this: FastifyRequest, stream, isStillTheirs = async () => true) {
    let isLooking = false;
    const look = async () => {
      if (isLooking) return;
      isLooking = true;
      try {
        renewPrincipal(this, await findAgain(principalOf(this)), "in_handler");
        if (!(await isStillTheirs())) stream.destroy();
      } catch (error) {
        // A database that does not answer says nothing about rights, and ends the answer on its own.
        if (error instanceof Problem) stream.destroy();
      } finally {
        isLooking = false;
      }
    };
    const timer = setInterval(look, lookMilliseconds);
    stream.once("close", () => clearInterval(timer));
  });
}

/** Whether there was a body to wait for. An empty one can be held back too. */
function hasWaited({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
