import type { EnvelopeHead } from "../envelope-checks.ts";
import { managersRevisionMax } from "../envelope-content.ts";
import type { EnvelopeReason } from "../refusal.ts";
import { hashOf } from "../text.ts";
import { type Draft, type EnvelopeMaker, headOfEnvelope, toFormKey, toVector } from "./envelope-maker.ts";
import type { EnvelopeVector } from "./envelope-vectors.ts";
import { createList, type FormerOwner, headOf, steps } from "./list-maker.ts";
import { keptFrom } from "./opened-envelopes.ts";
import { idOf } from "./people.ts";

// Each act that owners alone may do, by the second of two owners: on a device that knows nothing else, and on those that know an entry after which they are
// no owner, or were none for a while, or have another key.

interface Act {
  readonly content: Draft["content"];
  readonly refused: EnvelopeReason;
  readonly seen: Partial<EnvelopeVector>;
}

export async function formerOwnersEnvelopes(
  maker: EnvelopeMaker,
  { head: first }: EnvelopeVector,
): Promise<readonly EnvelopeVector[]> {
  if (first === undefined) throw new Error("It opened");
  const names = Object.keys(steps.formerOwners) as FormerOwner[]; // its keys
  const vectors: EnvelopeVector[] = [];
  for (const [index, [what, { content = {}, refused, seen }]] of Object.entries(await actsAfter(first)).entries()) {
    const list = await headOf(await createList(steps.owners));
    const readers = ["owner", "second owner", "reader", "recovery"] as const;
    const name = `envelope: ${what}, by an owner`;
    const file = await maker.make(name, { by: "second owner", readers, content: { list, ...content } });
    const { revision = 1, firstVersion = 1 } = content;
    const rest = { revision: Number(revision), firstVersion: Number(firstVersion), ...seen };
    const head = await headOfEnvelope(file, "reader");
    const keys = head.keys.map((key) => ({ ...key, isPublished: false }));
    const opened = {
      ...rest,
      list: "two owners",
      outdated: [],
      isByFormer: false,
      head: { ...head, keys },
      outcome: "opened",
    } as const;
    vectors.push(keptFrom(seen.newest ?? seen.others?.[0] ?? { readers: [] }, toVector(name, file, opened)));
    // Each act comes before one of these, and each of these after one act.
    for (const known of index === 0 ? names : names.slice(index - 1, index + 1))
      vectors.push(toVector(`${name}, and then ${known}`, file, { ...rest, list: known, outcome: refused }));
  }
  return vectors;
}

async function actsAfter(first: EnvelopeHead): Promise<Readonly<Record<string, Act>>> {
  const keys = first.keys.map((key) => ({ ...key, isPublished: false }));
  const head = { ...first, keys };
  const withOwner = { ...head, readers: [...head.readers, { id: idOf("second owner"), by: idOf("owner") }] };
  const second = { revision: 2, previous: head.hash };
  const log = { number: 3, hash: await hashOf("the third entry") };
  const earlier = { number: 2, hash: await hashOf("the second entry") };
  const next = { firstVersion: 33, keys: [toFormKey(33, "small")] };
  return {
    "the next revision of a form that they do not read": {
      content: second,
      refused: "not_allowed",
      seen: { newest: head },
    },
    "another one of a form that they do not read": { content: next, refused: "not_allowed", seen: { others: [head] } },
    "of no key log where there was one": {
      content: second,
      refused: "old_key_log",
      seen: { newest: { ...withOwner, keyLog: log } },
    },
    "of an older key log than the one that was seen": {
      content: { ...second, keyLog: earlier },
      refused: "old_key_log",
      seen: { newest: { ...withOwner, keyLog: log }, keyLog: [earlier, log] },
    },
    "the first revision of owners": {
      content: { revision: managersRevisionMax + 1, previous: head.hash },
      refused: "not_allowed",
      seen: { newest: { ...withOwner, revision: managersRevisionMax } },
    },
  };
}
