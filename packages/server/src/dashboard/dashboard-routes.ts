import { findPage, pages } from "@sealpost/dashboard/pages";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { AccountStore } from "../accounts/account-store.ts";
import type { SignUpMode } from "../config/config.ts";
import { isDatabaseUnavailable } from "../database/errors.ts";
import { chooseEncoding } from "../http/choose-encoding.ts";
import type { SendPage } from "../http/errors.ts";
import { isRead } from "../http/is-read.ts";
import { closed } from "../http/schemas.ts";
import { Problem } from "../problems/problem.ts";
import type { Dashboard, DashboardFile, SignUpState } from "./dashboard-files.ts";

export interface DashboardRouteDependencies {
  readonly dashboard: Dashboard;
  readonly accounts: AccountStore;
  readonly signUp: SignUpMode;
  /** Whether the instance sends emails, and so can help a person who forgot the password. */
  readonly hasMail: boolean;
  readonly deliveryLogDays: number;
  /** The identity provider that people sign in with, if there is one. */
  readonly oidc: object | undefined;
}

/**
 * Nothing from elsewhere, no inline script or style, no frame around us, and script addresses only through one policy (for
 * the workers that open submissions). `style-src` needs no nonce: no part of the app injects a style element.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types sealpost",
].join("; ");

const pageHeaders = {
  "content-security-policy": contentSecurityPolicy,
  // The camera, if its owner allows it, reads the code of a recovery sheet; nothing is sent of it.
  "permissions-policy": "camera=(self), microphone=(), geolocation=(), payment=(), usb=()",
} as const;

/** Where only programs ask, whatever they accept. */
const forPrograms = /^\/(api|assets|embed|health|metrics)(\/|$)/;

/**
 * The page that a browser gets for an address that does not exist (404) or can't be read (400): the app, which says so and
 * knows the way on. `undefined` for programs, which get the problem as data.
 */
export function createNotFoundPage(dependencies: DashboardRouteDependencies) {
  return async (request: FastifyRequest, status = 404): Promise<SendPage | undefined> => {
    const isBrowser = request.headers.accept?.includes("text/html") ?? false;
    const path = request.url.split("?")[0] ?? "/";
    if (!isBrowser || !isRead(request) || forPrograms.test(path)) return undefined;
    const withoutSlash = path.replace(/\/$/, "");
    if (findPage(withoutSlash) !== undefined) return (reply) => reply.redirect(withoutSlash, 308);
    const sendPage = await preparePage(dependencies);
    return (reply) => sendPage(reply.status(status));
  };
}

/** The dashboard: one document for every page of the app, and its files by their hashed names. */
export function createDashboardRoutes(dependencies: DashboardRouteDependencies) {
  const { dashboard } = dependencies;
  return async (app: FastifyInstance): Promise<void> => {
    // Each page of the app and no other address: everything else is 404.
    for (const { path } of Object.values(pages)) {
      app.route({
        method: "GET",
        url: path.replaceAll("$", ":"),
        config: { access: "public" },
        schema: { hide: true },
        handler: async (request, reply) => {
          const { accept = "*/*" } = request.headers;
          // A program that asks for data at such an address gets an error instead of a page.
          if (!/text\/html|\*\/\*/.test(accept)) throw new Problem("not_found", "There is nothing at this address");
          const sendPage = await preparePage(dependencies);
          return sendPage(reply);
        },
      });
    }
    // Browsers ask for it with every page and answer that names no icon.
    app.route({
      method: "GET",
      url: "/favicon.ico",
      config: { access: "public" },
      schema: { hide: true },
      handler: async (_request, reply) => reply.header("cache-control", "public, max-age=86400").status(204).send(),
    });
    app.route<{ Params: { file: string } }>({
      method: "GET",
      url: "/assets/:file",
      config: { access: "public" },
      schema: { hide: true, params: closed({ file: Type.String({ maxLength: 100 }) }) },
      handler: async (request, reply) => {
        const asset = dashboard.findAsset(request.params.file);
        if (asset === undefined) throw new Problem("not_found", "There is nothing at this address");
        reply.header("cache-control", "public, max-age=31536000, immutable");
        return serveFile(request, reply, asset);
      },
    });
    // To be kept and opened from the disk: what a page at this address would open, its server could have changed.
    app.route({
      method: "GET",
      url: "/sealpost-opener.html",
      config: { access: "public" },
      schema: { hide: true },
      handler: async (request, reply) => {
        reply.headers({
          "content-disposition": 'attachment; filename="sealpost-opener.html"',
          "cache-control": "no-cache",
        });
        return serveFile(request, reply, dashboard.opener);
      },
    });
  };
}

function serveFile(request: FastifyRequest, reply: FastifyReply, { contentType, bytes, gzip }: DashboardFile) {
  const isGzipped = chooseEncoding(request, ["gzip"]) !== undefined;
  reply.headers({
    // A worker gets its policy from its own script's answer, not from the page.
    ...pageHeaders,
    "content-type": contentType,
    vary: "accept-encoding",
    ...(isGzipped && { "content-encoding": "gzip" }),
  });
  return reply.send(isGzipped ? gzip() : bytes);
}

async function preparePage(dependencies: DashboardRouteDependencies): Promise<SendPage> {
  const state = await findSignUpState(dependencies);
  const { hasMail, deliveryLogDays, oidc } = dependencies;
  const settings = { signUp: state, hasMail, deliveryLogDays, hasProvider: oidc !== undefined };
  const page = dependencies.dashboard.page(settings);
  return (reply) =>
    reply
      .headers({ ...pageHeaders, "content-type": "text/html; charset=utf-8" })
      .serializer(String)
      .send(page);
}

async function findSignUpState({ accounts, signUp }: DashboardRouteDependencies): Promise<SignUpState> {
  if (signUp === "closed") return "closed";
  try {
    if (!(await accounts.hasAny())) return signUp === "open" ? "first-open" : "first";
  } catch (error) {
    // The app starts all the same: it says that the server can't answer, and lets people try again.
    if (!isDatabaseUnavailable(error)) throw error;
  }
  return signUp === "open" ? "open" : "closed";
}
