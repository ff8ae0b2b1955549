/**
 * `npm run check`: all that can be checked without running the service. Every step runs, so that one run shows every
 * error. `-- types bundles` runs these steps alone; `-- clients`, `-- deploy` and `-- image` run only when they are named,
 * since they need more than this repository.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { listParts, type Part, runPart } from "./run-part.ts";

interface Step {
  /** Several steps may have it in common. */
  readonly name: string;
  readonly what: string;
  readonly command: readonly string[];
  readonly needsBuild?: true;
}

const root = join(import.meta.dirname, "..");
const node = [process.execPath, "--conditions=@sealpost/source"] as const;
const tool = (name: string) => join(root, "node_modules", ".bin", name);

/** The projects of the root tsconfig.json, where editors find them too. */
const { references } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8")) as {
  readonly references: readonly { readonly path: string }[]; // our own file
};

const buildStep: Step = { name: "build", what: "build", command: [...node, join("scripts", "build.ts"), "--quiet"] };
export const steps: readonly Step[] = [
  buildStep,
  {
    name: "format",
    what: "format and lint",
    command: [tool("biome"), "ci", "--colors=off", "--diagnostic-level=warn", "."],
  },
  ...references.map(({ path }) => ({
    name: "types",
    what: `types of ${path.endsWith(".json") ? path : basename(path)}`,
    command: [tool("tsc"), "-p", path],
  })),
  {
    name: "architecture",
    what: "architecture",
    command: [...node, "--test", "architecture.test.ts"],
  },
  {
    name: "documents",
    what: "documents: doubled lines, citations, promises without a test, words",
    command: [
      ...node,
      "--test",
      join("tests", "docs", "doubled.test.ts"),
      join("tests", "docs", "citations.test.ts"),
      join("tests", "malicious-server", "threat-model.test.ts"),
      join("tests", "words", "words.test.ts"),
    ],
  },
  {
    name: "repository",
    what: "commands that documents name, editors, workflow",
    command: [...node, "--test", "tests/repository/*.test.ts"],
  },
  { name: "bundles", what: "bundles", command: [...node, join("packages", "embed", "bundle.check.ts")] },
  {
    name: "first-load",
    what: "first load of the dashboard",
    command: [...node, join("packages", "dashboard", "first-load.check.ts")],
  },
  {
    name: "api-document",
    what: "API document",
    command: [...node, join("scripts", "lint-api.ts")],
    needsBuild: true,
  },
  {
    name: "api-types",
    what: "types of the API client",
    command: [...node, join("scripts", "generate-api-types.ts"), "--check"],
    needsBuild: true,
  },
  {
    name: "api-examples",
    what: "examples of the API document, recorded again",
    command: [...node, join("scripts", "generate-api-examples.ts"), "--check"],
    needsBuild: true,
  },
  {
    name: "security",
    what: "lock file and regular expressions",
    command: [...node, join("scripts", "security.ts"), "--quick"],
  },
];

export const programs: readonly Part[] = [
  {
    name: "clients",
    file: "scripts/check-clients.ts",
    what: "generated clients, and Spectral; needs the package registries",
    needsBuild: true,
  },
  { name: "deploy", file: "deploy/check.ts", what: "Dockerfile, compose files, units, proxies", needsBuild: true },
  {
    name: "image",
    file: "deploy/image.ts",
    what: "the image, built and run; needs Docker or podman",
    needsBuild: false,
  },
];

if (import.meta.main) {
  const [first, ...parameters] = process.argv.slice(2);
  const program = programs.find(({ name }) => name === first);
  process.exitCode = await (program ? runPart(program, parameters) : checkSteps(process.argv.slice(2)));
}

function checkSteps(names: readonly string[]): number {
  const unknown = names.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    const known = [...new Set(steps.map(({ name }) => name))].join(", ");
    console.error(
      `There is no step ${unknown.join(", ")}. Steps: ${known}. Only by name:\n${listParts("check", programs)}`,
    );
    return 2;
  }
  const named = steps.filter(({ name }) => names.length === 0 || names.includes(name));
  const chosen = named.some(({ needsBuild }) => needsBuild) ? [...new Set([buildStep, ...named])] : named;
  const failures = chosen.filter((step) => !passes(step)).length;
  console.log(`${chosen.length - failures} passed, ${failures} failed`);
  return failures === 0 ? 0 : 1;
}

function passes({ what, command: [command, ...parameters] }: Step): boolean {
  if (command === undefined || !existsSync(command)) throw new Error(`${command} is not installed. Run npm ci`);
  const { status, stdout, stderr } = spawnSync(command, parameters, { cwd: root, encoding: "utf8" });
  console.log(`${status === 0 ? "ok    " : "FAILED"}  ${what}`);
  if (status !== 0) console.log(`${stdout}${stderr}`);
  return status === 0;
}
