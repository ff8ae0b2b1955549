import { nameKeyword } from "../http/document.ts";
import type { OpenApiDocument, Schema } from "./document-types.ts";

/** The beginning of references to a component. */
export const componentPrefix = "#/components/schemas/";

/** The document with every marked schema a component, and a reference to it in its places. */
export function nameComponents(document: OpenApiDocument): OpenApiDocument {
  const named = new Map<string, Schema>();
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    const { [nameKeyword]: name, ...schema } = part as Schema; // any object can be asked for a member
    const walked = Object.fromEntries(Object.entries(schema).map(([keyword, member]) => [keyword, walk(member)]));
    if (typeof name !== "string") return walked;
    named.set(name, walked);
    return { $ref: `${componentPrefix}${name}` };
  };
  const walked = walk(document) as OpenApiDocument; // the same shape, with references
  return {
    ...walked,
    components: { ...walked.components, schemas: { ...walked.components.schemas, ...Object.fromEntries(named) } },
  };
}
