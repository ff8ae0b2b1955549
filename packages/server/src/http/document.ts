import type { TSchema } from "typebox";

/**
 * Rules for the document alone: the route's own parser checks them, because it says better what is wrong than a schema
 * could. What they describe must be exactly what the parser takes; `npm run security -- fuzz` holds the two together.
 */
export function documented<Schema extends TSchema>(schema: Schema, rules: object): Schema {
  return { ...schema, [documentKeyword]: rules };
}

const documentKeyword = "x-document";

/**
 * Marks a schema to be a component of this name in the document, also where it validates requests, whose schemas are compiled
 * alone: a schema used in several places is one type for generators.
 */
export function asComponent<Type extends object>(name: string, schema: Type): Type {
  return { ...schema, [nameKeyword]: name };
}

export const nameKeyword = "x-component";

/** An extension of the published document: the only value of a boolean. */
export const constantKeyword = "x-const";

/**
 * The published document: with the rules for it alone, without our messages, and with the request bodies marked
 * that may be left out (those whose route takes null; an empty body counts as none: contract, section 4.1).
 */
export function toPublished<Value>(value: Value): Value {
  return publish(value) as Value; // every member of the same kind as before, but for our own keywords
}

function publish(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(publish);
  if (typeof value !== "object" || value === null) return value;
  const { [documentKeyword]: rules, "x-message": _message, ...members } = value as Record<string, unknown>; // just checked
  const published = Object.fromEntries(
    Object.entries(toWide(withType(toEnum(toBoolean(withoutNullList({ ...members, ...Object(rules) })))))).map(
      ([name, member]) => [name, publish(member)],
    ),
  );
  if (isOptionalBody(members.requestBody))
    published.requestBody = { ...Object(published.requestBody), required: false };
  return published;
}

/** A choice between texts, or null, is one `enum`: of `anyOf` with a text each, generators make a type for each text. */
function toEnum({ anyOf, ...schema }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(anyOf)) return anyOf === undefined ? schema : { ...schema, anyOf };
  const choices = anyOf.map((choice: unknown) => Object(choice) as Choice); // a schema, if it is an object
  const texts: unknown[] = choices
    .filter(({ type }) => type !== "null")
    .flatMap(({ const: constant, enum: several }) => (Array.isArray(several) ? several : [constant]));
  if (texts.length === 0 || !texts.every((value) => typeof value === "string")) return { ...schema, anyOf };
  return choices.some(({ type }) => type === "null")
    ? { ...schema, type: ["string", "null"], enum: [...texts, null] }
    : { ...schema, type: "string", enum: texts };
}

/** A choice says of which type it is: without one, generators take any. */
function withType(schema: Record<string, unknown>): Record<string, unknown> {
  const { enum: several, type } = schema;
  if (!Array.isArray(several) || type !== undefined) return schema;
  const types = [...new Set(several.map((value) => (value === null ? "null" : typeof value)))];
  return { ...schema, type: types.length === 1 ? types[0] : types };
}

interface Choice {
  readonly type?: unknown;
  readonly const?: unknown;
  readonly enum?: unknown;
}

/**
 * `true` alone is a boolean: of a constant Java's generator makes an `enum` of booleans, which no language has. The types of our
 * own client are made from the extension.
 */
function toBoolean(given: Record<string, unknown>): Record<string, unknown> {
  const { const: only, enum: several, ...schema } = given;
  const constant = only ?? (Array.isArray(several) && several.length === 1 ? several[0] : undefined);
  if (typeof constant !== "boolean") return given;
  const { description = `Always ${constant}.` } = schema;
  return { ...schema, type: "boolean", description, [constantKeyword]: constant };
}

/** Drops a null default of a list, which its type already allows: Java's generator writes code for it that does not compile. */
function withoutNullList({ default: initial, ...schema }: Record<string, unknown>): Record<string, unknown> {
  const isNullList = initial === null && [schema.type].flat().includes("array");
  return initial === undefined || isNullList ? schema : { ...schema, default: initial };
}

/** Times in milliseconds are beyond 32 bits, which generators take for an integer that says no other width. */
function toWide(schema: Record<string, unknown>): Record<string, unknown> {
  const isInteger = [schema.type].flat().includes("integer");
  const isSmall = typeof schema.maximum === "number" && schema.maximum < 2 ** 31;
  return isInteger && !isSmall ? { ...schema, format: "int64" } : schema;
}

function isOptionalBody(body: unknown): body is object {
  const type: unknown = Object(body).content?.["application/json"]?.schema?.type;
  return Array.isArray(type) && type.includes("null");
}
