import { toPublished } from "../http/document.ts";
import { nameComponents } from "./components.ts";
import type { OpenApiDocument } from "./document-types.ts";
import { addExamples } from "./examples.ts";
import { addHeaders } from "./headers.ts";
import { addLinks } from "./links.ts";
import { openAnswers } from "./openness.ts";
import { describeResponses } from "./responses.ts";
import { addWebhooks } from "./webhooks.ts";

/** The document at `/api/openapi.json`, made from what the routes say about themselves. */
export function publishDocument(made: object): object {
  const document = toPublished(made) as OpenApiDocument; // made by @fastify/swagger, which writes OpenAPI 3.1
  return addExamples(openAnswers(addLinks(addHeaders(describeResponses(addWebhooks(nameComponents(document)))))));
}
