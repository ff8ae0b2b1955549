import type { JSONSchema } from "json-schema-to-typescript";

type Schema = JSONSchema & { readonly $ref?: string };

interface Parameter {
  readonly in: "path" | "query" | "header" | "cookie";
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Content {
  readonly content?: { readonly [mediaType: string]: { readonly schema?: Schema } };
}
export interface ApiOperation {
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: { readonly [status: string]: Content };
  readonly security?: readonly object[];
}
/** As much of an OpenAPI 3.1 document as the client's types need. */
export interface ApiDocument {
  readonly paths: { readonly [path: string]: { readonly [method: string]: ApiOperation } };
  readonly components?: { readonly schemas?: { readonly [name: string]: Schema } };
}

/** The document in `value`. Throws when it is no OpenAPI 3.1 document. */
export function parseDocument(value: unknown): ApiDocument {
  const document = Object(value);
  if (!String(document.openapi).startsWith("3.1.") || typeof document.paths !== "object")
    throw new Error("Not an OpenAPI 3.1 document");
  return document;
}

/** All operations as `["GET /api/forms/{form_id}", operation]`. */
export function listOperations({ paths }: ApiDocument): readonly (readonly [string, ApiOperation])[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
}

/** One object schema with a member per operation: its `path` and `query` parameters, its JSON `body`, and its `answer` on success. */
export function toOperationsSchema(document: ApiDocument): JSONSchema {
  const operations = listOperations(document).map(([name, operation]) => [name, toOperationSchema(operation)] as const);
  const schema = {
    ...toObject(operations.map(([name, member]) => [name, member, true])),
    $defs: document.components?.schemas ?? {},
  };
  return JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "#/$defs/"));
}

function toOperationSchema({ summary, parameters = [], requestBody, responses }: ApiOperation): Schema {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const body = requestBody?.content?.["application/json"]?.schema;
  const answer = success?.content?.["application/json"]?.schema;
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const members: Member[] = [];
  if (inPath.length > 0) members.push(["path", toObject(inPath.map(toMember)), true]);
  if (inQuery.length > 0) members.push(["query", toObject(inQuery.map(toMember)), inQuery.some((one) => one.required)]);
  if (body !== undefined) members.push(["body", body, requestBody?.required === true]);
  if (answer !== undefined) members.push(["answer", answer, true]);
  return { ...(summary === undefined ? {} : { description: summary }), ...toObject(members) };
}

type Member = readonly [name: string, schema: Schema, required: boolean | undefined];

function toMember({ name, schema, required, description }: Parameter): Member {
  return [name, description === undefined ? schema : { description, ...schema }, required];
}

function toObject(members: readonly Member[]): Schema {
  return {
    type: "object",
    properties: Object.fromEntries(members.map(([name, schema]) => [name, schema])),
    required: members.filter(([, , required]) => required).map(([name]) => name),
    additionalProperties: false,
  };
}
