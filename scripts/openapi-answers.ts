import { type ApiDocument, listOperations } from "./openapi-operations.ts";

/** As much of a schema as says of which kind a value is, and which members it always has. */
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** As `answer-guard.ts` of the command line reads it. */
export type Kind =
  | 0
  | null
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | readonly Kind[]
  | { readonly [name: string]: Kind };

/** For each operation that answers with JSON the kind of its answer and of all that is in it. */
export function listAnswerKinds(document: ApiDocument): readonly (readonly [operation: string, Kind])[] {
  return listOperations(document).flatMap(([name, { responses }]) => {
    const schemas = Object.entries(responses).flatMap(([status, { content }]) => {
      const schema = content?.["application/json"]?.schema as Schema | undefined; // JSON Schema, as are all
      return status.startsWith("2") && schema !== undefined ? [schema] : [];
    });
    const kind = schemas.length === 0 ? 0 : describe({ anyOf: schemas }, document);
    return kind === 0 ? [] : [[name, kind] as const];
  });
}

/** Source of the command line's table: these kinds as JSON. */
export function writeAnswerKinds(document: ApiDocument): string {
  const lines = listAnswerKinds(document).map(([name, kind]) => {
    const [key, value] = [`  ${JSON.stringify(name)}:`, `'${JSON.stringify(kind)}',`];
    // As the formatter has it.
    return key.length + value.length < 120 ? `${key} ${value}\n` : `${key}\n    ${value}\n`;
  });
  return `// Generated from the server's OpenAPI document by scripts/generate-api-types.ts. Do not edit.

/**
 * By operation, as JSON: the kind of its answer. A word: of the primitive; null; members: of an object, \`name?\` may be absent; a list
 * with one entry: of a list with such items; with several: one of these; 0: nothing is known of it.
 */
export const answerKinds: Readonly<Record<string, string>> = {
${lines.join("")}};
`;
}

function describe(schema: Schema, document: ApiDocument): Kind {
  if (schema.$ref !== undefined) {
    const named = document.components?.schemas?.[schema.$ref.split("/").at(-1) ?? ""] as Schema | undefined; // as above
    return named === undefined ? 0 : describe(named, document);
  }
  if (schema.anyOf !== undefined) return join(schema.anyOf.map((choice) => describe(choice, document)));
  if (schema.enum !== undefined) return join(schema.enum.map(kindOfValue));
  return join([schema.type ?? []].flat().map((type) => describeType(type, schema, document)));
}

function describeType(type: string, { items, properties = {}, required }: Schema, document: ApiDocument): Kind {
  switch (type) {
    case "null":
      return null;
    case "string":
    case "number":
    case "integer":
    case "boolean":
      return type;
    case "array":
      return [items === undefined ? 0 : describe(items, document)];
    case "object":
      return Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [
          required?.includes(name) ? name : `${name}?`,
          describe(member, document),
        ]),
      );
    default:
      return 0;
  }
}

function kindOfValue(value: unknown): Kind {
  if (value === null) return null;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? describeType(typeof value, {}, { paths: {} })
    : 0;
}

/** One of these. Of several objects nothing is common that could be relied on, and of several lists neither. */
function join(kinds: readonly Kind[]): Kind {
  const [first = 0, ...others] = [...new Map(kinds.map((kind) => [JSON.stringify(kind), kind])).values()];
  if (others.length === 0) return first;
  const all = [first, ...others];
  const isList = (kind: Kind): kind is readonly Kind[] => Array.isArray(kind);
  const isObject = (kind: Kind) => typeof kind === "object" && kind !== null && !isList(kind);
  // One of several inside one of several would be taken for a list of several kinds.
  if (all.includes(0) || all.some((kind) => isList(kind) && kind.length > 1)) return 0;
  const [objects, lists] = [all.filter(isObject), all.filter(isList)];
  const rest = all.filter((kind) => !isObject(kind) && !isList(kind));
  const merged = [...rest, ...(objects.length > 1 ? [{}] : objects), ...(lists.length > 1 ? [[0] as const] : lists)];
  return merged.length === 1 ? (merged[0] ?? 0) : merged;
}
