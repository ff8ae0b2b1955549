import type { OpenApiDocument, Response } from "./document-types.ts";
import recorded from "./examples.json" with { type: "json" };
import { mapOperations } from "./map-operations.ts";

interface Example {
  readonly body?: unknown;
  readonly answer?: unknown;
}

/** Requests to a real service and its answers, by operation; `npm run generate:examples` records it. */
export const examples: Readonly<Record<string, Example>> = recorded;

/** The document with an example of each body and of each answer in JSON. */
export function addExamples(document: OpenApiDocument): OpenApiDocument {
  return mapOperations(document, (operation) => {
    const { body, answer } = examples[operation.operationId] ?? {};
    const requestBody = withExample(operation.requestBody, body);
    const responses = Object.entries(operation.responses).map(([status, response]) => [
      status,
      status.startsWith("2") ? withExample(response, answer) : response,
    ]);
    return {
      ...operation,
      ...(requestBody !== undefined && { requestBody }),
      responses: Object.fromEntries(responses) as Record<string, Response>, // each as before, and an example
    };
  });
}

function withExample<Container>(container: Container, example: unknown): Container {
  const content = Object(container).content;
  const media = content?.["application/json"];
  if (example === undefined || media === undefined) return container;
  return { ...container, content: { ...content, "application/json": { ...media, example } } };
}
