import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem } from "../problems/problem.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** How many bytes the body had, once it is read. */
    bodyBytes: number;
  }
  interface FastifyContextConfig {
    /** The errors of a body, field path to message, that can be seen before it is parsed. */
    readonly findWrittenError?: (body: Uint8Array) => Readonly<Record<string, string>> | undefined;
  }
}

/**
 * Bodies are strict UTF-8 JSON; an empty one counts as none, whatever its content type (contract, section 4.1). Nothing
 * is ever unpacked: a compressed body could be a thousand times its size.
 */
export function installBodyParsers(app: FastifyInstance): void {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  app.removeAllContentTypeParsers();
  app.decorateRequest("bodyBytes", 0);
  // Not in onRequest: the routes' own headers (CORS) must stand before anything is refused.
  app.addHook("preParsing", (request, _reply, body, done) => {
    const encoding = request.headers["content-encoding"];
    if (encoding === undefined || encoding === "identity") done(null, body);
    else done(new Problem("unsupported_media_type", "Send the body uncompressed"));
  });
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request: FastifyRequest, body: Buffer, done) => {
    request.bodyBytes = body.length;
    const { invalidMessage: message = "Invalid request", findWrittenError } = request.routeOptions.config;
    const details = findWrittenError?.(body);
    if (details !== undefined) return done(new Problem("bad_request", message, { details }));
    let parsed: unknown;
    try {
      if (body.length > 0) parsed = JSON.parse(decoder.decode(body));
    } catch (cause) {
      done(new Problem("bad_request", message, { details: { body: "Must be valid JSON" }, cause }));
      return;
    }
    done(null, parsed);
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, async (_request: unknown, body: Buffer) => {
    if (body.length === 0) return undefined;
    throw new Problem("unsupported_media_type", "Send the body as application/json");
  });
}
