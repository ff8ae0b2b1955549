import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { assertCaught, checkOf, createMutantMaker } from "../../../tests/support/mutant-maker.ts";
import type { Mutant } from "../../../tests/support/mutants.ts";
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
import { fileMutants } from "./testing/file-mutants.ts";
import { contentOf } from "./testing/file-vectors.ts";
import { helpers, openMutants, serviceMutants, standardMutants } from "./testing/mutants.ts";
import type { OpeningVector } from "./testing/opening-vectors.ts";
import type { VerificationVector } from "./testing/verification-vectors.ts";

// Our own generator wrote these files from these types; JSON only widens the texts.
const openingVectors = [...good, ...hostile, ...foreign, ...hybrid] as unknown as readonly OpeningVector[];
const verificationVectors = verification as readonly VerificationVector[];

const maker = createMutantMaker(import.meta.dirname, { "content-key.ts": helpers });
after(maker.remove);

/** The package with one mistake in it. */
async function load(mutant: Mutant): Promise<Implementation> {
  const folder = maker.make(mutant);
  const { open, openFile } = await withDecoderOf(mutant, () => import(join(folder, "open.ts")));
  const { verifyStandard, verifyService } = await import(join(folder, "webhook-signature.ts"));
  return { open, openFile, verifyStandard, verifyService };
}

/** Our own decoder of base64 is what runtimes without one use: while it is loaded with a mistake, this one has none. */
async function withDecoderOf<Loaded>({ file }: Mutant, load: () => Promise<Loaded>): Promise<Loaded> {
  const native = Object.getOwnPropertyDescriptor(Uint8Array, "fromBase64");
  if (file !== "base64.ts" || native === undefined) return load();
  Reflect.deleteProperty(Uint8Array, "fromBase64");
  try {
    return await load();
  } finally {
    Object.defineProperty(Uint8Array, "fromBase64", native);
  }
}

const opens = checkOf(openingVectors, openVector, expectedOf);

/** Whether it is the right file, or none where there is none: its bytes would be a long message. */
const opensFile = checkOf(
  files.vectors,
  async ({ openFile }: Implementation, vector) => {
    const expected = vector.outcome === "opened" ? contentOf(findSource(vector.claims.source)) : undefined;
    const opened = await openFileVector(openFile, vector);
    return expected === undefined || opened === undefined
      ? opened === expected
      : Buffer.compare(opened, expected) === 0;
  },
  () => true,
);

const verifies = checkOf(verificationVectors, verifyVector, ({ outcome }) => outcome);

const service = [
  ...webhookSignatures.service.map((vector) => ({ ...vector, name: vector.from, isRight: true })),
  ...webhookSignatures.refusedService.map((vector) => ({ ...vector, isRight: false })),
];
const verifiesService = checkOf(service, verifyServiceVector, ({ isRight }) => isRight);

const kinds = [
  { what: "opener", mutants: openMutants, check: opens, control: "one field", vectors: openingVectors },
  {
    what: "opener of files",
    mutants: fileMutants,
    check: opensFile,
    control: "file: 196608 bytes",
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

for (const { what, ...kind } of kinds)
  test(`each wrong ${what} gets the vector wrong that is named for it, and ours gets them all right`, () =>
    assertCaught({ maker, ...kind, ours, load }));

test("a hundred mistakes are known, each another one", () => {
  const names = kinds.flatMap(({ what, mutants }) => mutants.map(({ name }) => `${what}: ${name}`));
  assert.ok(names.length >= 100, `${names.length}`);
  assert.equal(new Set(names).size, names.length);
});
