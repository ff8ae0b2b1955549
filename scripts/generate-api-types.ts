/**
 * Writes `packages/sdk/src/api-types.ts`, the types of the API client, from the server's OpenAPI document: the schemas
 * that validate the requests are the only source of both. With `--check` it writes nothing and fails if the file is stale.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compile } from "json-schema-to-typescript";
import { createOpenApiDocument } from "../packages/server/src/openapi.ts";
import { type ApiDocument, parseDocument, toOperationsSchema } from "./openapi-operations.ts";

const path = join(import.meta.dirname, "../packages/sdk/src/api-types.ts");

const generated = await generate(parseDocument(await createOpenApiDocument()));
if (process.argv.includes("--check")) {
  if ((await readFile(path, "utf8").catch(() => "")) !== generated) {
    console.error("packages/sdk/src/api-types.ts is stale: node scripts/generate-api-types.ts writes it again");
    process.exitCode = 1;
  }
} else {
  await writeFile(path, generated);
}

async function generate(document: ApiDocument): Promise<string> {
  return compile(toOperationsSchema(document), "Operations", {
    additionalProperties: false,
    bannerComment: "// Generated from the server's OpenAPI document by scripts/generate-api-types.ts. Do not edit.",
    ignoreMinAndMaxItems: true,
    strictIndexSignatures: true,
    unknownAny: true,
    style: { printWidth: 120 },
  });
}
