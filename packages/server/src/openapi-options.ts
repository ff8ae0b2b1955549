import type { SwaggerOptions } from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import * as formSchemas from "./forms/form-schemas.ts";
import { ProblemBody } from "./http/schemas.ts";
import * as submissionSchemas from "./submissions/submission-schemas.ts";
import { version } from "./version.ts";
import { WebhookSecretBody } from "./webhooks/webhook-routes.ts";

/** The head of the document at `/api/openapi.json`; its operations come from the routes' own schemas. */
export const openApiOptions: SwaggerOptions = {
  openapi: {
    openapi: "3.1.0",
    info: {
      title: "Sealpost API",
      version,
      description: "Collects form submissions that only the form's owner can read.",
      license: { name: "MIT", identifier: "MIT" },
    },
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "An API key (`sp_…`), or a session token from `GET /api/auth/token`.",
        },
      },
    },
    security: [{ bearer: [] }],
    tags: [
      { name: "Forms", description: "Forms, their settings and keys." },
      { name: "Submissions", description: "What was submitted, as the service keeps it: sealed." },
      { name: "Webhooks", description: "Where events go, and what became of them." },
      { name: "Public", description: "What browsers call; no credential." },
    ],
  },
  refResolver: {
    buildLocalReference: (json, _baseUri, _fragment, index) =>
      typeof json.$id === "string" ? json.$id : `schema${index}`,
  },
};

/** Makes every schema with an `$id` a component of the document. */
export function installSchemas(app: FastifyInstance): void {
  const all = [ProblemBody, WebhookSecretBody, ...Object.values(formSchemas), ...Object.values(submissionSchemas)];
  for (const schema of all) {
    if ("$id" in schema) app.addSchema(schema);
  }
}
