import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { FastifyInstance } from "fastify";
import { version } from "../version.ts";

const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

/** Everything the page loads, all of it from here. */
const assets = [
  { name: "swagger-ui.css", type: "text/css; charset=utf-8", body: () => readFileSync(join(folder, "swagger-ui.css")) },
  {
    name: "swagger-ui-bundle.js",
    type: "text/javascript; charset=utf-8",
    body: () => readFileSync(join(folder, "swagger-ui-bundle.js")),
  },
  { name: "reference.js", type: "text/javascript; charset=utf-8", body: () => Buffer.from(script) },
  { name: "reference.css", type: "text/css; charset=utf-8", body: () => Buffer.from(styles) },
] as const;

/**
 * The strictest policy under which Swagger UI works: nothing from elsewhere, no inline script. Its icons are data: images,
 * and React writes style attributes.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** `/api/docs`: the OpenAPI document for people, by Swagger UI, served from here. */
export async function apiReferenceRoutes(app: FastifyInstance): Promise<void> {
  app.route({
    method: "GET",
    url: "/api/docs",
    config: { access: "public" },
    schema: { hide: true },
    handler: (_request, reply) =>
      reply
        .headers({ "content-security-policy": contentSecurityPolicy, "content-type": "text/html; charset=utf-8" })
        .send(page),
  });
  for (const { name, type, body } of assets) {
    let loaded: Buffer | undefined;
    app.route({
      method: "GET",
      url: `/api/docs/${name}`,
      config: { access: "public" },
      schema: { hide: true },
      handler: (_request, reply) => {
        loaded ??= body();
        return reply.headers({ "content-type": type, "cache-control": "public, max-age=3600" }).send(loaded);
      },
    });
  }
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sealpost API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/docs/swagger-ui.css?${version}">
<link rel="stylesheet" href="/api/docs/reference.css?${version}">
</head>
<body>
<main id="reference"><noscript>This page needs JavaScript. The document itself is at <a href="/api/openapi.json">/api/openapi.json</a>.</noscript></main>
<script src="/api/docs/swagger-ui-bundle.js?${version}"></script>
<script src="/api/docs/reference.js?${version}"></script>
</body>
</html>
`;

const script = `SwaggerUIBundle({
  url: "/api/openapi.json",
  domNode: document.getElementById("reference"),
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  tryItOutEnabled: false,
  // Would show a badge from another site.
  validatorUrl: null
});
`;

const styles = `body { margin: 0; }
.swagger-ui .info { margin: 2rem 0; }
`;
