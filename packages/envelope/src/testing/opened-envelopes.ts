import { type EnvelopeMaker, headOfEnvelope, toFormKey, toVector } from "./envelope-maker.ts";
import type { EnvelopeVector } from "./envelope-vectors.ts";
import { createList, headOf, steps } from "./list-maker.ts";
import { idOf } from "./people.ts";

/** Envelopes that open. */
export async function openedEnvelopes(maker: EnvelopeMaker): Promise<readonly EnvelopeVector[]> {
  const year = await createList(steps.year);
  const opened = async (
    name: string,
    draft?: Parameters<EnvelopeMaker["make"]>[1],
    rest: Partial<EnvelopeVector> = {},
  ) => {
    const file = await maker.make(name, draft);
    const reader = rest.reader ?? "reader";
    return toVector(name, file, { outdated: [], ...rest, outcome: "opened", head: await headOfEnvelope(file, reader) });
  };
  const first = await opened("envelope: one key version");
  const { head } = first;
  if (head === undefined) throw new Error("It opened");
  const second = { revision: 2, previous: head.hash };
  const three = [toFormKey(1, "small"), toFormKey(2, "first", true), toFormKey(4, "second")];
  return [
    first,
    await opened("envelope: for the recovery key", {}, { reader: "recovery" }),
    await opened("envelope: for a program", { readers: ["owner", "program", "recovery"] }, { reader: "program" }),
    await opened("envelope: an RSA and a hybrid key", { content: { keys: [toFormKey(1, "small", true)] } }),
    await opened("envelope: three key versions", { content: { keys: three } }),
    await opened(
      "envelope: from the third key version on",
      { content: { keys: [toFormKey(3, "small")] } },
      { firstVersion: 3 },
    ),
    await opened("envelope: as many bytes of extensions as there may be", {
      content: { extensions: { a: "x".repeat(8182) } },
    }),
    await opened("envelope: signed by a manager", { by: "manager" }),
    { ...first, name: "envelope: the revision that was seen", newest: head },
    await opened("envelope: the revision after the one that was seen", { content: second }, { newest: head }),
    await opened(
      "envelope: a hybrid key is added",
      { content: { ...second, keys: [toFormKey(1, "small", true)] } },
      { newest: head },
    ),
    await opened("envelope: a key version is added", { content: { ...second, keys: three } }, { newest: head }),
    await opened(
      "envelope: revisions between were not seen",
      { content: { revision: 7, previous: head.hash.replace(/^./, "A") } },
      { newest: head },
    ),
    await opened(
      "envelope: written before members changed",
      {},
      {
        reader: "recovery",
        list: "a year of a council",
        outdated: [idOf("owner"), idOf("reader")],
      },
    ),
    await opened(
      "envelope: readers with hybrid keys",
      {
        readers: ["hybrid owner", "hybrid reader", "hybrid recovery"],
        by: "hybrid owner",
        content: { list: await headOf(await createList(steps.hybrid)), keys: [toFormKey(1, "small", true)] },
      },
      { reader: "hybrid reader", list: "hybrid keys" },
    ),
    await opened(
      "envelope: a later list of the same organization",
      {
        by: "second owner",
        readers: ["second owner", "manager", "recovery"],
        content: { list: await headOf(year) },
      },
      { reader: "recovery", list: "a year of a council" },
    ),
  ];
}
