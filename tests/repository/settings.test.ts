import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { testCommands } from "../../scripts/test-passes.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const readJson = (path: string) => JSON.parse(read(path));

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      { readonly permissions?: unknown; readonly "timeout-minutes"?: number; readonly steps: readonly Step[] }
    >
  >;
}

interface ComposeService {
  readonly build?: string;
  readonly image?: string;
  readonly mem_limit?: string;
  readonly ulimits?: { readonly core?: number };
  readonly restart?: string;
  readonly logging?: { readonly options: { readonly "max-size"?: string; readonly "max-file"?: string } };
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

/** The editor's word for the file that is open. */
const thisFile = ["$", "{file}"].join("");

const workflows = globSync(".github/workflows/*.yml", { cwd: root }).map((file) => ({
  file,
  text: read(file),
  workflow: parse(read(file)) as Workflow, // our own files
}));
const composed = ["compose.yaml", ...globSync("deploy/*.yaml", { cwd: root })].flatMap((file) => {
  const { services } = parse(read(file)) as { readonly services: Readonly<Record<string, ComposeService>> }; // our own files
  return Object.entries(services).map(([name, service]) => ({ name: `${file}: ${name}`, file, service }));
});
const steps = workflows.flatMap(({ workflow }) => Object.values(workflow.jobs).flatMap((job) => job.steps));

test("the workflow of each change runs the commands of .ci/run, and CONTRIBUTING says that it does", () => {
  const commands = read(".ci/run")
    .split("\n")
    .filter((line) => line.startsWith("npm "));
  assert.ok(commands.length > 1);
  // On machines of their own they need not share one.
  const scripts = testCommands.filter((command) => command !== "default").map((command) => `test:${command}`);
  const apart = scripts.map((script) => `npm run ${script}`);
  const expected = commands.flatMap((command) => (command === "npm run test:rest" ? apart : [command]));
  const check = workflows.find(({ file }) => file.endsWith("check.yml"));
  const ofCheck = Object.values(check?.workflow.jobs ?? {}).flatMap((job) => job.steps);
  assert.deepEqual(new Set(ofCheck.flatMap((step) => step.run ?? [])), new Set(expected));
  const sentence = read("CONTRIBUTING.md")
    .split("\n\n")
    .find((paragraph) => paragraph.includes(".github/workflows"));
  for (const command of commands) assert.ok(sentence?.includes(`\`${command}\``), `${command} in: ${sentence}`);
});

test("a workflow may only read the repository, keeps no credential, ends by itself and takes actions by their commits", () => {
  assert.ok(workflows.length > 0);
  for (const { file, text, workflow } of workflows) {
    assert.deepEqual(workflow.permissions, { contents: "read" }, file);
    for (const job of Object.values(workflow.jobs)) {
      assert.equal(job.permissions, undefined, file);
      assert.ok((job["timeout-minutes"] ?? 0) > 0, file);
    }
    for (const line of text.split("\n").filter((candidate) => /\buses:/.test(candidate)))
      assert.match(line, /uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, file);
    assert.doesNotMatch(text, /pull_request_target|secrets\./, file);
  }
  for (const step of steps.filter(({ uses }) => uses?.startsWith("actions/checkout@")))
    assert.equal(step.with?.["persist-credentials"], false);
});

test("the version of Node.js is one: .nvmrc, the dev dependency, the image and the workflow", () => {
  const { node } = readJson("package.json").devDependencies;
  assert.equal(read(".nvmrc").trim(), node);
  assert.ok(read("Dockerfile").includes(`/node:${node}-slim@`), "the Dockerfile builds on another version");
  const setups = steps.filter(({ uses }) => uses?.startsWith("actions/setup-node@"));
  assert.ok(setups.length > 0);
  for (const step of setups) assert.equal(step.with?.["node-version-file"], ".nvmrc");
});

test("an image from a registry has its version and its digest, and a robot asks for new ones", () => {
  const images = composed.flatMap(({ service: { build, image } }) => (build === undefined ? (image ?? []) : []));
  const dockerfile = read("Dockerfile");
  const [base = ""] = /(?<=^ARG NODE_IMAGE=).*/m.exec(dockerfile) ?? [];
  const froms = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  assert.deepEqual(new Set(froms), new Set([["$", "{NODE_IMAGE}"].join("")]));
  assert.equal(images.length, 2);
  for (const image of [base, ...images])
    assert.match(image, /^docker\.io\/library\/[a-z]+:\d+\.\d+(\.\d+)?(-slim)?@sha256:[0-9a-f]{64}$/);
  const { enabledManagers } = readJson(".github/renovate.json");
  for (const manager of ["dockerfile", "docker-compose"]) assert.ok(enabledManagers.includes(manager), manager);
});

test("a crash of what is deployed leaves no copy of its memory", () => {
  for (const unit of ["deploy/sealpost.service", "deploy/sealpost-backup.service"])
    assert.ok(read(unit).split("\n").includes("LimitCORE=0"), unit);
  const bounded = new Set<string>();
  for (const { name, file, service } of composed) {
    const key = name.slice(file.length);
    if (file !== "compose.yaml" && bounded.has(key)) continue;
    bounded.add(key);
    assert.equal(service.ulimits?.core, 0, name);
  }
});

test("what is deployed has bounds of memory and of its log, and starts again after it was killed for that or ended by its watchdog", () => {
  const unit = read("deploy/sealpost.service").split("\n");
  // Its watchdog ends it with 3; 2 says that the settings are wrong, and they would be again.
  for (const line of ["MemoryMax=1G", "Restart=on-failure", "RestartPreventExitStatus=2"])
    assert.ok(unit.includes(line), line);
  // An overlay adds to a service of compose.yaml, whose bounds hold.
  const bounded = new Set<string>();
  for (const { name, file, service } of composed) {
    const key = name.slice(file.length);
    if (file !== "compose.yaml" && bounded.has(key)) continue;
    bounded.add(key);
    assert.match(service.mem_limit ?? "", /^\d+[mg]$/, name);
    const { "max-size": size, "max-file": files } = service.logging?.options ?? {};
    assert.match(`${size} × ${files}`, /^\d{1,2}m × \d$/, name);
    assert.equal(service.restart, "unless-stopped", name);
  }
  assert.equal(bounded.size, 3);
});

/** The packages that the table of docs/dependencies.md names: `sdk: @sealpost/wire`. Its own packages are called by their folders there. */
function listExplainedDependencies(): ReadonlySet<string> {
  const [, table = ""] = read("docs/dependencies.md").split("| package | dependency | reason |\n");
  const rows = [
    ...table
      .split("\n\n", 1)
      .join()
      .matchAll(/^\| ([a-z]+) \| (.+?) \| .+ \|$/gm),
  ];
  const names = rows.flatMap(([, folder, list = ""]) =>
    list
      .replaceAll(/ \([^)]*\)/g, "")
      .split(", ")
      .map((name) => `${folder}: ${existsSync(join(root, "packages", name)) ? `@sealpost/${name}` : name}`),
  );
  return new Set(names);
}

test("docs/dependencies.md gives a reason for every package that one of ours needs at run time, and names none that is not installed", () => {
  const explained = listExplainedDependencies();
  const installed = readJson("package.json");
  const everywhere = Object.keys({ ...installed.dependencies, ...installed.devDependencies });
  const missing: string[] = [];
  const known = new Set(["wire: none", ...everywhere.map((name) => `documentation: ${name}`)]);
  for (const file of globSync("packages/*/package.json", { cwd: root })) {
    const { dependencies, peerDependencies, devDependencies } = readJson(file);
    const folder = file.split(/[\\/]/)[1];
    const needed = Object.keys({ ...dependencies, ...peerDependencies }).map((name) => `${folder}: ${name}`);
    missing.push(...needed.filter((name) => !explained.has(name)));
    for (const name of [...needed, ...Object.keys(devDependencies ?? {}).map((name) => `${folder}: ${name}`)])
      known.add(name);
  }
  assert.deepEqual(missing, []);
  assert.deepEqual(
    [...explained].filter((name) => !known.has(name)),
    [],
  );
});

test("every launch setting of the editor starts a program that exists", () => {
  const { configurations } = readJson(".vscode/launch.json") as {
    readonly configurations: readonly Readonly<Record<string, string>>[]; // our own file
  };
  const { scripts } = readJson("package.json");
  assert.ok(configurations.length > 2);
  for (const { name, program = "", runtimeExecutable = "", preLaunchTask } of configurations) {
    const path = (text: string) => text.replace(/^\$\{workspaceFolder\}/, root);
    if (program !== thisFile) assert.ok(existsSync(path(program)), `${name}: ${program}`);
    assert.ok(existsSync(path(runtimeExecutable)), `${name}: ${runtimeExecutable}`);
    if (preLaunchTask !== undefined)
      assert.ok(Object.hasOwn(scripts, preLaunchTask.replace("npm: ", "")), `${name}: ${preLaunchTask}`);
  }
});
