/** Where a body has a member: names, and 0 for an entry of a list. */
export type Path = readonly (string | number)[];
interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly [others: string]: unknown;
}
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly [others: string]: unknown;
}
interface DocumentedOperation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[];
}

/** The place of every member that a body may have, those of lists and of alternatives too. */
export function listPlaces(document: Document, schema: Schema): readonly Path[] {
  const places = new Map<string, Path>();
  const visit = (one: Schema, path: Path, depth: number): void => {
    if (depth > 8) return; // a schema that contains itself
    if (one.$ref !== undefined) visit(resolve(document, one.$ref), path, depth + 1);
    for (const union of ["anyOf", "oneOf", "allOf"])
      for (const choice of (one[union] ?? []) as readonly Schema[]) visit(choice, path, depth + 1); // as JSON Schema says
    if (path.length > 0) places.set(path.join("."), path);
    for (const [name, member] of Object.entries(one.properties ?? {})) visit(member, [...path, name], depth + 1);
    if (one.items !== undefined) visit(one.items, [...path, 0], depth + 1);
  };
  visit(schema, [], 0);
  return [...places.values()];
}

/** The integer that may be at `path`, with its bounds; `undefined` where there is none. */
export function findInteger(
  document: Document,
  schema: Schema,
  [first, ...rest]: Path,
): { readonly minimum?: number; readonly maximum?: number } | undefined {
  const one = schema.$ref === undefined ? schema : resolve(document, schema.$ref);
  for (const union of ["anyOf", "oneOf", "allOf"])
    for (const choice of (one[union] ?? []) as readonly Schema[]) {
      const found = findInteger(document, choice, first === undefined ? [] : [first, ...rest]);
      if (found !== undefined) return found; // as JSON Schema says
    }
  if (first === undefined) return [one.type].flat().includes("integer") ? one : undefined;
  const inner = first === 0 ? one.items : one.properties?.[first];
  return inner && findInteger(document, inner, rest);
}

function resolve(document: Document, reference: string): Schema {
  const parts = reference.split("/").slice(1);
  return parts.reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], document) as Schema; // its own
}

/** `body` with the JSON text `json` at `path`. */
export function put(body: unknown, [first, ...rest]: Path, json: string): string {
  if (first === undefined) return json;
  if (typeof first === "number") return `[${put(undefined, rest, json)}]`;
  const members: Record<string, unknown> = typeof body === "object" && body !== null ? { ...body } : {};
  const inner = put(members[first], rest, json);
  delete members[first];
  const others = Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{${[...others, `${JSON.stringify(first)}:${inner}`].join(",")}}`;
}
