/**
 * `npm run check -- clients`: clients that others' generators make of the OpenAPI document compile and make three calls to a
 * running service; and Spectral finds nothing in the document. The document that they get lacks a member that the service's
 * answers have: what a newer version adds must not stop an older client. Needs the package registries; a language that is
 * not installed is skipped, and that is said.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { createTestService } from "../packages/server/src/testing/test-service.ts";

const root = join(import.meta.dirname, "..");
const sources = join(root, "tests", "clients");
const oapiCodegen = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const openApiGenerator = "org.openapitools:openapi-generator-cli:7.25.0";

const folder = mkdtempSync(join(tmpdir(), "sealpost-clients-"));
const closers: (() => unknown)[] = [];
const service = await createTestService({ after: (close: () => unknown) => closers.push(close) } as never); // all that it uses of a test
const outcomes: string[] = [];
let failures = 0;
try {
  const account = await service.signUp();
  const { body } = await account.request("POST", "/api/api-keys", { name: "Generated clients" });
  const environment = { ...process.env, SEALPOST_URL: service.url, SEALPOST_TOKEN: body.key.key as string };
  const document = (await service.request("GET", "/api/openapi.json")).body;
  const file = join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(document));
  await attempt("Spectral", "npx", () => lint(file));
  const { updatedAt: _updatedAt, ...properties } = document.components.schemas.Form.properties;
  document.components.schemas.Form.properties = properties;
  document.components.schemas.Form.required = document.components.schemas.Form.required.filter(
    (name: string) => name !== "updatedAt",
  );
  writeFileSync(file, JSON.stringify(document));
  await attempt("TypeScript", "npx", () => checkTypeScript(file, environment));
  await attempt("Go", "go", () => checkGo(file, environment));
  await attempt("Java", "mvn", () => checkJava(file, environment));
} finally {
  for (const close of closers.reverse()) await close();
  rmSync(folder, { recursive: true });
}
console.log(`\n${outcomes.join("\n")}\n${outcomes.length - failures} passed, ${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;

async function attempt(name: string, program: string, check: () => Promise<void>): Promise<void> {
  if (spawnSync(program, [program === "go" ? "version" : "--version"]).error !== undefined) {
    outcomes.push(`${name}: SKIPPED, ${program} is not installed`);
    return;
  }
  try {
    await check();
    outcomes.push(`${name}: ok`);
  } catch (error) {
    failures += 1;
    outcomes.push(`${name}: FAILED: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function lint(file: string): Promise<void> {
  await run(folder, "npx", [
    ...["--yes", "--ignore-scripts", "-p", "@stoplight/spectral-cli@6.16.3"],
    ...["spectral", "lint", file, "--ruleset", join(root, ".spectral.yaml"), "--fail-severity", "hint"],
  ]);
}

async function checkTypeScript(file: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const here = prepare("typescript");
  writeFileSync(join(here, "package.json"), '{"private": true, "type": "module"}');
  await run(here, "npx", [
    ...["--yes", "-p", "openapi-typescript@7.13.0", "-p", "typescript@5.9.3"],
    ...["openapi-typescript", file, "-o", "api.d.ts"],
  ]);
  cpSync(join(sources, "main.ts"), join(here, "main.ts"));
  await run(here, join(root, "node_modules", ".bin", "tsc"), [
    ...["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--lib", "es2024,dom"],
    ...["--allowImportingTsExtensions", "--typeRoots", join(root, "node_modules", "@types"), "--types", "node"],
    "main.ts",
  ]);
  expect(await run(here, process.execPath, ["main.ts"], environment), "Made in TypeScript true true true");
}

async function checkGo(file: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const here = prepare("go");
  mkdirSync(join(here, "sealpost"));
  await run(here, "go", ["mod", "init", "example"]);
  // As most people call it: what no path leads to is dropped, so the events' types are there only if one does.
  const generate = ["run", oapiCodegen, "-generate", "types,client", "-package", "sealpost", file];
  const made = await run(here, "go", generate);
  writeFileSync(join(here, "sealpost", "client.go"), made);
  cpSync(join(sources, "main.go"), join(here, "main.go"));
  await run(here, "go", ["mod", "tidy"]);
  expect(await run(here, "go", ["run", "."], environment), "Made in Go true true true");
}

async function checkJava(file: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const here = prepare("java");
  await run(here, "mvn", ["-q", "dependency:copy", `-Dartifact=${openApiGenerator}`, `-DoutputDirectory=${here}`]);
  const generator = `${openApiGenerator.split(":").slice(1).join("-")}.jar`;
  await run(here, "java", [
    ...["-jar", generator, "generate", "-i", file, "-g", "java"],
    ...["--library", "native", "-o", "client", "--additional-properties=openApiNullable=false"],
  ]);
  // With the generator's own defaults too, which nobody calls here: another library, other models.
  await run(here, "java", ["-jar", generator, "generate", "-i", file, "-g", "java", "-o", "default"]);
  await run(join(here, "default"), "mvn", ["-q", "-Dmaven.test.skip", "compile"]);
  cpSync(join(sources, "Main.java"), join(here, "client", "src", "main", "java", "Main.java"));
  const client = join(here, "client");
  await run(client, "mvn", ["-q", "-Dmaven.test.skip", "compile"]);
  const said = await run(client, "mvn", ["-q", "exec:java", "-Dexec.mainClass=Main"], environment);
  expect(said, "Made in Java true true true");
}

function prepare(name: string): string {
  const here = join(folder, name);
  mkdirSync(here);
  return here;
}

function expect(said: string, expected: string): void {
  // Maven colours its own end, whatever reads it.
  if (stripVTControlCharacters(said).trim() !== expected)
    throw new Error(`said ${JSON.stringify(said)} instead of ${JSON.stringify(expected)}`);
}

/** The program's standard output; throws its error output when it failed. The service answers meanwhile. */
async function run(
  folderOfRun: string,
  command: string,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const child = spawn(command, parameters, { cwd: folderOfRun, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors]: string[][] = [[], []];
  child.stdout.setEncoding("utf8").on("data", (text) => output?.push(text));
  child.stderr.setEncoding("utf8").on("data", (text) => errors?.push(text));
  const [code] = await once(child, "close");
  if (code !== 0)
    throw new Error(
      `${command} ${parameters.join(" ")}: ${[...(output ?? []), ...(errors ?? [])].join("").slice(-3000)}`,
    );
  return (output ?? []).join("");
}
