import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { chooseEncoding } from "../http/choose-encoding.ts";
import { Problem } from "../problems/problem.ts";
import type { Documentation, DocumentationFile } from "./documentation-files.ts";

/** Nothing from elsewhere, nothing inline; the one script builds its elements without HTML. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** `/docs`: the documentation of this very version, from here, so that it needs no internet. */
export function createDocumentationRoutes(documentation: Documentation) {
  return async (app: FastifyInstance): Promise<void> => {
    for (const url of ["/docs", "/docs/*"]) {
      app.route({
        method: "GET",
        url,
        config: { access: "public" },
        schema: { hide: true },
        handler: (request, reply) => {
          const address = request.url.replace(/\?.*$/s, "");
          if (address === "/docs/") return reply.redirect("/docs", 308);
          const file = address.startsWith("/docs") ? documentation.find(address) : undefined;
          if (file !== undefined) return send(file, request, reply.headers(keepingHeaders(address)));
          const page = documentation.find("404");
          if (page === undefined || !/text\/html/.test(request.headers.accept ?? ""))
            throw new Problem("not_found", "There is nothing at this address");
          return send(page, request, reply.status(404));
        },
      });
    }
  };
}

/** Names of assets hold a hash of their content; a page is revalidated, so that it never names assets of another version. */
function keepingHeaders(address: string): Record<string, string> {
  if (address.startsWith("/docs/assets/")) return { "cache-control": "public, max-age=31536000, immutable" };
  return { "cache-control": address.startsWith("/docs/images/") ? "public, max-age=3600" : "no-cache" };
}

function send(file: DocumentationFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isGzipped = file.gzipped !== undefined && chooseEncoding(request, ["gzip"]) !== undefined;
  const policy =
    file.contentType === "image/svg+xml"
      ? `default-src 'none'; ${file.styleHash === undefined ? "" : `style-src 'sha256-${file.styleHash}'; `}frame-ancestors 'none'`
      : contentSecurityPolicy;
  reply.headers({
    "content-type": file.contentType,
    "content-security-policy": policy,
    vary: "accept-encoding",
    ...(isGzipped && { "content-encoding": "gzip" }),
  });
  return reply.send(isGzipped ? file.gzipped : file.bytes);
}
