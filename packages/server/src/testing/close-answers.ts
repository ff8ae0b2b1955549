import { rewrite } from "../api-document/rewrite.ts";

/**
 * The OpenAPI document with its open answers closed again. Tests hold the service's own answers to it, so that no member goes
 * out that is not documented.
 */
export function closeAnswers<Value>(document: Value): Value {
  return rewrite(document, (schema) =>
    schema.type === "object" && schema.properties !== undefined && schema.additionalProperties === undefined
      ? { ...schema, additionalProperties: false }
      : schema,
  );
}
