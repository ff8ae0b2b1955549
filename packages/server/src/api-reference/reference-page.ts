import type { OpenApiDocument, Operation, Schema } from "../api-document/document-types.ts";
import { escapeHtml } from "../http/html.ts";
import { componentAnchor, describe, renderMember, renderSchema, typeOf } from "./schema-html.ts";

interface Section {
  readonly anchor: string;
  readonly title: string;
  readonly html: string;
}

interface Document extends OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** The content of the reference: HTML without a script, and the sections that it has. */
export function renderReference(made: object): { readonly html: string; readonly contents: string } {
  const document = made as Document; // the service's own document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const events = Object.entries(document.webhooks ?? {}).map(([kind, item]) => ({
    method: "POST to your webhook URL:",
    path: kind,
    operation: Object(item).post as Operation, // written by `addWebhooks`
  }));
  const sections: readonly Section[] = [
    ...document.tags.map(({ name, description }) => ({
      anchor: toAnchor(name),
      title: name,
      html: [
        `<p>${describe(description)}</p>`,
        ...[...operations, ...events]
          .filter(({ operation }) => tagsOf(operation).includes(name))
          .map(({ method, path, operation }) => renderOperation(method, path, operation)),
      ].join("\n"),
    })),
    {
      anchor: "schemas",
      title: "Schemas",
      html: Object.entries(document.components.schemas)
        .map(([name, schema]) => {
          const heading = renderHeading(componentAnchor(name), escapeHtml(name));
          return `<section>${heading}\n${describe(schema.description)}\n${renderSchema(schema)}</section>`;
        })
        .join("\n"),
    },
  ];
  const { title, version, description } = document.info;
  return {
    html: `<h1>${escapeHtml(title)} ${escapeHtml(version)}</h1>
<p>${describe(description)}</p>
<p>The same for programs: <a href="/api/openapi.json">the OpenAPI 3.1 document</a>. With examples for a shell: <a href="/docs/api">the API step by step</a>.</p>
${sections.map((section) => `<h2 id="${section.anchor}">${escapeHtml(section.title)}</h2>\n${section.html}`).join("\n")}`,
    contents: `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>
${sections.map((section) => `<li><a href="#${section.anchor}">${escapeHtml(section.title)}</a></li>`).join("\n")}
</ul></nav>`,
  };
}

function tagsOf(operation: Operation): readonly unknown[] {
  const { tags } = operation as { readonly tags?: unknown }; // any object can be asked for a member
  return Array.isArray(tags) ? tags : [];
}

function toAnchor(text: string): string {
  return text.toLowerCase().replaceAll(" ", "-");
}

function renderHeading(anchor: string, html: string): string {
  return `<h3 id="${escapeHtml(anchor)}"><a href="#${escapeHtml(anchor)}">${html}</a></h3>`;
}

function renderOperation(method: string, path: string, operation: Operation): string {
  const { operationId, summary = "", description, requestBody, responses } = operation;
  const body: Schema | undefined = Object(requestBody).content?.["application/json"]?.schema;
  const parts = [
    renderHeading(operationId, describe(summary)),
    `<p><code>${escapeHtml(`${method} ${path}`)}</code></p>`,
    `<p>${describe(description)}</p>`,
    renderAccess(operation.security ?? []),
    renderParameters((operation.parameters ?? []).map(Object)),
    body === undefined ? "" : `<h4>Body</h4>\n${renderSchema(body)}${renderExample(requestBody)}`,
    `<h4>Answers</h4>\n<ul>\n${Object.entries(responses)
      .map(([status, response]) => renderResponse(status, response))
      .join("\n")}\n</ul>`,
  ];
  return `<section>${parts.filter((part) => part !== "").join("\n")}</section>`;
}

function renderAccess(security: readonly unknown[]): string {
  const [first] = security.map(Object);
  if (first === undefined) return "";
  const permissions = Array.isArray(first.apiKey) ? first.apiKey.map(String) : [];
  if (permissions.length === 0) return "<p>Needs a signed-in account; no API key.</p>";
  const named = permissions.map((permission: string) => `<code>${escapeHtml(permission)}</code>`).join(" and ");
  return `<p>Needs an API key with ${named}, or a signed-in account.</p>`;
}

function renderParameters(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map((parameter) =>
    renderMember(
      parameter.in === "query"
        ? `?${parameter.name}=`
        : parameter.in === "path"
          ? `{${parameter.name}}`
          : parameter.name,
      { description: parameter.description, ...parameter.schema },
      parameter.required === true,
    ),
  );
  return `<h4>Parameters</h4>
<div class="table" tabindex="0"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table></div>`;
}

/** Long texts, keys and sealed data mostly, end early: who reads needs their beginning at most. */
function renderExample(container: unknown): string {
  const example = Object(container).content?.["application/json"]?.example;
  if (example === undefined) return "";
  const shorten = (_name: string, value: unknown) =>
    typeof value === "string" && value.length > 100 ? `${value.slice(0, 60)}…` : value;
  return `<details><summary>Example</summary><pre tabindex="0"><code>${escapeHtml(JSON.stringify(example, shorten, 2))}</code></pre></details>`;
}

function renderResponse(status: string, response: Operation["responses"][string]): string {
  const { description, content } = response;
  const [type, media] = Object.entries(content ?? {})[0] ?? [];
  const line = `<b>${escapeHtml(status)}</b> ${describe(description)}`;
  const schema = media?.schema;
  if (schema === undefined || !status.startsWith("2")) return `<li>${line}</li>`;
  const kind = type === "application/json" ? "" : ` as <code>${escapeHtml(String(type))}</code>`;
  if (typeof schema.$ref === "string") return `<li>${line} ${typeOf(schema)}${kind}${renderExample(response)}</li>`;
  return `<li>${line}${kind}\n${renderSchema(schema)}${renderExample(response)}</li>`;
}
