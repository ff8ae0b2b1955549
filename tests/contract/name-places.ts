import type { Operation } from "./operations.ts";

/** Members whose text other people see as a name. */
const isName = (member: string) => /^(?:name|reason|label|title|note)$/.test(member);

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface Document {
  readonly paths: Readonly<
    Record<string, Record<string, { readonly requestBody?: { readonly content: Record<string, { schema: Schema }> } }>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Where a body of the operation has a name: `name`, `copies.0.name`. */
export function listNames(document: Document, { path, method }: Operation): readonly string[] {
  const content = document.paths[path]?.[method.toLowerCase()]?.requestBody?.content ?? {};
  const found = new Set<string>();
  const look = (schema: Schema, at: readonly string[]): void => {
    const { $ref, properties = {}, items, anyOf = [], allOf = [] } = schema;
    if (at.length > 6) return;
    if ($ref !== undefined) look(document.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {}, at);
    for (const one of [...anyOf, ...allOf]) look(one, at);
    if (items !== undefined) look(items, [...at, "0"]);
    for (const [member, inner] of Object.entries(properties)) {
      const isText = [inner, ...(inner.anyOf ?? [])].some(
        (one) => [one.type].flat().includes("string") && one.enum === undefined,
      );
      if (isName(member) && isText) found.add([...at, member].join("."));
      look(inner, [...at, member]);
    }
  };
  for (const { schema } of Object.values(content)) look(schema, []);
  return [...found];
}
