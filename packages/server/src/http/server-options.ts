import type { Server } from "node:http";
import { type FastifyBaseLogger, type FastifyHttpOptions, type FastifyRequest, LogController } from "fastify";
import type { Config } from "../config/config.ts";
import { createAnswerClientError } from "./client-errors.ts";
import type { ConnectionLimits } from "./connections.ts";
import { type SendPage, sendProblem, toProblem } from "./errors.ts";
import { standardHeaders } from "./headers.ts";
import { withoutLastSlash } from "./last-slash.ts";
import { toOriginForm } from "./request-target.ts";

export interface ServerSettings extends Pick<Config, "trustedProxies"> {
  readonly log: FastifyBaseLogger;
  readonly limits: ConnectionLimits;
  readonly isHttps: boolean;
  findNotFoundPage(request: FastifyRequest, status: number): Promise<SendPage | undefined>;
}

const bodyBytesMax = 65_536;

/** How Fastify and Node take requests, before any hook of ours. */
export function createServerOptions({
  log,
  limits,
  trustedProxies,
  isHttps,
  findNotFoundPage,
}: ServerSettings): FastifyHttpOptions<Server> {
  return {
    loggerInstance: log,
    // Its own line per request would hold the path and the client's address; `installRequestLog` writes ours.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    requestIdHeader: false,
    genReqId: () => crypto.randomUUID(),
    trustProxy: trustedProxies.length === 0 ? false : trustedProxies.map(({ address, bits }) => `${address}/${bits}`),
    bodyLimit: bodyBytesMax,
    requestTimeout: limits.requestMillisecondsMax,
    keepAliveTimeout: limits.idleMilliseconds,
    connectionTimeout: limits.silentMilliseconds,
    // An id of any length is one that is not found, like every other unknown id; `installUrlLimit` bounds the address.
    routerOptions: { maxParamLength: 16_384 },
    rewriteUrl: ({ url = "/" }) => withoutLastSlash(toOriginForm(url)),
    // A path that can't be decoded reaches no route and no hook.
    frameworkErrors: async (error, request, reply) => {
      const problem = toProblem(error, request);
      reply.headers(standardHeaders(request.id, isHttps));
      const sendPage = await findNotFoundPage(request, problem.status).catch(() => undefined);
      return sendPage === undefined ? sendProblem(problem, request, reply) : sendPage(reply);
    },
    clientErrorHandler: createAnswerClientError(isHttps),
    http: {
      headersTimeout: limits.headersMilliseconds,
      connectionsCheckingInterval: limits.checkMilliseconds,
      // Node's own refusal would have none of our headers.
      requireHostHeader: false,
    },
    forceCloseConnections: "idle",
    // Requests that still come on open connections while the service stops are answered, with the end of the connection; Fastify
    // would refuse it in a shape of its own, which no page of another origin may read.
    return503OnClosing: false,
  };
}
