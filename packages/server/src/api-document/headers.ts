import type { OpenApiDocument, Operation, Response } from "./document-types.ts";
import { mapOperations } from "./map-operations.ts";

interface Header {
  readonly description: string;
  readonly required?: true;
  readonly schema: { readonly type: "string" | "integer" };
}

/** Each header that answers have, declared once: operations refer to it. */
export const headers = {
  "X-Request-Id": {
    description: "Finds the request in the operator's log.",
    required: true,
    schema: { type: "string" },
  },
  "RateLimit-Policy": {
    description:
      'How many requests are taken in how many seconds, where the request was counted: `"name";q=600;w=60` (draft-ietf-httpapi-ratelimit-headers-10).',
    schema: { type: "string" },
  },
  RateLimit: {
    description:
      'How many of them are left, and in how many seconds all are again, where the request was counted for a session or an API key: `"name";r=599;t=42`.',
    schema: { type: "string" },
  },
  "Retry-After": {
    description: "Seconds until it is worth another try; on a 429, and on a 503 that knows it.",
    schema: { type: "integer" },
  },
  ETag: {
    description: "The version of what was answered, or written: for `If-None-Match` and `If-Match`.",
    schema: { type: "string" },
  },
} as const satisfies Readonly<Record<string, Header>>;

export type HeaderName = keyof typeof headers;

/** The document with the headers of every answer. */
export function addHeaders(document: OpenApiDocument): OpenApiDocument {
  const { components } = document;
  return mapOperations({ ...document, components: { ...components, headers } }, (operation) => ({
    ...operation,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [
        status,
        addTo(response, listHeaders(operation, status)),
      ]),
    ),
  }));
}

function addTo(response: Response, names: readonly HeaderName[]): Response {
  const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
  return { ...response, headers: { ...response.headers, ...Object.fromEntries(references) } };
}

function listHeaders(operation: Operation, status: string): readonly HeaderName[] {
  const isDone = status.startsWith("2") || status === "304";
  return [
    "X-Request-Id",
    "RateLimit-Policy",
    "RateLimit",
    ...(status === "429" || status === "503" ? (["Retry-After"] as const) : []),
    ...(isDone && hasVersions(operation) ? (["ETag"] as const) : []),
  ];
}

/** Whether it gives a version that can be asked for again, or writes one in the place of one that was seen. */
function hasVersions({ responses, parameters = [] }: Operation): boolean {
  return (
    "304" in responses || parameters.some((parameter) => String(Object(parameter).name).toLowerCase() === "if-match")
  );
}
