import swagger from "@fastify/swagger";
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from "fastify";
import { installAccess } from "../access/access.ts";
import { installSchemas, openApiOptions } from "../api-document/openapi-options.ts";
import { installLastUsed } from "../api-keys/last-used.ts";
import { findCredentialError } from "../authentication/authentication.ts";
import { installFormerCookies } from "../authentication/former-cookies.ts";
import { installStanding, type StandingDependencies } from "../authentication/standing.ts";
import { createNotFoundPage } from "../dashboard/dashboard-routes.ts";
import { kindOf } from "../database/kind.ts";
import { findMethodPage } from "../html-forms/html-form-routes.ts";
import { installBodyParsers } from "../http/body-parsers.ts";
import { answerConnects, answerExpectations } from "../http/client-errors.ts";
import { type ConnectionLimits, connectionLimits, findConnectionsMax, limitConnections } from "../http/connections.ts";
import { installCookieSpelling } from "../http/cookies.ts";
import { createSettle, installDurableAnswers } from "../http/durable-answers.ts";
import { installErrorHandling } from "../http/errors.ts";
import { installHeadRoutes } from "../http/head-routes.ts";
import { installHeaders } from "../http/headers.ts";
import { installHostCheck } from "../http/host.ts";
import { installLingeringClose } from "../http/lingering-close.ts";
import { installRequestLog } from "../http/request-log.ts";
import { installTargetCheck } from "../http/request-target.ts";
import { installSchemaCompilers } from "../http/schema-compilers.ts";
import { createServerOptions } from "../http/server-options.ts";
import { installStrictQueries } from "../http/strict-query.ts";
import { installUnfinishedBodyLimit } from "../http/unfinished-bodies.ts";
import { installUnreadLimit } from "../http/unread-answers.ts";
import { installUrlLimit } from "../http/url-length.ts";
import { toSharedNetworks } from "../rate-limits/client-address.ts";
import { countRefused, installRateLimits } from "../rate-limits/rate-limit-hooks.ts";
import { createTakePlace, placesOf } from "../rate-limits/transaction-places.ts";
import { warnOfUnreadableAddresses } from "../rate-limits/unreadable-addresses.ts";
import type { Capability } from "./capability.ts";
import type { Core } from "./core.ts";

export interface AppOptions {
  /** How long clients may take and how many there may be, where it differs from the usual. */
  readonly connections?: Partial<ConnectionLimits> | undefined;
  /** Called before each transaction of a request that came with a credential; tests take rights away here. */
  readonly beforeTransaction?: StandingDependencies["beforeTransaction"];
}

const pluginName = Symbol.for("fastify.display-name");

/** The whole HTTP surface: what holds for every request, and then the routes of each capability. */
export async function createApp(
  core: Core,
  capabilities: readonly Capability[],
  { connections: ownLimits, beforeTransaction }: AppOptions,
): Promise<FastifyInstance> {
  const { config, address } = core;
  const limits = { ...connectionLimits, connectionsMax: findConnectionsMax(), ...ownLimits };
  const findNotFoundPage = createNotFoundPage(core.page);
  const app = Fastify(
    createServerOptions({
      ...config,
      ...{ log: core.log, limits, isHttps: address.isHttps, findNotFoundPage },
    }),
  );

  installLingeringClose(app.server, limits);
  const connections = limitConnections(app, limits, toSharedNetworks);
  app.addHook("preClose", async () => connections.end(limits.stopMilliseconds));
  answerExpectations(app.server);
  answerConnects(app.server, address.isHttps);

  installSchemaCompilers(app);
  installHeadRoutes(app);
  installUnreadLimit(app, limits.unreadBytesMax, toSharedNetworks);
  installHeaders(app, address.isHttps);
  installTargetCheck(app);
  installHostCheck(app, address);
  installUrlLimit(app);
  const settle = createSettle(core.database);
  installErrorHandling(app, { findMethodPage, findNotFoundPage }, settle);
  installRequestLog(app);
  core.metrics?.watchRequests(app);
  warnOfUnreadableAddresses(app);
  installCookieSpelling(app);
  await installFormerCookies(app, core);
  installRateLimits(app, {
    ...core,
    findSessionEmail: async (request) => {
      const session = await core.accountActions.findSession(request);
      return session && core.accounts.findEmail(session.accountId);
    },
    onSignInsLimited: core.accountActions.signInsLimited,
  });
  installBodyParsers(app);
  installAccess(app, {
    authenticate: core.authenticate,
    findCredentialError,
    onRefused: (request, reply) => countRefused(request, reply, core.rateLimits),
  });
  const takePlace = createTakePlace(placesOf[kindOf(core.database)]);
  installStanding(app, { findAgain: core.findAgain, takePlace, beforeTransaction });
  installDurableAnswers(app, settle);
  installUnfinishedBodyLimit(app, limits, toSharedNetworks);
  installLastUsed(app, core);
  installSchemas(app);
  installStrictQueries(app);
  await app.register(swagger, openApiOptions);
  // Fastify looks for the name of a plugin that has none among all modules that were ever loaded, at each start.
  const add = (routes: FastifyPluginAsync) => app.register(Object.assign(routes, { [pluginName]: "routes" }));

  for (const { routes } of capabilities) for (const each of routes) await add(each);
  return app;
}
