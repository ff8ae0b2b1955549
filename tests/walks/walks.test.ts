import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isWhole } from "../support/sample.ts";
import { knownWalks } from "./known-walks.ts";
import { type AgeFiles, plainAge, realAge } from "./plain-age.ts";
import { walk, walksOf } from "./walk.ts";

// Random histories of an organization with one form: honest people with the functions of the client, on several devices each, next to members who use their real
// keys for whatever they like, and a service that hides, shows older states, denies keys, and stores what it should not. After each history:
//
// - Who has opened everything continues: an owner, and a manager who reads, rotates, reads again, takes a reader out; everybody else who has opened it takes that.
// - Nobody reads without a mark whom an honest person has taken out, or whom nobody has let in who still may.
// - No published key that a device has opened is missing where it opens a later revision.
// - Each owner gets a device out of every refusal, by bringing back, a rotation, or putting aside, and then everybody opens what they rotate.
//
// `npm test` takes a few walks, `npm run test:cases` some, `npm run test:walks` thousands. SEALPOST_WALKS is how many, SEALPOST_WALK_SEED where they begin.
// In all but a few the files are not encrypted by age (plain-age.ts): opener, writer and their checks are the same.
//
// That it can fail: with each of these lines changed, one of the known histories (known-walks.ts), which are taken first, ends otherwise.
//
// | changed | ends |
// |---|---|
// | `isAfterGap` answers `false` | silent gain, after a gap |
// | `findIntroducers` takes each `by` unchanged | silent gain, by the word of a revision |
// | `keptKeys` keeps the unpublished key of a version that is rotated to | not continuable |
// | `isDisplaced` answers `false` | shut out |
// | `findRotatedEnvelope` gives the newest | shut out |
// | `checkRevision` asks for no published key | key lost |

const seed = Number(process.env.SEALPOST_WALK_SEED ?? 1);
const many = Number(process.env.SEALPOST_WALKS ?? (isWhole ? 60 : 2));

for (const [rule, one] of Object.entries(knownWalks)) test(`${rule}`, () => walk(one, plainAge, new Map()));

for (const [how, age, count, length] of [
  ["plain files", plainAge, many, 14],
  ["files of age", realAge, Math.ceil(many / 100), isWhole ? 14 : 4],
] as const satisfies readonly (readonly [string, AgeFiles, number, number])[])
  test(`after ${count} random histories with ${how} everybody continues, nobody reads unseen, and no key is lost`, async () => {
    const counts = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(walksOf(length), (one) => walk(one, age, counts)),
      { seed, numRuns: count, verbose: 0 },
    );
    assert.ok(counts.size > 0);
  });
