/**
 * The types of the library for Python: a TypedDict for each object of the OpenAPI document that its methods name (`types.Form`), and
 * for what is in it. Objects without a name of their own are called by their place: `Usage.shared` is `UsageShared`.
 */
import type { ApiDocument } from "./openapi-operations.ts";

/** As much of JSON Schema as the document uses. */
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly "x-const"?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
}

/** Names of places that have a better one than their path. `METHOD /path` is the body of a request. */
const placeNames: Readonly<Record<string, string>> = {
  "POST /api/forms.settings": "FormSettingsInput",
  "FormHold.setBy": "FormHoldSetter",
  "AuditLog.removed": "RemovedAuditEntries",
  "ApiKeyListItem.maker": "ApiKeyMaker",
  "CreatedApiKey.key": "ApiKey",
  "Statistics.stats": "StatisticsCounts",
  "StatisticsCounts.timeline": "StatisticsDay",
  "Usage.usage": "AccountUsage",
  "AccountUsageShared.organizations": "SharingOrganization",
};
/** Members that are the same wherever they are. */
const sharedNames: Readonly<Record<string, string>> = { role: "Role" };
/** Objects with all members of another one, and more. */
const bases: Readonly<Record<string, string>> = { DeliveryDetail: "Delivery" };
/** Texts of which there are more with every version: a type that named them all would be wrong for a newer service. */
const growing = new Set(["action", "event", "permissions", "PiiType"]);
const docOfGrowing = "One of the texts in the API reference; a newer server may have more.";
/** The header of the file says it for all. */
const saidForAll = new Set(["Milliseconds since the Unix epoch.", "ISO 8601, UTC.", "Bytes."]);
const width = 120;

const header = `"""
Answers of the API as its document describes them (\`/api/openapi.json\`). A newer server may add members.

Numbers that are times are milliseconds since the Unix epoch; times as text are ISO 8601 in UTC.

Generated from the server's OpenAPI document by scripts/generate-api-types.ts. Do not edit.
"""

from typing import Any, Literal, NotRequired, TypedDict
`;

/** The source of `types.py`, with the types that the library's other files, `sources`, name. */
export function writePythonTypes({ components, paths }: ApiDocument, sources: readonly string[]): string {
  const schemas = (components?.schemas ?? {}) as Readonly<Record<string, Schema>>; // JSON Schema, as are all
  const written = new Map<string, string>();
  const saidByType = new Map<string, string>();

  const wanted = sources.flatMap((source) => [...source.matchAll(/\btypes\.([A-Z]\w+)/g)].map(([, name = ""]) => name));
  for (const name of [...new Set(wanted)].sort()) writeNamed(name);
  const missing = wanted.filter((name) => !written.has(name));
  if (missing.length > 0) throw new Error(`Python's library names types without a schema: ${missing.join(", ")}`);
  return `${header}${[...written.values()].join("")}`;

  function writeNamed(name: string): void {
    if (written.has(name)) return;
    const schema = schemas[name] ?? findPlace(name);
    if (schema === undefined) return;
    if (schema.properties === undefined) writeAlias(name, typeOf(name, schema), schema.description);
    else writeObject(name, schema);
  }

  function findPlace(name: string): Schema | undefined {
    const [place = ""] = Object.entries(placeNames).find(([, named]) => named === name) ?? [];
    const [, method, path = "", owner = "", member = ""] = /^(?:(\w+) (\/\S+)|(\w+))\.(\w+)$/.exec(place) ?? [];
    const body = paths[path]?.[method?.toLowerCase() ?? ""]?.requestBody?.content?.["application/json"]?.schema;
    const outer = method === undefined ? (schemas[owner] ?? findPlace(owner)) : (body as Schema | undefined);
    const found = outer?.properties?.[member];
    return found?.items ?? found?.anyOf?.[0] ?? found;
  }

  function write(name: string, source: string, description = ""): void {
    written.set(name, `\n\n${source}`);
    saidByType.set(name, description);
  }

  function writeAlias(name: string, type: string, description?: string): void {
    write(name, `${name} = ${type}\n${docOf(description, "")}`, description);
  }

  /** Types that it refers to come first: Python reads from top to bottom. */
  function writeObject(name: string, { properties = {}, required = [], description }: Schema): void {
    if (written.has(name)) return;
    const base = bases[name];
    if (base !== undefined) writeNamed(base);
    const inherited = base === undefined ? {} : (schemas[base]?.properties ?? {});
    const own = Object.entries(properties).filter(([member]) => !(member in inherited));
    const areOptional = own.every(([member]) => !required.includes(member));
    const members = own.map(([member, schema]) => {
      const type = typeOf(name, schema, member);
      const isOptional = !areOptional && !required.includes(member);
      const line = `    ${member}: ${isOptional ? `NotRequired[${type}]` : type}\n`;
      return `${line}${docOf(describe(schema, member, type), "    ")}`;
    });
    const doc = docOf(description, "    ");
    const parents = `${base ?? "TypedDict"}${areOptional ? ", total=False" : ""}`;
    write(name, `class ${name}(${parents}):\n${doc}${doc === "" ? "" : "\n"}${members.join("")}`, description);
  }

  /** The description of a member, unless its type or the header says it already. */
  function describe({ description = "" }: Schema, member: string, type: string): string | undefined {
    if (growing.has(member)) return docOfGrowing;
    return saidForAll.has(description) || saidByType.get(type) === description ? undefined : description;
  }

  function typeOf(place: string, schema: Schema, member = ""): string {
    if (schema.$ref !== undefined) {
      // A type that requests and answers share has one name.
      const name = (schema.$ref.split("/").at(-1) ?? "").replace(/Input$/, "");
      if (growing.has(name)) return "str";
      writeNamed(name);
      return name;
    }
    if (schema.anyOf !== undefined) {
      const isUnion = schema.anyOf.filter(({ properties }) => properties !== undefined).length > 1;
      return schema.anyOf.map((one) => (isUnion ? kindOf(one, member) : typeOf(place, one, member))).join(" | ");
    }
    if (schema["x-const"] !== undefined) return `Literal[${literalOf(schema["x-const"])}]`;
    if (schema.enum !== undefined) return enumOf(schema.enum, member, schema.description);
    return [schema.type ?? "any"]
      .flat()
      .map((type) => simpleTypeOf(type, place, schema, member))
      .join(" | ");
  }

  function enumOf(values: readonly unknown[], member: string, description?: string): string {
    if (growing.has(member)) return "str";
    const type = `Literal[${values.map(literalOf).join(", ")}]`;
    const shared = sharedNames[member];
    if (shared === undefined) return type;
    if (!written.has(shared)) writeAlias(shared, type, description);
    return shared;
  }

  /** One of several objects, which their `type` tells apart: `ApiKeyActor`. */
  function kindOf(schema: Schema, member: string): string {
    const [type] = schema.properties?.type?.enum ?? [];
    const name = `${capitalize(String(type))}${capitalize(member)}`;
    writeObject(name, schema);
    return name;
  }

  function simpleTypeOf(type: string, place: string, schema: Schema, member: string): string {
    const simple = { integer: "int", number: "float", string: "str", boolean: "bool", null: "None", any: "Any" }[type];
    if (simple !== undefined) return simple;
    if (type === "array") return `list[${schema.items === undefined ? "Any" : typeOf(place, schema.items, member)}]`;
    // Python has no attributes with such names.
    if (schema.properties === undefined || "from" in schema.properties) return "dict[str, Any]";
    const name = placeNames[`${place}.${member}`] ?? sharedNames[member] ?? `${place}${capitalize(member)}`;
    writeObject(name, schema);
    return name;
  }
}

/** `api_key` is `ApiKey`. */
function capitalize(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function literalOf(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}

/** A string after what it explains, as editors show it. */
function docOf(text: string | undefined, indent: string): string {
  if (text === undefined || text === "") return "";
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"');
  const oneLine = `${indent}"""${escaped}"""\n`;
  if (oneLine.length <= width + 1 && !escaped.endsWith('"')) return oneLine;
  const lines = wrap(escaped, width - indent.length).map((line) => `${indent}${line}\n`);
  return `${indent}"""\n${lines.join("")}${indent}"""\n`;
}

function wrap(text: string, length: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.pop();
    if (line === undefined) lines.push(word);
    else if (line.length + 1 + word.length > length) lines.push(line, word);
    else lines.push(`${line} ${word}`);
  }
  return lines;
}
