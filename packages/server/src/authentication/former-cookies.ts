import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { readCookies, writeCookies } from "../http/cookies.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import type { Auth } from "./auth.ts";
import { openSignedCookie, signCookie } from "./signed-cookie.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The session cookie's value under the active secret, where the browser has one under a former secret. */
    renewedSession: string | undefined;
  }
}

export interface FormerCookiesDependencies {
  readonly auth: Auth;
  readonly secretBox: Pick<SecretBox, "libraryKeys" | "isOpen">;
}

/**
 * Takes cookies that the sign-in library signed with a former secret for what they are, and gives browsers their session's
 * under the active one, so that a session that is used during a rotation outlives the former secret. The library itself
 * knows one secret for its signatures.
 */
export async function installFormerCookies(
  app: FastifyInstance,
  { auth, secretBox }: FormerCookiesDependencies,
): Promise<void> {
  const { sessionToken, dontRememberToken } = (await auth.$context).authCookies;
  const { maxAge, secure, sameSite } = sessionToken.attributes;
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite === "strict" ? "Strict" : "Lax"}${secure ? "; Secure" : ""}`;
  app.decorateRequest("renewedSession", undefined);

  app.addHook("onRequest", (request, _reply, done) => {
    const { cookie } = request.headers;
    // Without the secret no session is found; who needs none, as visitors, is not refused for that.
    if (cookie === undefined || !secretBox.isOpen()) return done();
    const [active, ...former] = secretBox.libraryKeys().map(({ value }) => value);
    if (active === undefined || former.length === 0) return done();
    const cookies = [...readCookies(cookie)].map(([name, value]) => {
      const content = openSignedCookie(value, former);
      if (content === undefined) return [name, value] as const;
      const renewed = signCookie(content, active);
      if (name === sessionToken.name) request.renewedSession = encodeURIComponent(renewed);
      return [name, renewed] as const;
    });
    request.headers.cookie = writeCookies(cookies);
    done();
  });

  app.addHook("onSend", (request, reply, _payload, done) => {
    const { renewedSession } = request;
    // A sign-out, or another sign-in, has its own.
    const isSet = String(reply.getHeader("set-cookie") ?? "").includes(`${sessionToken.name}=`);
    if (renewedSession !== undefined && hasSession(request, reply) && !isSet) {
      const isForgotten = readCookies(request.headers.cookie).has(dontRememberToken.name);
      const lifetime = isForgotten || maxAge === undefined ? "" : `Max-Age=${maxAge}; `;
      reply.header("set-cookie", `${sessionToken.name}=${renewedSession}; ${lifetime}${attributes}`);
    }
    done();
  });
}

/** Whether a session of the cookie has answered. The library's own routes are public; a token is given to a session alone. */
function hasSession({ principal, url }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return principal?.kind === "session" || (statusCode === 200 && url.split("?", 1)[0] === "/api/auth/token");
}
