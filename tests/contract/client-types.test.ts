import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createOpenApiDocument } from "../../scripts/openapi-document.ts";
import { parseDocument } from "../../scripts/openapi-operations.ts";

// The TypeScript client gets its types from the document by itself; people write those of Python and Go.

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
/** A type of a client: its members' names, each with the members of an object that is written inside of it. */
type Members = Map<string, Members | undefined>;

const { components } = parseDocument(await createOpenApiDocument());
const schemas = (components?.schemas ?? {}) as Readonly<Record<string, Schema>>; // JSON Schema, as are all
const clients = join(import.meta.dirname, "..", "..", "clients");

/** Types whose name is not their schema's: the ones that it has all members of. A member's own schema is `Name.member`. */
const pythonSchemas: Readonly<Record<string, readonly string[]>> = {
  FormSettingsInput: ["FormSettings"],
  FormHoldSetter: ["FormHold.setBy"],
  ApiKeyMaker: ["ApiKeyListItem.maker"],
  AuditLogHead: ["AuditLog.head"],
  RemovedAuditEntries: ["AuditLog.removed"],
  RefusedVisitors: ["Form.refusedVisitors", "FormListItem.refusedVisitors"],
};
const goSchemas: Readonly<Record<string, readonly string[]>> = {
  Form: ["Form", "CreatedForm", "UpdatedForm"],
  WebhookSecret: ["WebhookSecret", "RotatedWebhookSecret"],
  LoggedDelivery: ["Delivery"],
  APIKey: ["ApiKeyListItem", "CreatedApiKey.key"],
  AuditParty: ["AuditEntry.actor", "AuditEntry.target"],
  PublicForm: ["PublicForm.form"],
  RefusedVisitors: ["Form.refusedVisitors", "FormListItem.refusedVisitors"],
  Usage: ["Usage.usage"],
  Organizations: ["OrganizationList"],
};
/** Members that a client gives in another way than by its type. */
const givenOtherwise: readonly string[] = [
  "Organizations.total", // the length of its list
];

test("Python's types have every member that the API's document has", () => {
  const text = readFileSync(join(clients, "python", "src", "sealpost", "types.py"), "utf8");
  const types = new Map<string, Members>();
  for (const [, name = "", base = "", body = ""] of text.matchAll(
    /^class (\w+)\(([^)]*)\):\n((?: {4}.*\n|\n(?= {4}))*)/gm,
  )) {
    const own = [...body.matchAll(/^ {4}(\w+): /gm)].map(([, member = ""]) => [member, undefined] as const);
    types.set(name, new Map([...(types.get(base) ?? []), ...own]));
  }
  compare(types, pythonSchemas);
});

test("Go's types have every member that the API's document has", () => {
  const types = new Map<string, Members>();
  const open: Members[] = [];
  for (const line of readFileSync(join(clients, "go", "types.go"), "utf8").split("\n")) {
    const [, begun] = /^type (\w+) struct \{$/.exec(line) ?? [];
    const [, end] = /^\t*\}(?: `json:"(\w+)[",])?/.exec(line) ?? [undefined, undefined];
    if (begun !== undefined) {
      open.push(new Map());
      types.set(begun, open[0] ?? new Map());
    } else if (/ (?:\[\]|\*)?struct \{$/.test(line)) open.push(new Map());
    else if (/^\t*\}/.test(line)) {
      const inner = open.pop();
      if (end !== undefined) open.at(-1)?.set(end, inner);
    } else {
      const [, embedded = ""] = /^\t(\w+)$/.exec(line) ?? [];
      const [, member] = /`json:"(\w+)[",]/.exec(line) ?? [];
      for (const [name, inner] of types.get(embedded) ?? []) open.at(-1)?.set(name, inner);
      if (member !== undefined) open.at(-1)?.set(member, undefined);
    }
  }
  compare(types, goSchemas);
});

function compare(types: ReadonlyMap<string, Members>, others: Readonly<Record<string, readonly string[]>>): void {
  assert.ok(types.size > 20, "the file was read");
  const missing = [...types].flatMap(([name, members]) =>
    (others[name] ?? [name]).flatMap((path) => {
      const schema = findSchema(path);
      return schema === undefined ? [`${path}: no such schema`] : listMissing(name, members, schema);
    }),
  );
  assert.deepEqual(
    missing.filter((member) => !givenOtherwise.includes(member)),
    [],
  );
}

function findSchema(path: string): Schema | undefined {
  const [name = "", ...members] = path.split(".");
  return members.reduce<Schema | undefined>((schema, member) => propertiesOf(schema).get(member), schemas[name]);
}

function listMissing(path: string, members: Members, schema: Schema): readonly string[] {
  return [...propertiesOf(schema)].flatMap(([name, inner]) => {
    if (!members.has(name)) return [`${path}.${name}`];
    const written = members.get(name);
    return written === undefined ? [] : listMissing(`${path}.${name}`, written, inner);
  });
}

/** Those of an object, of each that it may be, or of the items of a list. */
function propertiesOf(schema: Schema | undefined): ReadonlyMap<string, Schema> {
  if (schema === undefined) return new Map();
  if (schema.$ref !== undefined) return propertiesOf(schemas[schema.$ref.split("/").at(-1) ?? ""]);
  const inner = [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.items ? [schema.items] : [])];
  return new Map([...Object.entries(schema.properties ?? {}), ...inner.flatMap((one) => [...propertiesOf(one)])]);
}
