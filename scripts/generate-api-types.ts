/**
 * Generates what is derived from the server's OpenAPI document, so that the schemas that validate requests are the only source:
 * the API client's types (`api-types.ts`), the kinds of values by which the command line looks at answers (`answer-kinds.ts`), the
 * members that each client library expects in answers, and the types of Python's. `form-settings.ts` comes from the table of
 * settings. With `--check` it writes nothing and fails if a file is stale.
 */
import { globSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { compile } from "json-schema-to-typescript";
import type { Schema } from "../packages/server/src/api-document/document-types.ts";
import { rewrite } from "../packages/server/src/api-document/rewrite.ts";
import { settingNames, settings } from "../packages/server/src/forms/form-settings.ts";
import { constantKeyword } from "../packages/server/src/http/document.ts";
import { writeAnswerKinds } from "./openapi-answers.ts";
import { createOpenApiDocument } from "./openapi-document.ts";
import { writeAnswerMembers } from "./openapi-members.ts";
import { type ApiDocument, parseDocument, toOperationsSchema } from "./openapi-operations.ts";
import { writePythonTypes } from "./openapi-python.ts";

const folder = join(import.meta.dirname, "..");
const document = parseDocument(await createOpenApiDocument());

const generated = {
  "packages/sdk/src/api-types.ts": await generate(document),
  "packages/sdk/src/form-settings.ts": describeSettings(),
  "packages/cli/src/answer-kinds.ts": writeAnswerKinds(document),
  ...writeAnswerMembers(document),
  "clients/python/src/sealpost/types.py": writePythonTypes(document, readPythonSources()),
};
for (const [name, content] of Object.entries(generated)) {
  const path = join(folder, name);
  if (!process.argv.includes("--check")) await writeFile(path, content);
  else if ((await readFile(path, "utf8").catch(() => "")) !== content) {
    console.error(`${relative(process.cwd(), path)} is stale: node scripts/generate-api-types.ts writes it again`);
    process.exitCode = 1;
  }
}

function readPythonSources(): readonly string[] {
  return globSync("clients/python/src/sealpost/*.py", { cwd: folder }).map((path) =>
    readFileSync(join(folder, path), "utf8"),
  );
}

async function generate(document: ApiDocument): Promise<string> {
  return compile(rewrite(toOperationsSchema(document), toConstant), "Operations", {
    additionalProperties: false,
    bannerComment: "// Generated from the server's OpenAPI document by scripts/generate-api-types.ts. Do not edit.",
    ignoreMinAndMaxItems: true,
    strictIndexSignatures: true,
    unknownAny: true,
    style: { printWidth: 120 },
  });
}

/** Our own client's types tell payloads apart by their constants. */
function toConstant({ [constantKeyword]: constant, description, ...schema }: Schema): Schema {
  if (constant === undefined) return description === undefined ? schema : { ...schema, description };
  return { ...schema, const: constant, ...(description !== `Always ${constant}.` && { description }) };
}

/** As far as the settings' schemas say what their values may be. */
interface DescribedType {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly DescribedType[];
}

/** Source of the client's own table of settings: the JSON types of each value, and what a person types for it. */
function describeSettings(): string {
  const lines = settingNames.map((name) => {
    const { schema, hint }: { readonly schema: object; readonly hint: string } = settings[name];
    const { type, anyOf } = schema as DescribedType; // each is a JSON schema
    const types = [type ?? anyOf?.map((choice) => choice.type ?? "")].flat();
    const listed = types.map((type) => JSON.stringify(type)).join(", ");
    return `  ${name}: { types: [${listed}], hint: ${JSON.stringify(hint)} },\n`;
  });
  return `// Generated from the server's table of form settings by scripts/generate-api-types.ts. Do not edit.

/** Every setting of a form: which JSON its value may be, and what to type for it. Lists are of text. */
export const formSettings = {
${lines.join("")}} as const;
`;
}
