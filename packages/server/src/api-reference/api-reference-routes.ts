import { gzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";
import type { Documentation } from "../documentation/documentation-files.ts";
import { chooseEncoding } from "../http/choose-encoding.ts";
import { renderReference } from "./reference-page.ts";

/** An origin of its own, which has neither the dashboard's session nor its keys; and nothing in it may run. */
function createPolicy(styleHash: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox",
  ].join("; ");
}

/** `/api/docs`: the OpenAPI document for people, in the frame of the documentation. */
export function createApiReferenceRoutes(documentation: Documentation) {
  return async (app: FastifyInstance): Promise<void> => {
    let page: ReturnType<typeof render> | undefined;
    app.route({
      method: "GET",
      url: "/api/docs",
      config: { access: "public" },
      schema: { hide: true },
      handler: (request, reply) => {
        page ??= render(documentation, app.swagger());
        const isGzipped = chooseEncoding(request, ["gzip"]) !== undefined;
        return reply
          .headers({
            "content-security-policy": page.policy,
            "content-type": "text/html; charset=utf-8",
            "cache-control": "no-cache",
            vary: "accept-encoding",
            ...(isGzipped && { "content-encoding": "gzip" }),
          })
          .send(isGzipped ? page.gzipped : page.plain);
      },
    });
  };
}

/** The page: the frame of the documentation with the reference in it. */
function render(documentation: Documentation, document: object) {
  const frame = documentation.find("reference");
  if (frame?.styleHash === undefined)
    throw new Error("The built documentation has no frame for the API reference. Run npm run build");
  const { html, contents } = renderReference(document);
  const text = Buffer.from(frame.bytes).toString();
  // Functions, for a replacement text has signs of its own.
  const plain = Buffer.from(text.replace("<!-- content -->", () => html).replace("<!-- contents -->", () => contents));
  return { plain, gzipped: gzipSync(plain), policy: createPolicy(frame.styleHash) };
}
