import assert from "node:assert/strict";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutant } from "./mutants.ts";
import { sampleEvery } from "./sample.ts";

/** Whether an implementation gets the vector of this name right. Throwing is wrong. */
type Check<Implementation> = (implementation: Implementation, vector: string) => Promise<boolean>;

/** Whether `actual` resolves to something that is deeply equal to `expected`. */
async function isEqual(actual: Promise<unknown>, expected: unknown): Promise<boolean> {
  try {
    assert.deepEqual(await actual, expected);
    return true;
  } catch {
    return false;
  }
}

export function findVector<Vector extends { readonly name: string }>(vectors: readonly Vector[], name: string): Vector {
  const vector = vectors.find((candidate) => candidate.name === name);
  assert.ok(vector, `There is no vector called ${name}`);
  return vector;
}

/** The check of vectors by their names: what `run` gives for one has to be what is `expected` of it. */
export function checkOf<Implementation, Vector extends { readonly name: string }>(
  vectors: readonly Vector[],
  run: (implementation: Implementation, vector: Vector) => Promise<unknown>,
  expected: (vector: Vector) => unknown,
): Check<Implementation> {
  return async (implementation, name) => {
    const vector = findVector(vectors, name);
    return isEqual(run(implementation, vector), await expected(vector));
  };
}

/**
 * Makes copies of the sources in a folder, each with one mistake, until `remove`. `helpers` are added to the files they name.
 * What neither has the mistake nor imports what has it is imported from where it is, and so is loaded once for all mutants.
 */
export function createMutantMaker(sourceFolder: string, helpers: Readonly<Record<string, string>> = {}) {
  const temporary = mkdtempSync(join(tmpdir(), "sealpost-mutants-"));
  symlinkSync(join(import.meta.dirname, "../../node_modules"), join(temporary, "node_modules"));
  const paths = globSync("*.ts", { cwd: sourceFolder }).filter((path) => !path.endsWith(".test.ts"));
  const sources = new Map(paths.map((path) => [path, readFileSync(join(sourceFolder, path), "utf8")]));
  let count = 0;
  return {
    /** The folder of a copy. */
    make(mutant: Mutant): string {
      const folder = join(temporary, String(++count));
      mkdirSync(folder);
      const copied = findImporters(sources, [mutant.file, ...Object.keys(helpers)]);
      for (const [path, text] of sources) {
        const original = join(sourceFolder, path);
        if (!copied.has(path)) {
          symlinkSync(original, join(folder, path));
          continue;
        }
        const changed = path === mutant.file ? mutate(mutant, text) : text;
        writeFileSync(join(folder, path), changed + (helpers[path] ?? ""));
      }
      return folder;
    },
    /** Throws where the sources no longer have what the mistake is made of. */
    assertFits(mutant: Mutant): void {
      mutate(mutant, sources.get(mutant.file) ?? assert.fail(`${mutant.name}: there is no ${mutant.file}`));
    },
    remove: () => rmSync(temporary, { recursive: true }),
  };
}

type MutantMaker = ReturnType<typeof createMutantMaker>;

/** These files, those that import them, and so on. */
function findImporters(sources: ReadonlyMap<string, string>, files: readonly string[]): ReadonlySet<string> {
  const found = new Set(files);
  // A set's loop comes to what is added during it.
  for (const file of found) for (const [path, text] of sources) if (text.includes(` from "./${file}"`)) found.add(path);
  return found;
}

function mutate({ name, file, changes }: Mutant, text: string): string {
  let mutated = text;
  for (const [from, to] of changes) {
    assert.equal(mutated.split(from).length, 2, `${name}: ${from} stands not exactly once in ${file}`);
    mutated = mutated.split(from).join(to);
  }
  return mutated;
}

/**
 * Asserts that ours gets all vectors right, that each mutant gets the vector wrong that is named for it, and that the mistake is
 * not in making the mutant: unless it is broken, it gets `control` right. `npm test` tries every fourth mutant, and that all fit.
 */
export async function assertCaught<Implementation>({
  maker,
  mutants,
  check,
  control,
  vectors,
  ours,
  load,
}: {
  readonly maker: MutantMaker;
  readonly mutants: readonly Mutant[];
  readonly check: Check<Implementation>;
  readonly control: string;
  readonly vectors: readonly { readonly name: string }[];
  readonly ours: Implementation;
  readonly load: (mutant: Mutant) => Promise<Implementation>;
}): Promise<void> {
  for (const { name } of vectors) assert.ok(await check(ours, name), `ours: ${name}`);
  for (const mutant of mutants) maker.assertFits(mutant);
  for (const mutant of sampleEvery(mutants, 4)) {
    const wrong = await load(mutant);
    assert.equal(await check(wrong, mutant.caughtBy), false, `${mutant.name}: not caught by ${mutant.caughtBy}`);
    assert.equal(await check(wrong, control), !mutant.isBroken, `${mutant.name}: ${control}`);
  }
}
