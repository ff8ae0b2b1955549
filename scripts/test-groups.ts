import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Test files, and the database and the settings that they run by. */
export interface TestPass {
  readonly database: string;
  readonly files: readonly string[];
  /** Environment variables. */
  readonly settings: Readonly<Record<string, string>>;
  /** Files in a process, where they shall be fewer than otherwise. */
  readonly filesMax?: number;
}

/** Test files that run in one process, one after the other. */
export interface TestGroup extends TestPass {
  /** The folder that they have in common. */
  readonly folder: string;
}

/**
 * To load the service and start it for the first time takes a second and a half of the processor, and it runs slower until it is
 * warm. A file that ends its process takes its group along.
 */
const filesMax = 48;
/** Those that take longest, so that no processor waits for a group of them at the end. */
const filesMaxOf: ReadonlyMap<string, number> = new Map([
  ["packages/embed", 8],
  ["tests", 16],
  ["tests/dashboard", 6],
  ["tests/rights", 3],
]);
/** Folders of `tests` with groups of their own; the files of the others share theirs, for most of them load the service. */
const ownFolders: readonly string[] = [
  "tests/dashboard",
  "tests/kill",
  "tests/pages",
  "tests/rights",
  "tests/what-visitors-type",
];

/** Folders with the slowest files: begun first, so that nobody waits for one of them at the end. */
const slowestFirst = ["tests/rights", "tests/dashboard", "tests/kill", "packages/embed", "packages/server", "tests"];

/**
 * Groups the files of a package, or of `tests`, in their order. To load the service takes longer than the tests
 * of most files, and what has run once runs faster the second time.
 */
export function groupTestFiles(passes: readonly TestPass[]): readonly TestGroup[] {
  return passes.flatMap(groupPass).toSorted((one, other) => rank(one) - rank(other));
}

function groupPass({ database, files, settings, filesMax: filesMaxOfPass = Infinity }: TestPass): readonly TestGroup[] {
  const folders = Map.groupBy(files, findGroupFolder);
  return [...folders].flatMap(([folder, inFolder]) => {
    const count = Math.ceil(inFolder.length / Math.min(filesMaxOf.get(folder) ?? filesMax, filesMaxOfPass));
    const size = Math.ceil(inFolder.length / count);
    return Array.from({ length: count }, (_, index) => ({
      folder,
      files: inFolder.slice(index * size, (index + 1) * size),
      database,
      settings,
    }));
  });
}

function findGroupFolder(file: string): string {
  const folder = file.split("/").slice(0, 2).join("/");
  return folder.startsWith("tests/") && !ownFolders.includes(folder) ? "tests" : folder;
}

function rank({ folder }: TestGroup): number {
  const place = slowestFirst.findIndex((prefix) => folder.startsWith(prefix));
  return place === -1 ? slowestFirst.length : place;
}

const groupRunner = pathToFileURL(join(import.meta.dirname, "run-test-group.ts")).href;

/**
 * Writes into `folder` a file for each group that `node --test` can run, and returns their paths, which sort in the order of
 * the groups. In it every test file is a suite that is called by its path and its database.
 */
export function writeTestGroups(groups: readonly TestGroup[], folder: string): readonly string[] {
  return groups.map((group, index) => {
    const suites = group.files.map((file) => ({
      name: `${file} (${group.database})`,
      url: pathToFileURL(resolve(file)).href,
    }));
    const lines = [
      `import { runTestGroup } from ${JSON.stringify(groupRunner)};`,
      `Object.assign(process.env, ${JSON.stringify(group.settings)});`,
      `await runTestGroup(import.meta.filename, ${JSON.stringify(suites, null, 2)});`,
      "",
    ];
    const name = `${String(index + 1).padStart(3, "0")}-${group.folder.replaceAll(/\W+/g, "-")}.mjs`;
    writeFileSync(join(folder, name), lines.join("\n"));
    return join(folder, name);
  });
}
