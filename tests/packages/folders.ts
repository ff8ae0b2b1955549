import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { TestContext } from "node:test";

const root = join(import.meta.dirname, "..", "..");
/** The folder that `npm run release` made, or the folder of another release. */
export const releaseFolder = process.env.SEALPOST_RELEASE ?? join(root, "release");

/** The oldest Node.js that libraries and command line promise, the one between, and the one that the service needs. */
export const nodes = [22, 24, 26] as const;
const nodesFolder = join(root, "node_modules", ".cache", "sealpost-nodes");

/** The tarball of a package, by its name without the scope. */
export function tarball(name: string): string {
  const [found] = globSync(`sealpost-${name}-*.tgz`, { cwd: releaseFolder });
  assert.ok(found !== undefined, `${releaseFolder} has no ${name}: npm run release`);
  return join(releaseFolder, found);
}

export const released = globSync("*.tgz", { cwd: releaseFolder, exclude: ["sealpost-vectors-*"] }).map((file) =>
  join(releaseFolder, file),
);

export interface Folder {
  readonly path: string;
  write(file: string, text: string): string;
  /** Runs a program in it; asserts that it ends with 0, and gives its standard output. */
  run(command: readonly string[], environment?: Readonly<Record<string, string>>): string;
  /** Runs a program in it, whatever it ends with. */
  try(command: readonly string[], environment?: Readonly<Record<string, string>>): Ended;
}

export interface Ended {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * An empty folder outside of the repository, where nothing is found that is not installed there, with these packages: tarballs
 * of the release by name, and others as npm names them. Who asks a registry for one of ours gets no answer, and nothing is installed.
 */
export function createInstalled(t: TestContext, ours: readonly string[], others: readonly string[] = []): Folder {
  const path = mkdtempSync(join(tmpdir(), "sealpost-installed-"));
  t.after(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  const attempt: Folder["try"] = (command, environment = {}) => {
    const [program = "", ...parameters] = command;
    // Neither the test run's conditions nor its settings.
    const inherited = Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => !/^(NODE_OPTIONS|NODE_TEST_CONTEXT|SEALPOST_.*|npm_.*)$/.test(name),
      ),
    );
    const { status, stdout, stderr, error } = spawnSync(program, parameters, {
      cwd: path,
      encoding: "utf8",
      env: { ...inherited, ...environment },
      timeout: 180_000,
    });
    if (error) throw error;
    return { status, output: stdout, errors: stderr };
  };
  const folder: Folder = {
    path,
    write(file, text) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), text);
      return join(path, file);
    },
    run(command, environment) {
      const { status, output, errors } = attempt(command, environment);
      assert.equal(status, 0, `${command.map((part) => basename(part)).join(" ")}\n${output}${errors}`);
      return output;
    },
    try: attempt,
  };
  folder.write("package.json", JSON.stringify({ name: "installed", private: true, type: "module" }));
  const packages = [...ours.map(tarball), ...others];
  // The port of `discard`: nothing listens there.
  const closed = "--@sealpost:registry=http://127.0.0.1:9/";
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=0"];
  folder.run(["npm", "install", ...quiet, "--prefer-offline", closed, ...packages]);
  return folder;
}

/** The program of this major version of Node.js; those that are not the repository's own are kept between runs. */
export function findNode(major: (typeof nodes)[number]): string {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const home = join(nodesFolder, String(major));
  const name = `node-${process.platform}-${process.arch}`;
  const program = join(home, "node_modules", name, "bin", "node");
  if (!existsSync(program)) install(`${name}@${major}`, home);
  return program;
}

/** In one step: another test file may be looking for it too, and a program that is still being written can't be run. */
function install(specifier: string, home: string): void {
  mkdirSync(nodesFolder, { recursive: true });
  const coming = mkdtempSync(join(nodesFolder, "coming-"));
  writeFileSync(join(coming, "package.json"), "{}");
  const installed = spawnSync("npm", ["install", "--no-audit", "--no-fund", specifier], {
    cwd: coming,
    encoding: "utf8",
  });
  assert.equal(installed.status, 0, installed.stderr);
  try {
    renameSync(coming, home);
  } catch (error) {
    rmSync(coming, { recursive: true });
    if (!existsSync(home)) throw error;
  }
}
