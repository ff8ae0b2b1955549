import { componentPrefix } from "../api-document/components.ts";
import type { Schema } from "../api-document/document-types.ts";
import { escapeHtml } from "../http/html.ts";

/** Where the page describes a component. */
export function componentAnchor(name: string): string {
  return `schema-${name}`;
}

/** A description with its `code` marked; it is text otherwise. */
export function describe(text: unknown): string {
  return typeof text === "string" ? escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>") : "";
}

/** The type in a few words, with links to the components that it uses. */
export function typeOf(schema: Schema): string {
  const target = schema.$ref;
  if (typeof target === "string") {
    const name = target.slice(componentPrefix.length);
    return `<a href="#${escapeHtml(componentAnchor(name))}">${escapeHtml(name)}</a>`;
  }
  const choices = list(schema.anyOf ?? schema.oneOf);
  if (choices.length > 0) return choices.map(typeOf).join(" or ");
  if ("const" in schema) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  const values = Array.isArray(schema.enum) ? schema.enum : [];
  if (values.length > 0) return values.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(", ");
  const types = [schema.type].flat().filter((type) => typeof type === "string");
  return types.map((type) => (type === "array" ? `array of ${typeOf(Object(schema.items))}` : type)).join(" or ");
}

/** The bounds of a value in addition to its type. */
function boundsOf(schema: Schema): readonly string[] {
  const bounds: readonly (readonly [keyword: string, words: string])[] = [
    ["minimum", "at least"],
    ["maximum", "at most"],
    ["minLength", "characters, at least"],
    ["maxLength", "characters, at most"],
    ["minItems", "entries, at least"],
    ["maxItems", "entries, at most"],
    ["default", "default"],
  ];
  return bounds.flatMap(([keyword, words]) =>
    schema[keyword] === undefined ? [] : [`${words} <code>${escapeHtml(JSON.stringify(schema[keyword]))}</code>`],
  );
}

/** A table of the members of an object, members of members under their path; other schemas in a sentence. */
export function renderSchema(schema: Schema): string {
  const rows = listMembers(schema, "");
  if (rows.length === 0) return `<p>${typeOf(schema)}${note(schema)}</p>`;
  return `<div class="table" tabindex="0"><table>
<thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table></div>`;
}

/** One row of a table: the name, whether it has to be there, type, description and bounds. */
export function renderMember(name: string, schema: Schema, isRequired: boolean): string {
  const optional = isRequired ? "" : " <small>optional</small>";
  return `<tr><th scope="row"><code>${escapeHtml(name)}</code>${optional}</th><td>${typeOf(schema)}</td><td>${meaning(schema)}</td></tr>`;
}

function listMembers(schema: Schema, path: string): readonly string[] {
  const { properties, required } = schema;
  if (typeof properties === "object" && properties !== null) {
    const names = Array.isArray(required) ? required : [];
    return Object.entries(properties).flatMap(([name, value]) => {
      const member: Schema = Object(value);
      const full = path + name;
      return [renderMember(full, member, names.includes(name)), ...listMembers(member, `${full}.`)];
    });
  }
  if (schema.type === "array") return listMembers(Object(schema.items), `${path.replace(/\.$/, "")}[].`);
  return list(schema.anyOf ?? schema.oneOf).flatMap((choice) => listMembers(choice, path));
}

function meaning(schema: Schema): string {
  return [describe(schema.description), boundsOf(schema).join("; ")].filter((part) => part !== "").join(" · ");
}

function note(schema: Schema): string {
  const said = meaning(schema);
  return said === "" ? "" : `: ${said}`;
}

function list(choices: unknown): readonly Schema[] {
  return Array.isArray(choices) ? choices.map(Object) : [];
}
