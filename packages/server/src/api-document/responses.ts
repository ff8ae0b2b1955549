import { componentPrefix } from "./components.ts";
import type { OpenApiDocument, Operation, Response, Schema } from "./document-types.ts";
import { mapOperations } from "./map-operations.ts";

/** Fastify's text where a route says nothing. */
const unsaid = "Default Response";

/** The meaning of each error status, wherever it comes from. */
const problems: Readonly<Record<string, string>> = {
  "400": "The request is invalid: `details` says at which field, and how.",
  "401": "No credential, or one that is not valid (any more).",
  "403": "Not for this credential, or not from this site; the message says why, and names a missing permission.",
  "404": "There is nothing with this id, or it belongs to another account.",
  "409": "In conflict with what is there; the message says with what.",
  "413": "The body is too large.",
  "414": "The address is too long.",
  "415": "This operation does not accept the body's `Content-Type`.",
  "429": "Too many requests; `Retry-After` says when to come back.",
  "500": "An error of the service. The answer says nothing about it; `X-Request-Id` finds it in the operator's log.",
  "503": "For the moment the service can't; `Retry-After` says when to come back. Nothing was done.",
};

/** Errors that any operation can end in, whatever it is. */
const everywhere = ["414", "500", "503"] as const;

/** The operation's answers, each with what it means, and with the errors that no route lists because all have them. */
export function describeResponses(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components;
  return mapOperations(document, (operation) => describeOperation(operation, schemas));
}

function describeOperation(operation: Operation, schemas: OpenApiDocument["components"]["schemas"]): Operation {
  const problem = Object.entries(operation.responses).find(([status]) => status >= "400")?.[1];
  const content = problem?.content;
  const missing = everywhere.filter((status) => !(status in operation.responses));
  const responses: Record<string, Response> = {
    ...operation.responses,
    // In the shape that the operation's other errors have.
    ...Object.fromEntries(missing.map((status) => [status, { description: unsaid, ...(content && { content }) }])),
  };
  return {
    ...operation,
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        response.description === unsaid
          ? { ...response, description: problems[status] ?? describeAnswer(operation, response, schemas) }
          : response,
      ]),
    ),
  };
}

/** The words of the schema, or of the first component in it that has some, or the operation's own. */
function describeAnswer(
  { summary }: Operation,
  { content }: Response,
  schemas: OpenApiDocument["components"]["schemas"],
): string {
  const schema = Object.values(content ?? {})[0]?.schema;
  return (schema && findDescription(schema, schemas)) ?? `Done: ${summary ?? ""}.`;
}

function findDescription(schema: Schema, schemas: OpenApiDocument["components"]["schemas"]): string | undefined {
  if (typeof schema.description === "string") return schema.description;
  const target = schema.$ref;
  if (typeof target === "string") {
    const component = schemas[target.slice(componentPrefix.length)];
    return component && findDescription(component, schemas);
  }
  for (const member of Object.values(Object(schema.properties))) {
    const found = findDescription(Object(member), schemas);
    if (found !== undefined) return found;
  }
  return undefined;
}
