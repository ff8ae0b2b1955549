import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SecretBox } from "../instance/secret-box.ts";
import type { Auth } from "./auth.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The session cookie's value under the active secret, where the browser has one under a former secret. */
    renewedSession: string | undefined;
  }
}

export interface FormerCookiesDependencies {
  readonly auth: Auth;
  readonly secretBox: Pick<SecretBox, "libraryKeys">;
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
    const [active, ...former] = secretBox.libraryKeys().map(({ value }) => value);
    const { cookie } = request.headers;
    if (active === undefined || former.length === 0 || cookie === undefined) return done();
    const parts = cookie.split(";").map((part) => {
      const [name = "", value = ""] = part.trim().split("=", 2);
      const renewed = renew(value, active, former);
      if (renewed !== undefined && name === sessionToken.name) request.renewedSession = renewed;
      return `${name}=${renewed ?? value}`;
    });
    request.headers.cookie = parts.join("; ");
    done();
  });

  app.addHook("onSend", (request, reply, _payload, done) => {
    const { renewedSession } = request;
    // A sign-out, or another sign-in, has its own.
    const isSet = String(reply.getHeader("set-cookie") ?? "").includes(`${sessionToken.name}=`);
    if (renewedSession !== undefined && hasSession(request, reply) && !isSet) {
      const isForgotten = request.headers.cookie?.includes(`${dontRememberToken.name}=`) ?? false;
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

/** The same value, signed with the active key; `undefined` unless one of the former ones has signed it. */
function renew(value: string, active: string, former: readonly string[]): string | undefined {
  const text = decode(value);
  const end = text?.lastIndexOf(".") ?? -1;
  if (text === undefined || end < 1) return undefined;
  const [content, given] = [text.slice(0, end), Buffer.from(text.slice(end + 1))];
  const isFormer = former.some((key) => {
    const wanted = Buffer.from(sign(content, key));
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  return isFormer ? encodeURIComponent(`${content}.${sign(content, active)}`) : undefined;
}

/** As the library signs its cookies. */
function sign(content: string, key: string): string {
  return createHmac("sha256", key).update(content).digest("base64");
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
