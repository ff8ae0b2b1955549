import { continueKeyLog, importSigningKey, toLoggedKey } from "@sealpost/envelope";
import type { KeyLogHead } from "@sealpost/wire";
import fc from "fast-check";
import { findKeyLogSigners } from "../../packages/envelope/src/key-log-signers.ts";
import { sealEnvelopeWith } from "../../packages/envelope/src/seal-envelope.ts";
import { formId } from "../../packages/envelope/src/testing/envelope-maker.ts";
import { hashOf } from "../../packages/envelope/src/text.ts";
import { formKeyOf, idOf, type Name, startReaders } from "./people.ts";
import type { AgeFiles } from "./plain-age.ts";
import { type Counts, type Probe, probes, requireWays } from "./properties.ts";
import { anyStep, type Step, take } from "./steps.ts";
import { foundList, keysOf, newestList, openDevice, type World } from "./world.ts";

/** A history of an organization with one form. */
export interface Walk {
  readonly dishonest: readonly Name[];
  readonly isColluding: boolean;
  /** The version of the form's first key. */
  readonly firstVersion: number;
  readonly hasLog: boolean;
  readonly steps: readonly Step[];
  readonly probe: Probe;
}

export const walksOf = (maxLength: number): fc.Arbitrary<Walk> =>
  fc.record({
    dishonest: fc.constantFrom<readonly Name[]>(["mo"], ["mo"], ["mo", "nia"], ["ole"], ["ole", "mo"]),
    isColluding: fc.boolean(),
    firstVersion: fc.constantFrom(1, 31, 32),
    hasLog: fc.boolean(),
    steps: fc.array(anyStep, { minLength: 1, maxLength }),
    probe: fc.constantFrom(...probes),
  });

/** Takes every step, and looks at the end whether everybody continues. */
export async function walk({ steps, probe, ...start }: Walk, age: AgeFiles, counts: Counts): Promise<void> {
  const world = await begin(start, age);
  for (const step of steps) await take(world, step);
  await requireWays(world, probe, counts);
}

async function begin({ dishonest, isColluding, firstVersion, hasLog }: Omit<Walk, "steps" | "probe">, age: AgeFiles) {
  const world: World = {
    ...{ age, isColluding, lists: [], lines: [], generationOf: new Map(), events: new Map() },
    service: { envelopes: new Map(), published: [], keyLog: "" },
    honest: new Set((["ada", "ole", "mo", "nia", "rea", "rob"] as const).filter((name) => !dishonest.includes(name))),
    devices: [],
  };
  await foundList(world);
  const list = newestList(world);
  const { key } = await formKeyOf(firstVersion);
  const ada = await keysOf(world, "ada");
  const keyLog = hasLog ? await beginLog() : null;
  const { file } = await sealEnvelopeWith(age.encrypt, {
    ...{ list, formId, keyLog, formName: "Contact", keys: [key], readerIds: startReaders.map(idOf) },
    signer: { id: idOf("ada"), signingKey: await importSigningKey(ada.signingSeed) },
  });
  world.service.envelopes.set(1, [{ file, writer: "ada", isDishonest: false }]);
  world.service.published = [{ version: firstVersion, fingerprint: key.fingerprint }];
  world.events.set(
    1,
    startReaders.map((reader) => ({ reader, by: "ada" as const, list: list.head.number })),
  );
  const devices = (["ada", "ada", "ole", "mo", "nia", "rea", "rea", "rob"] as const).filter((name) =>
    world.honest.has(name),
  );
  return {
    ...world,
    devices: devices.map((name) => openDevice(name, list.head.number)),
  };

  async function beginLog(): Promise<KeyLogHead> {
    const signers = findKeyLogSigners(list, ada.signingKey);
    const entry = await continueKeyLog(new Uint8Array(), { formId, key: await toLoggedKey(formId, key), signers }, [
      ada,
    ]);
    world.service.keyLog = entry;
    return { number: 1, hash: await hashOf(entry.split("\n")[0] ?? "") };
  }
}
