import { type ApiDocument, listOperations } from "./openapi-operations.ts";

/** As much of a schema as says which members a value always has. */
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** 0: nothing is known of the value; a list: of each item; else of the members. `name?` may be absent. */
type Members = 0 | readonly [Members] | { readonly [name: string]: Members };

/** Source of the command line's table: for each operation the members that its answer always has, as JSON. */
export function writeAnswerMembers(document: ApiDocument): string {
  const lines = listOperations(document).flatMap(([name, { responses }]) => {
    const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
    const schema = success?.content?.["application/json"]?.schema as Schema | undefined; // JSON Schema, as are all
    const members = schema === undefined ? 0 : describe(schema, document);
    if (members === 0) return [];
    const [key, value] = [`  ${JSON.stringify(name)}:`, `'${JSON.stringify(members)}',`];
    // As the formatter has it.
    return [key.length + value.length < 120 ? `${key} ${value}\n` : `${key}\n    ${value}\n`];
  });
  return `// Generated from the server's OpenAPI document by scripts/generate-api-types.ts. Do not edit.

/** By operation, as JSON: the members that its answer always has, and theirs. \`name?\` may be absent; 0: nothing is known of it. */
export const answerMembers: Readonly<Record<string, string>> = {
${lines.join("")}};
`;
}

function describe(schema: Schema, document: ApiDocument): Members {
  if (schema.$ref !== undefined) {
    const named = document.components?.schemas?.[schema.$ref.split("/").at(-1) ?? ""] as Schema | undefined; // as above
    return named === undefined ? 0 : describe(named, document);
  }
  if (schema.anyOf !== undefined) {
    // Of several objects nothing is common that could be relied on; null has no members.
    const described = schema.anyOf.map((choice) => describe(choice, document)).filter((members) => members !== 0);
    return described.length === 1 ? (described[0] ?? 0) : 0;
  }
  if (schema.items !== undefined) {
    const members = describe(schema.items, document);
    return members === 0 ? 0 : [members];
  }
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const members = describe(member, document);
    const isRequired = schema.required?.includes(name) ?? false;
    return isRequired || members !== 0 ? [[isRequired ? name : `${name}?`, members] as const] : [];
  });
  return entries.length === 0 ? 0 : Object.fromEntries(entries);
}
