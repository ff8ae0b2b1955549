import type { Schema } from "./document-types.ts";

/** The value with each of its objects, innermost first, replaced by what `change` makes of it. */
export function rewrite<Value>(value: Value, change: (schema: Schema) => Schema): Value {
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    return change(Object.fromEntries(Object.entries(part).map(([name, member]) => [name, walk(member)])));
  };
  return walk(value) as Value; // of the same shape as before, but for keywords of schemas
}
