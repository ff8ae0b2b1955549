import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import foreign from "../vectors/foreign.json" with { type: "json" };
import good from "../vectors/good.json" with { type: "json" };
import hostile from "../vectors/hostile.json" with { type: "json" };
import hybrid from "../vectors/hybrid.json" with { type: "json" };
import webhookSignatures from "../vectors/webhook-signatures.json" with { type: "json" };
import verification from "../vectors/webhook-verification.json" with { type: "json" };
import {
  expectedOf,
  type Implementation,
  openVector,
  ours,
  verifyServiceVector,
  verifyVector,
} from "./testing/conformance.ts";
import { files, findSource, openFileVector } from "./testing/file-conformance.ts";
import { contentOf } from "./testing/file-vectors.ts";
import { fileMutants, helpers, type Mutant, openMutants, serviceMutants, standardMutants } from "./testing/mutants.ts";
import type { OpeningVector } from "./testing/opening-vectors.ts";
import type { VerificationVector } from "./testing/verification-vectors.ts";

// Our own generator wrote these files from these types; JSON only widens the texts.
const openingVectors = [...good, ...hostile, ...foreign, ...hybrid] as unknown as readonly OpeningVector[];
const verificationVectors = verification as readonly VerificationVector[];

const temporary = mkdtempSync(join(tmpdir(), "sealpost-mutants-"));
after(() => rmSync(temporary, { recursive: true }));
const sources = globSync("*.ts", { cwd: import.meta.dirname }).filter((path) => !path.endsWith(".test.ts"));

/** The package with one mistake in it. */
async function make({ name, file, changes }: Mutant): Promise<Implementation> {
  const folder = mkdtempSync(join(temporary, "mutant-"));
  for (const path of sources) {
    const text = readFileSync(join(import.meta.dirname, path), "utf8");
    writeFileSync(join(folder, path), path === file ? mutate(text) : text);
  }
  const [opening, signature] = [
    await import(join(folder, "open.ts")),
    await import(join(folder, "webhook-signature.ts")),
  ];
  const { open, openFile } = opening;
  const { verifyStandard, verifyService } = signature;
  return { open, openFile, verifyStandard, verifyService };

  function mutate(text: string): string {
    let mutated = text;
    for (const [from, to] of changes) {
      assert.equal(mutated.split(from).length, 2, `${name}: ${from} stands not exactly once in ${file}`);
      mutated = mutated.split(from).join(to);
    }
    return file === "content-key.ts" ? mutated + helpers : mutated;
  }
}

/** Whether an implementation gets the vector of this name right. Throwing is wrong. */
type Check = (implementation: Implementation, vector: string) => Promise<boolean>;

async function isEqual(actual: Promise<unknown>, expected: unknown): Promise<boolean> {
  try {
    assert.deepEqual(await actual, expected);
    return true;
  } catch {
    return false;
  }
}

function findVector<Vector extends { readonly name: string }>(vectors: readonly Vector[], name: string): Vector {
  const vector = vectors.find((candidate) => candidate.name === name);
  assert.ok(vector, `There is no vector called ${name}`);
  return vector;
}

const opens: Check = (implementation, name) => {
  const vector = findVector(openingVectors, name);
  return isEqual(openVector(implementation, vector), expectedOf(vector));
};

const opensFile: Check = (implementation, name) => {
  const vector = findVector(files.vectors, name);
  const expected = vector.outcome === "opened" ? contentOf(findSource(vector.claims.source)) : undefined;
  const isSame = (opened: Uint8Array | undefined) =>
    expected === undefined || opened === undefined ? opened === expected : Buffer.compare(opened, expected) === 0;
  return isEqual(openFileVector(implementation.openFile, vector).then(isSame), true);
};

const verifies: Check = (implementation, name) => {
  const vector = findVector(verificationVectors, name);
  return isEqual(verifyVector(implementation, vector), vector.outcome);
};

const service = [
  ...webhookSignatures.service.map((vector) => ({ ...vector, name: vector.from, isRight: true })),
  ...webhookSignatures.refusedService.map((vector) => ({ ...vector, isRight: false })),
];
const verifiesService: Check = (implementation, name) => {
  const vector = findVector(service, name);
  return isEqual(verifyServiceVector(implementation, vector), vector.isRight);
};

const kinds = [
  { what: "opener", mutants: openMutants, check: opens, control: "one field", vectors: openingVectors },
  {
    what: "opener of files",
    mutants: fileMutants,
    check: opensFile,
    control: "file: 131072 bytes",
    vectors: files.vectors,
  },
  {
    what: "verifier",
    mutants: standardMutants,
    check: verifies,
    control: "at its moment",
    vectors: verificationVectors,
  },
  {
    what: "service verifier",
    mutants: serviceMutants,
    check: verifiesService,
    control: "RFC 4231 section 4.3",
    vectors: service,
  },
] as const;

for (const { what, mutants, check, control, vectors } of kinds) {
  test(`each wrong ${what} gets the vector wrong that is named for it, and ours gets them all right`, async () => {
    for (const { name } of vectors) assert.ok(await check(ours, name), `ours: ${name}`);
    for (const mutant of mutants) {
      const wrong = await make(mutant);
      assert.equal(await check(wrong, mutant.caughtBy), false, `${mutant.name}: not caught by ${mutant.caughtBy}`);
      // Else the mistake would be in making it.
      assert.equal(await check(wrong, control), !mutant.isBroken, `${mutant.name}: ${control}`);
    }
  });
}

test("a hundred mistakes are known, each another one", () => {
  const names = kinds.flatMap(({ what, mutants }) => mutants.map(({ name }) => `${what}: ${name}`));
  assert.ok(names.length >= 100, `${names.length}`);
  assert.equal(new Set(names).size, names.length);
});
