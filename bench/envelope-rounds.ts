import {
  createListEntry,
  formatNames,
  generatePersonalKey,
  importSigningKey,
  type NameText,
  openEnvelope,
  RefusalError,
  sealEnvelope,
  toFormKey,
  type VerifiedList,
  verifyList,
} from "../packages/envelope/src/index.ts";
import { createId, generateKeyPair } from "../packages/wire/src/index.ts";

/** Milliseconds of each round, and the bytes of the envelope. */
export interface EnvelopeTimes {
  readonly make: readonly number[];
  readonly open: readonly number[];
  readonly check: readonly number[];
  readonly bytes: number;
}

/**
 * An envelope for `readers` with hybrid keys, made and opened with the last reader's key, and the list of them checked; in Node
 * and in a page alike. Rounds of all three follow each other, after one to warm up.
 */
export async function runRounds(readers: number, rounds: number): Promise<EnvelopeTimes> {
  const organizationId = createId("account");
  const people = await Promise.all(
    Array.from({ length: readers }, async (_, index) => ({
      id: createId("account", 1_700_000_000_000 + index),
      key: await generatePersonalKey(),
    })),
  );
  const [owner, last] = [people[0], people.at(-1)];
  if (owner === undefined || last === undefined) throw new Error("There are some");
  const signer = { id: owner.id, signingKey: await importSigningKey(owner.key.signingSeed) };
  const trust = { signingKey: owner.key.signingKey };
  let text = "";
  const lines: NameText[] = [];
  const check = async () => {
    const names = new TextEncoder().encode(formatNames(organizationId, lines));
    return whole(await verifyList(new TextEncoder().encode(text), { organizationId, trust, names }));
  };
  for (const { id, key } of people) {
    const role = id === owner.id ? "owner" : "reader";
    const member = { id, name: `Reader ${id}`, role, recipient: key.recipient, signingKey: key.signingKey } as const;
    const before: VerifiedList | undefined = text === "" ? undefined : await check();
    const { entry, names } = await createListEntry(before, organizationId, { change: "add", member }, signer);
    text += entry;
    lines.push(...names);
  }
  const { privateKey } = await generateKeyPair();
  const form = await toFormKey(1, privateKey);
  const formId = createId("form");
  const list = await check();
  const readerIds = people.map(({ id }) => id);
  const make = () => sealEnvelope({ list, signer, formId, readerIds, keys: [form] });
  const times = { make: [] as number[], open: [] as number[], check: [] as number[] };
  let bytes = 0;
  for (let round = -1; round < rounds; round++) {
    const start = performance.now();
    const { file } = await make();
    const made = performance.now();
    whole(await openEnvelope(file, last.key.identity, { formId, firstVersion: 1, revision: 1, list }));
    const opened = performance.now();
    await check();
    const checked = performance.now();
    bytes = file.length;
    if (round < 0) continue;
    times.make.push(made - start);
    times.open.push(opened - made);
    times.check.push(checked - opened);
  }
  return { ...times, bytes };
}

function whole<Value>(value: Value | RefusalError): Value {
  if (value instanceof RefusalError) throw value;
  return value;
}
