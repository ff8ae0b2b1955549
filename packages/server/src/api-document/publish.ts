import { toPublished } from "../http/document.ts";
import { nameComponents } from "./components.ts";
import type { OpenApiDocument } from "./document-types.ts";
import { addExamples } from "./examples.ts";
import { addLinks } from "./links.ts";
import { openAnswers } from "./openness.ts";
import { describeResponses } from "./responses.ts";
import { addWebhooks } from "./webhooks.ts";

/** What `/api/openapi.json` shows, made of what the routes say for themselves. */
export function publishDocument(made: object): object {
  const document = toPublished(made) as OpenApiDocument; // made by @fastify/swagger, which writes OpenAPI 3.1
  return addExamples(openAnswers(addLinks(describeResponses(addWebhooks(nameComponents(document))))));
}
