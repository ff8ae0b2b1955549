import type { EnvelopeHead, PublishedKey } from "../envelope-checks.ts";
import { hashOf } from "../text.ts";
import { type EnvelopeMaker, headOfEnvelope, toFormKey, toVector } from "./envelope-maker.ts";
import type { EnvelopeVector } from "./envelope-vectors.ts";
import { createList, headOf, steps } from "./list-maker.ts";
import { idOf, organizationId, otherOrganizationId } from "./people.ts";

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
  const afterFirst = { revision: 2, newest: head } as const;
  const two = [toFormKey(1, "small"), toFormKey(2, "first")];
  const withTwo = await opened("envelope: two key versions", { content: { keys: two } });
  const toUnpublished = (seen: EnvelopeHead) => ({
    ...seen,
    keys: seen.keys.map((key) => ({ ...key, isPublished: key.version === 1 })),
  });
  const withUnpublished = { ...toUnpublished(withTwo.head ?? head), hash: head.hash };
  const seenAgain = await opened(
    "envelope: a key that was never published is seen again, and nobody has asked the service",
    { content: { ...second, keys: two } },
    { revision: 2, newest: withUnpublished },
  );
  const three = [toFormKey(1, "small"), toFormKey(2, "first", true), toFormKey(4, "second")];
  const log = { number: 3, hash: await hashOf("the third entry") };
  const withLog = await opened("envelope: with a key log", { content: { keyLog: log } }, { keyLog: [log] });
  if (withLog.head === undefined) throw new Error("It opened");
  const afterLog = { revision: 2, previous: withLog.head.hash };
  return [
    first,
    await opened("envelope: for the recovery key", {}, { reader: "recovery" }),
    await opened("envelope: for a program", { readers: ["owner", "program", "recovery"] }, { reader: "program" }),
    await opened("envelope: an RSA and a hybrid key", { content: { keys: [toFormKey(1, "small", true)] } }),
    await opened("envelope: three key versions", { content: { keys: three } }),
    await opened("envelope: from the third key version on", { content: { keys: [toFormKey(3, "small")] } }),
    await opened(
      "envelope: versions 33 and 64",
      { content: { firstVersion: 33, keys: [toFormKey(33, "small"), toFormKey(64, "first")] } },
      { firstVersion: 33 },
    ),
    withLog,
    await opened(
      "envelope: the revision after one with a key log, by an owner who has given it up",
      { content: afterLog },
      { revision: 2, newest: withLog.head },
    ),
    await opened("envelope: handed over by an owner", { content: { handedTo: "acc_01hk153x00e5rbcwg8rxcnh8w1" } }),
    await opened("envelope: a form's name of 100 characters", { content: { formName: "n".repeat(100) } }),
    await opened(
      "envelope: the last revision of managers",
      { by: "manager", content: { revision: 1610612735, previous: head.hash } },
      { revision: 1610612735 },
    ),
    await opened(
      "envelope: the last revision of all, by an owner",
      { content: { revision: 2147483647, previous: head.hash } },
      { revision: 2147483647 },
    ),
    await opened(
      "envelope: the next revision by a manager, who puts all readers there",
      { by: "manager", content: second },
      afterFirst,
    ),
    await opened(
      "envelope: the next revision by a manager, with readers whom the owner has put there",
      { by: "manager", readersBy: "owner", content: second },
      afterFirst,
    ),
    await opened("envelope: as many bytes of extensions as there may be", {
      content: { extensions: { a: "x".repeat(8182) } },
    }),
    await opened("envelope: signed by a manager", { by: "manager" }),
    { ...first, name: "envelope: the revision that was seen", newest: head },
    await opened("envelope: the revision after the one that was seen", { content: second }, afterFirst),
    await opened(
      "envelope: a hybrid key is added",
      { content: { ...second, keys: [toFormKey(1, "small", true)] } },
      afterFirst,
    ),
    await opened("envelope: a key version is added", { content: { ...second, keys: three } }, afterFirst),
    withTwo,
    { ...seenAgain, head: toUnpublished(seenAgain.head ?? head) },
    publishedIn(
      await opened("envelope: two key versions of three are published", { content: { keys: three } }),
      [1, 4],
    ),
    publishedIn(
      await opened("envelope: another key of its version than the one that is published", {
        content: { keys: [toFormKey(1, "small"), toFormKey(2, "second")] },
      }),
      [1],
      [{ version: 2, fingerprint: toFormKey(2, "first").fingerprint }],
    ),
    publishedIn(
      await opened(
        "envelope: a key that was seen as published is in the service's list no longer",
        { content: second },
        afterFirst,
      ),
      [1],
      [],
      [],
    ),
    publishedIn(
      await opened(
        "envelope: a key that was never published was left out",
        { content: second },
        { revision: 2, newest: withUnpublished },
      ),
      [1],
    ),
    publishedIn(
      await opened(
        "envelope: another key in the place of one that was never published",
        { content: { ...second, keys: [toFormKey(1, "small"), toFormKey(2, "second")] } },
        { revision: 2, newest: withUnpublished },
      ),
      [1, 2],
    ),
    await opened(
      "envelope: the next revision by an owner who does not read the one before",
      { content: second },
      { revision: 2, newest: { ...head, readers: head.readers.filter(({ id }) => id !== idOf("owner")) } },
    ),
    await opened(
      "envelope: revisions between were not seen",
      { content: { revision: 7, previous: head.hash.replace(/^./, "A") } },
      { revision: 7, newest: head },
    ),
    await opened(
      "envelope: revisions between were not seen, by a manager who reads the one that was",
      { by: "manager", readersBy: "owner", content: { revision: 7, previous: head.hash.replace(/^./, "A") } },
      { revision: 7, newest: head },
    ),
    await opened(
      "envelope: revisions between were not seen, by an owner who does not read the one that was",
      { content: { revision: 7, previous: head.hash.replace(/^./, "A") } },
      { revision: 7, newest: { ...head, readers: head.readers.filter(({ id }) => id !== idOf("owner")) } },
    ),
    await opened(
      "envelope: the next revision by an owner who has left since, and does not read the one before",
      { readers: ["owner", "manager", "recovery"], content: { ...second, list: await headOf(year, 10) } },
      {
        reader: "recovery",
        list: "a year of a council",
        outdated: [idOf("owner")],
        revision: 2,
        newest: { ...head, readers: head.readers.filter(({ id }) => id !== idOf("owner")) },
      },
    ),
    ...(await ofSeenForms(head, opened)),
    ...(await ofIntroducers(head, opened)),
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

type MakeOpened = (
  name: string,
  draft?: Parameters<EnvelopeMaker["make"]>[1],
  rest?: Partial<EnvelopeVector>,
) => Promise<EnvelopeVector>;

/** Envelopes whose readers somebody has put there before. */
async function ofIntroducers(head: EnvelopeHead, opened: MakeOpened): Promise<readonly EnvelopeVector[]> {
  const year = await createList(steps.year);
  const inNameOf = (by: string | null, one = head) => ({ ...one, readers: one.readers.map(({ id }) => ({ id, by })) });
  const manager = idOf("manager");
  const second = { revision: 2, previous: head.hash };
  const seventh = { revision: 7, previous: head.hash };
  const next = { firstVersion: 33, keys: [toFormKey(33, "small")] };
  const unproven = (vector: EnvelopeVector) => ({ ...vector, head: inNameOf(null, vector.head) });
  const byManager = { readersBy: "manager" } as const;
  const later = async (listNumber: number) => ({
    readers: ["second owner", "manager", "recovery"] as const,
    ...({ by: "second owner", readersBy: "owner" } as const),
    content: { ...second, list: await headOf(year, listNumber) },
  });
  const ofThree = {
    ...head,
    readers: (["second owner", "manager", "recovery"] as const).map((id) => ({ id: idOf(id), by: idOf("owner") })),
  };
  const ofYear = { reader: "recovery", list: "a year of a council", revision: 2, newest: ofThree } as const;
  return [
    unproven(
      await opened(
        "envelope: readers in another name, after revisions that were not seen",
        { ...byManager, content: seventh },
        { revision: 7, newest: head },
      ),
    ),
    await opened(
      "envelope: readers in the same name, after revisions that were not seen",
      { ...byManager, content: seventh },
      { revision: 7, newest: inNameOf(manager) },
    ),
    unproven(
      await opened(
        "envelope: readers whom nobody is known to have put there",
        { ...byManager, content: second },
        { revision: 2, newest: inNameOf(null) },
      ),
    ),
    await opened(
      "envelope: readers whom nobody is known to have put there, confirmed by the signer",
      { content: second },
      { revision: 2, newest: inNameOf(null) },
    ),
    unproven(
      await opened(
        "envelope: another one of the form, with readers in another name",
        { ...byManager, content: next },
        { firstVersion: 33, others: [head] },
      ),
    ),
    await opened(
      "envelope: another one of the form, with readers in the same name",
      { ...byManager, content: next },
      { firstVersion: 33, others: [inNameOf(manager)] },
    ),
    unproven(
      await opened(
        "envelope: after a form was handed over, readers in the same name",
        { ...byManager, content: second },
        {
          revision: 2,
          newest: { ...inNameOf(manager), organizationId: otherOrganizationId, handedTo: organizationId },
        },
      ),
    ),
    unproven(await opened("envelope: readers in the name of an owner who was removed since", await later(11), ofYear)),
    await opened("envelope: readers in the name of an owner who was removed later", await later(10), ofYear),
  ];
}

/** Envelopes of forms of which others were seen, or which come from another organization. */
async function ofSeenForms(head: EnvelopeHead, opened: MakeOpened): Promise<readonly EnvelopeVector[]> {
  const without = (who: "owner" | "manager") => ({
    ...head,
    readers: head.readers.filter(({ id }) => id !== idOf(who)),
  });
  const later = { list: { number: 7, hash: await hashOf("the seventh") } };
  const former = { organizationId: otherOrganizationId, handedTo: organizationId };
  const next = { firstVersion: 33, keys: [toFormKey(33, "small")] };
  const nextButOne = { firstVersion: 65, keys: [toFormKey(65, "small")] };
  const ofNext = { firstVersion: 33 };
  const second = { revision: 2, previous: head.hash };
  return [
    await opened(
      "envelope: another one of the form, by an owner who does not read it",
      { content: next },
      { ...ofNext, others: [without("owner")] },
    ),
    await opened(
      "envelope: another one of the form, by a manager who reads it",
      { by: "manager", content: next },
      { ...ofNext, others: [head] },
    ),
    await opened(
      "envelope: another one of the form, by a manager who reads the last one alone",
      { by: "manager", content: nextButOne },
      { firstVersion: 65, others: [{ ...head, firstVersion: 33 }, without("manager")] },
    ),
    await opened(
      "envelope: another one of the form, after one of a later list that was opened now",
      { content: next },
      { ...ofNext, others: [{ ...head, ...later, isOpenedNow: true }] },
    ),
    await opened(
      "envelope: the next revision, of an older list than an envelope before it",
      { content: { ...next, ...second } },
      { ...ofNext, revision: 2, newest: { ...head, firstVersion: 33, keys: [] }, others: [{ ...head, ...later }] },
    ),
    await opened(
      "envelope: an earlier one of the form, of an older list",
      {},
      { others: [{ ...head, ...later, firstVersion: 33, keyLog: later.list }] },
    ),
    await opened(
      "envelope: an earlier one of the form, of an older key log, by a manager",
      { by: "manager" },
      { others: [{ ...head, firstVersion: 33, keyLog: later.list }] },
    ),
    await opened(
      "envelope: the next revision, after a form was handed over",
      { content: second },
      { revision: 2, newest: { ...head, ...later, ...former } },
    ),
    await opened(
      "envelope: another one of the form that was handed over",
      { content: next },
      { ...ofNext, others: [{ ...head, ...later, ...former }] },
    ),
  ];
}

/**
 * With the service's list of keys, in which those of these versions are, and others. `listed`: the versions that it lists, if not all that count as
 * published.
 */
function publishedIn(
  vector: EnvelopeVector,
  versions: readonly number[],
  others: readonly PublishedKey[] = [],
  listed = versions,
): EnvelopeVector {
  const { head } = vector;
  if (head === undefined) throw new Error("It opened");
  const keys = head.keys.map((key) => ({ ...key, isPublished: versions.includes(key.version) }));
  const ofEnvelope = keys.filter(({ version }) => listed.includes(version));
  const published = [...ofEnvelope.map(({ version, fingerprint }) => ({ version, fingerprint })), ...others];
  return { ...vector, published, head: { ...head, keys } };
}
