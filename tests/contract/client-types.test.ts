import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createOpenApiDocument } from "../../scripts/openapi-document.ts";
import { listOperations, parseDocument } from "../../scripts/openapi-operations.ts";
import { parseGoTypes, type Struct } from "./go-types.ts";

// The types of TypeScript and Python are generated from the document. People write those of Go and PHP (docs/decisions/0058).

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly "x-const"?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

const document = parseDocument(await createOpenApiDocument());
const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>; // JSON Schema, as are all
const clients = join(import.meta.dirname, "..", "..", "clients");

/** Go's types whose name is not their schema's: the ones that they stand for. A member's own schema is `Name.member`. */
const goSchemas: Readonly<Record<string, readonly string[]>> = {
  Form: ["Form", "CreatedForm", "UpdatedForm"],
  WebhookSecret: ["WebhookSecret", "RotatedWebhookSecret"],
  LoggedDelivery: ["Delivery"],
  APIKey: ["ApiKeyListItem", "CreatedApiKey.key"],
  AuditParty: ["AuditEntry.actor", "AuditEntry.target"],
  PublicForm: ["PublicForm.form"],
  Usage: ["Usage.usage"],
  Organizations: ["OrganizationList"],
};
/** Members that a client gives in another way than by its type. */
const givenOtherwise: readonly string[] = [
  "Organizations.total", // the length of its list
];
/** Texts of which there are more with every version; a comment that named them would soon be wrong. */
const growing: ReadonlySet<string> = new Set([
  "action",
  "event",
  "permissions",
  "piiTypes",
  "type",
  "browser",
  "system",
]);

test("Go's types have every member of the API's document, of its kind, with a value or a sentence for its absence", () => {
  const types = parseGoTypes(readFileSync(join(clients, "go", "types.go"), "utf8"));
  assert.ok(types.size > 20, "the file was read");
  const found = [...types].flatMap(([name, struct]) => {
    const named = (goSchemas[name] ?? [name]).map((path) => [path, findSchema(path)] as const);
    const missing = named.filter(([, schema]) => schema === undefined).map(([path]) => `${path}: no such schema`);
    return [
      ...missing,
      ...compareStruct(
        name,
        struct,
        named.flatMap(([, schema]) => schema ?? []),
      ),
    ];
  });
  assert.deepEqual(found, []);
});

/** Differences between a struct and the schemas that it stands for. */
function compareStruct(path: string, struct: Struct, choices: readonly Schema[]): readonly string[] {
  const names = new Set(choices.flatMap((schema) => [...propertiesOf(schema).keys()]));
  const unknown = [...struct.keys()]
    .filter((member) => !names.has(member))
    .map((member) => `${path}.${member} is gone`);
  const differing = [...names].flatMap((name) => {
    const member = struct.get(name);
    const place = `${path}.${name}`;
    if (member === undefined) return givenOtherwise.includes(place) ? [] : [`${place} is missing`];
    const members = choices.flatMap((schema) => propertiesOf(schema).get(name) ?? []);
    const kinds = new Set(members.flatMap(kindsOf));
    const isNullable = kinds.delete("null");
    const isAlways = !isNullable && choices.every((schema) => requiredOf(schema).has(name));
    // Absent, or true.
    const isMark = members.every((schema) => schema["x-const"] === true);
    const isNilable = /^(?:\*|\[\]|map\[|json\.RawMessage)/.test(member.type);
    const values = members.flatMap(valuesOf);
    return [
      ...([...kinds].every((kind) => isKind(member.type, kind)) ? [] : [`${place}: ${member.type} of ${[...kinds]}`]),
      ...(isAlways && member.type.startsWith("*") ? [`${place} is always there`] : []),
      ...(isAlways || isNilable || isMark || saysAbsence(member.comment)
        ? []
        : [`${place}: what is it where it is absent?`]),
      ...(growing.has(name) || saysValues(member.comment, values) ? [] : [`${place} is ${orOf(values)}`]),
      ...(member.inner === undefined ? [] : compareStruct(place, member.inner, members)),
    ];
  });
  return [...unknown, ...differing];
}

const goKinds: Readonly<Record<string, RegExp>> = {
  integer: /^\*?(?:int|int64|Milliseconds)$/,
  number: /^\*?float64$/,
  string: /^\*?(?:string|Role|time\.Time)$/,
  boolean: /^\*?bool$/,
  array: /^(?:\[\]|json\.RawMessage$)/,
  object: /^(?:\*?(?:struct|[A-Z]\w+)$|json\.RawMessage$)/,
};

function isKind(type: string, kind: string): boolean {
  return goKinds[kind]?.test(type) === true;
}

function saysAbsence(comment: string): boolean {
  return /\b(?:nil|empty|0|zero)\b/.test(comment);
}

function saysValues(comment: string, values: readonly unknown[]): boolean {
  return values.length < 2 || comment.replaceAll('"', "").includes(orOf(values));
}

function orOf(values: readonly unknown[]): string {
  return `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

test("the shapes of answers in PHP's comments are those of the API's document", () => {
  const operations = new Map(listOperations(document));
  const shapes = globSync("php/src/*.php", { cwd: clients }).flatMap((file) =>
    [
      ...readFileSync(join(clients, file), "utf8").matchAll(
        /@return array\{([^}]+)\}(?:(?!@return)[\s\S])*?->call\(\s*'([A-Z]+ [^']+)'/g,
      ),
    ].map(([, members = "", name = ""]) => ({ file, name, members: members.split(/, (?=\w+\??:)/) })),
  );
  assert.ok(shapes.length > 8, "shapes were found");
  for (const { file, name, members } of shapes) {
    const success = Object.entries(operations.get(name)?.responses ?? {}).find(([status]) => status.startsWith("2"));
    const schema = success?.[1].content?.["application/json"]?.schema as Schema | undefined; // as above
    const described = [...propertiesOf(schema)].map(
      ([member, inner]) => `${member}${requiredOf(schema).has(member) ? "" : "?"}: ${phpTypeOf(inner)}`,
    );
    assert.deepEqual(members, described, `${file}: ${name}`);
  }
});

function phpTypeOf(schema: Schema): string {
  const words = { integer: "int", number: "float", string: "string", boolean: "bool" } as const;
  const kinds = kindsOf(schema);
  const types = kinds
    .filter((kind) => kind !== "null")
    .map((kind) => {
      if (kind === "object") return "array<string, mixed>";
      if (kind === "array") return "list<array<string, mixed>>";
      return words[kind as keyof typeof words]; // the other kinds of JSON
    });
  return `${kinds.includes("null") ? "?" : ""}${types.join("|")}`;
}

function findSchema(path: string): Schema | undefined {
  const [name = "", ...members] = path.split(".");
  return members.reduce<Schema | undefined>((schema, member) => propertiesOf(schema).get(member), schemas[name]);
}

/** The schemas that a value may be of. */
function choicesOf(schema: Schema | undefined): readonly Schema[] {
  if (schema === undefined) return [];
  if (schema.$ref !== undefined) return choicesOf(schemas[schema.$ref.split("/").at(-1) ?? ""]);
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(choicesOf);
}

function kindsOf(schema: Schema): readonly string[] {
  const kinds = choicesOf(schema).flatMap(({ type, enum: values }) => type ?? values?.map(kindOfValue) ?? []);
  return [...new Set(kinds)];
}

function kindOfValue(value: unknown): string {
  return value === null ? "null" : typeof value;
}

function valuesOf(schema: Schema): readonly unknown[] {
  const values = choicesOf(schema).flatMap((choice) => choice.enum ?? []);
  return [...new Set(values)].filter((value) => value !== null);
}

/** Those of an object, of each that it may be, or of the items of a list. */
function propertiesOf(schema: Schema | undefined): ReadonlyMap<string, Schema> {
  const all = choicesOf(schema).flatMap((choice) => [
    ...Object.entries(choice.properties ?? {}),
    ...(choice.items === undefined ? [] : propertiesOf(choice.items)),
  ]);
  return new Map(all);
}

/** The members that each of them has. */
function requiredOf(schema: Schema | undefined): ReadonlySet<string> {
  const [first = [], ...others] = choicesOf(schema)
    .filter(({ properties, items }) => properties !== undefined || items !== undefined)
    .map(({ required = [], items }) => (items === undefined ? required : [...requiredOf(items)]));
  return new Set(first.filter((name) => others.every((other) => other.includes(name))));
}

/** Operations without a method in these libraries: writing envelopes and key logs, and the reports of pages. */
const withoutMethod =
  /^(?:POST \/api\/forms\/reservations|(?:PUT|POST|DELETE) \/api\/forms\/\{\}\/envelopes\b.*|GET \/api\/forms\/\{\}\/envelopes\/\{\}\/revisions|\w+ \/api\/forms\/\{\}\/keys\/(?:log|refused))$/;
/** Operations on forms, accounts, keys and organizations by those who are signed in. */
const needed =
  /^\w+ \/api\/(?:forms|usage|notifications|api-keys|audit-log|organizations?|members|sessions|invitations(?!\/find))(?:\/|$)/;

for (const [language, files] of [
  ["Python", "python/src/sealpost/*.py"],
  ["PHP", "php/src/*.php"],
  ["Go", "go/*.go"],
] as const) {
  test(`${language}'s library asks for every operation that its programs need, and for none that the API does not have`, () => {
    const withoutNames = (text: string) => text.replaceAll(/\{\w*\}/g, "{}");
    const wordOf = language === "Go" ? (name: string) => name.replace(/^\w+ /, "") : (name: string) => name;
    const names = listOperations(document).map(([name]) => withoutNames(name));
    const source = globSync(files, { cwd: clients })
      .filter((file) => !/answer_members|_test\./.test(file))
      .map((file) => readFileSync(join(clients, file), "utf8"))
      .join("");
    const pattern = language === "Go" ? /"(\/api\/[^"?]+)"/g : /["']([A-Z]+ \/api\/[^"']+)["']/g;
    const asked = new Set([...source.matchAll(pattern)].map(([, name = ""]) => withoutNames(name)));
    assert.ok(asked.size > 25, `${asked.size} were found`);
    const known = new Set(names.map(wordOf));
    assert.deepEqual(
      [...asked].filter((name) => !known.has(name)),
      [],
    );
    const wanted = names.filter((name) => needed.test(name) && !withoutMethod.test(name));
    assert.deepEqual(
      wanted.filter((name) => !asked.has(wordOf(name))),
      [],
    );
  });
}
