import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Test files that run in one process, one after the other. */
export interface TestGroup {
  /** The folder that they have in common. */
  readonly folder: string;
  readonly files: readonly string[];
}

/** More would be a little faster, but a file that ends its process takes its group along. */
const filesMax = 8;

/** Folders with the slowest files: begun first, so that nobody waits for one of them at the end. */
const slowestFirst = ["tests/dashboard", "tests/kill", "packages/embed", "tests/"];

/**
 * Groups the files of a package, or of a folder of `tests`, in their order. To load the service takes longer than the tests
 * of most files, and what has run once runs faster the second time.
 */
export function groupTestFiles(files: readonly string[]): readonly TestGroup[] {
  const folders = Map.groupBy(files, (file) => file.split("/").slice(0, 2).join("/"));
  const groups = [...folders].flatMap(([folder, inFolder]) => {
    const count = Math.ceil(inFolder.length / filesMax);
    const size = Math.ceil(inFolder.length / count);
    return Array.from({ length: count }, (_, index) => ({
      folder,
      files: inFolder.slice(index * size, (index + 1) * size),
    }));
  });
  return groups.toSorted((one, other) => rank(one) - rank(other));
}

function rank({ folder }: TestGroup): number {
  const place = slowestFirst.findIndex((prefix) => folder.startsWith(prefix));
  return place === -1 ? slowestFirst.length : place;
}

const suiteOfFile = `import { describe } from "node:test";
const suite = (file, url) =>
  new Promise((registered) => {
    describe(file, () => import(url).finally(registered));
  });
`;

/**
 * Writes into `folder` a file for each group that `node --test` can run, and returns their paths, which sort in the order of
 * the groups. In it every test file is a suite that is called by its path, so that its hooks and its failures stay its own.
 * Files are imported one after another: of two at once, one would register its tests in the suite of the other.
 */
export function writeTestGroups(groups: readonly TestGroup[], folder: string): readonly string[] {
  return groups.map((group, index) => {
    const suites = group.files.map(
      (file) => `await suite(${JSON.stringify(file)}, ${JSON.stringify(pathToFileURL(resolve(file)))});`,
    );
    const name = `${String(index + 1).padStart(2, "0")}-${group.folder.replaceAll(/\W+/g, "-")}.mjs`;
    writeFileSync(join(folder, name), [suiteOfFile, ...suites, ""].join("\n"));
    return join(folder, name);
  });
}
