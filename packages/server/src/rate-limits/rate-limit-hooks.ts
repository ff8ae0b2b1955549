import { isId } from "@sealpost/wire";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../access/principal.ts";
import type { KnownBrowsers } from "../authentication/known-browsers.ts";
import { Problem } from "../problems/problem.ts";
import { type Quota, windowSeconds } from "./rate-limiter.ts";
import type { RateLimits } from "./rate-limits.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * Which limit counts this route's requests. Without a word: `api` for everything under /api/ and all that needs a
     * credential, `none` for the rest (health, embed scripts, pages).
     */
    readonly rate?: "api" | "api_keys" | "key_ending" | "ending" | "submissions" | "refused_keys" | "sign_in" | "none";
  }
}

export interface RateLimitHookDependencies {
  readonly rateLimits: RateLimits;
  readonly knownBrowsers: KnownBrowsers;
  /** The email address of the account whose session asks. */
  readonly findSessionEmail: (request: FastifyRequest) => Promise<string | undefined>;
  /** Called when the sign-ins for an email address are used up, once for each minute. */
  readonly onSignInsLimited: (email: string) => Promise<void>;
  readonly publicForms: FindsForms;
}

interface FindsForms {
  find(formId: string): Promise<object | undefined>;
}

/**
 * Counts requests. It runs when the credential is checked and the headers of the route are set (so that a browser on
 * another origin may read a 429), and before the body is read. Preflights are never counted: a refused one would look
 * like a broken network.
 */
export function installRateLimits(
  app: FastifyInstance,
  { rateLimits: limits, knownBrowsers, findSessionEmail, onSignInsLimited, publicForms }: RateLimitHookDependencies,
): void {
  /** Sign-ins from an address that has had too many, which only a browser known for their email address, or their session's, may continue. */
  const pending = new WeakMap<FastifyRequest, Quota>();
  const limited = new WeakMap<FastifyRequest, string>();

  app.addHook("preParsing", async (request, reply) => {
    const quota = await countRequest(request, limits, publicForms);
    if (quota !== undefined) announce(reply, quota, !isOfAddress(request));
    if (!quota?.isExceeded) return;
    if (rateOf(request) !== "sign_in" || !knownBrowsers.isClaimed(request.headers.cookie)) throw tooMany(quota);
    pending.set(request, quota);
  });
  app.addHook("preParsing", async (request) => {
    // Before it is read: what is over the route's own limit is never read at all.
    const bytes = declaredBytes(request);
    if (rateOf(request) === "submissions" && bytes !== undefined && bytes <= request.routeOptions.bodyLimit)
      await countBytes(request, bytes);
  });
  app.addHook("preValidation", (request, _reply, done) => {
    const rate = rateOf(request);
    if (rate === "sign_in") countSignIn(request).then(() => done(), done);
    else if (rate === "submissions" && declaredBytes(request) === undefined)
      countBytes(request, request.bodyBytes).then(() => done(), done);
    else done();
  });
  app.addHook("onResponse", async (request, reply) => {
    // After the answer, which so takes as long for an email address that nobody has.
    const email = limited.get(request);
    if (email !== undefined) await onSignInsLimited(email);
    if (rateOf(request) === "submissions" && reply.statusCode === 404) await limits.countMissedSubmission(request.ip);
  });

  async function countBytes(request: FastifyRequest, bytes: number): Promise<void> {
    const quota = await limits.countSubmissionBytes(request.ip, formIdOf(request), bytes);
    if (quota?.isExceeded) throw tooMany(quota);
  }

  async function countSignIn(request: FastifyRequest): Promise<void> {
    const { body } = request;
    const given = typeof body === "object" && body !== null && "email" in body ? body.email : undefined;
    const exceeded = pending.get(request);
    // Within a session passwords count for the account: its browser matters only once somebody else has used up the address's.
    const isOfSession = given === undefined && exceeded !== undefined;
    const email = isOfSession ? await findSessionEmail(request) : typeof given === "string" ? given : undefined;
    const browser = email === undefined ? undefined : await knownBrowsers.find(request.headers.cookie, email);
    if (exceeded !== undefined && browser === undefined) throw tooMany(exceeded);
    // Not announced in headers: they would tell a stranger that the owner of the address is signing in.
    const quota = email === undefined ? undefined : await limits.countSignInFor(email, browser);
    if (email !== undefined && quota?.isFirstExceeded) limited.set(request, email);
    if (quota?.isExceeded) throw tooMany(quota);
  }
}

/** For a request whose credential was refused: guesses count per address. Throws when there were too many. */
export async function countRefused(request: FastifyRequest, reply: FastifyReply, limits: RateLimits): Promise<void> {
  const quota = rateOf(request) === "none" ? undefined : await limits.countAddress(request.ip);
  if (quota !== undefined) announce(reply, quota, false);
  if (quota?.isExceeded) throw tooMany(quota);
}

async function countRequest(
  request: FastifyRequest,
  limits: RateLimits,
  publicForms: FindsForms,
): Promise<Quota | undefined> {
  const { principal, ip } = request;
  const rate = rateOf(request);
  switch (rate) {
    case "none":
      return undefined;
    case "submissions": {
      const id = formIdOf(request);
      return limits.countSubmission(ip, id, async () => isId("form", id) && (await publicForms.find(id)) !== undefined);
    }
    case "refused_keys":
      return limits.countRefusedKey(ip, formIdOf(request));
    case "sign_in":
      return limits.countSignIn(ip);
    case "api_keys":
    case "key_ending":
      // Each person for themselves: nobody keeps an owner from revoking a key.
      return principal && limits.countApiKeys({ ...askingOf(principal), isEnding: rate === "key_ending" });
    case "ending":
      return principal?.kind === "session" ? limits.countEnding(principal.sessionId) : limits.countAddress(ip);
    case "api":
      if (principal === undefined) return limits.countAddress(ip);
      return limits.countPrincipal(principal.kind === "api_key" ? principal.keyId : principal.personId);
    default:
      return rate satisfies never;
  }
}

function askingOf(principal: Principal): { readonly personId: string; readonly sessionId: string } {
  return principal.kind === "session" ? principal : { personId: principal.accountId, sessionId: principal.keyId };
}

/** The body's length according to the client; `undefined` for one that comes in chunks. The HTTP parser reads no more than that. */
function declaredBytes({ headers }: FastifyRequest): number | undefined {
  const length = headers["content-length"];
  return length === undefined ? undefined : Number(length);
}

function rateOf(request: FastifyRequest) {
  if (request.method === "OPTIONS" || request.is404) return "none";
  const { config, url = "" } = request.routeOptions;
  return config.rate ?? (config.access !== "public" || url.startsWith("/api/") ? "api" : "none");
}

function formIdOf({ params }: FastifyRequest): string {
  const id = typeof params === "object" && params !== null && "form_id" in params ? params.form_id : undefined;
  if (typeof id !== "string") throw new Error("A route of a form has no form_id in its path");
  return id;
}

/** Whether others of the same network count with the request. */
function isOfAddress(request: FastifyRequest): boolean {
  return request.principal === undefined || ["submissions", "refused_keys", "sign_in"].includes(rateOf(request));
}

/**
 * draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4: `q` requests in `w` seconds; `r` left, all again in `t` seconds. What is
 * left is shown to a session or an API key of its own requests alone: of an address it would tell what others in the network do.
 */
function announce(reply: FastifyReply, { name, limit, remaining, resetSeconds }: Quota, isOwn: boolean): void {
  reply.header("ratelimit-policy", `"${name}";q=${limit};w=${windowSeconds}`);
  if (isOwn) reply.header("ratelimit", `"${name}";r=${remaining};t=${resetSeconds}`);
}

/** Says when to come again, and nothing of what was counted. */
export function tooMany({ resetSeconds }: Pick<Quota, "resetSeconds">): Problem {
  return new Problem("rate_limited", "Too many requests. Please try again later.", { retryAfter: resetSeconds });
}
