import { type EnvelopeHead, type PublishedKey, toReader } from "../envelope-checks.ts";
import { hashOf } from "../text.ts";
import { council, type EnvelopeMaker, headOfEnvelope, toFormKey, toVector } from "./envelope-maker.ts";
import type { EnvelopeVector } from "./envelope-vectors.ts";
import { createList, headOf, steps } from "./list-maker.ts";
import { idOf, type Person, toMember } from "./people.ts";

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
    const head = await headOfEnvelope(file, reader);
    return toVector(name, file, {
      outdated: [],
      isByFormer: false,
      published: listed(head.keys),
      ...rest,
      outcome: "opened",
      head,
    });
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
  const toAhead = (seen: EnvelopeHead) => ({
    ...seen,
    keys: seen.keys.map((key) => (key.isPublished ? key : { ...key, isAhead: true })),
  });
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
    await opened("envelope: a form's name of 100 characters", { content: { formName: "n".repeat(100) } }),
    keptFrom(
      head,
      await opened(
        "envelope: the last revision of managers",
        { by: "manager", content: { revision: 1610612735, previous: head.hash } },
        { revision: 1610612735, newest: { ...head, revision: 1610612734 } },
      ),
    ),
    await opened(
      "envelope: the last revision of all, by an owner",
      { content: { revision: 2147483647, previous: head.hash } },
      { revision: 2147483647, newest: { ...head, revision: 2147483646 } },
    ),
    await opened(
      "envelope: as far as a revision may be, at the first sight",
      { content: { revision: 1048576, previous: head.hash } },
      { revision: 1048576 },
    ),
    await opened(
      "envelope: as far as a revision may be above the one that was seen, by an owner",
      { content: { revision: 1048577, previous: head.hash } },
      { revision: 1048577, newest: head },
    ),
    keptFrom(
      head,
      await opened(
        "envelope: the next revision by a manager, in their own name for all readers",
        { by: "manager", content: second },
        afterFirst,
      ),
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
    await opened("envelope: no key", { content: { keys: [] } }),
    ...(await ofUnknownLists(head, opened)),
    ...(await ofHybridKeys(head, opened)),
    unasked(
      await opened(
        "envelope: a key that was never published is seen again, and nobody has asked the service",
        { content: { ...second, keys: two } },
        { revision: 2, newest: withUnpublished },
      ),
      [1],
    ),
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
        "envelope: the right seed in the place of one that was not remembered",
        { content: second },
        { revision: 2, newest: { ...head, keys: head.keys.map((key) => ({ ...key, seedHash: null })) } },
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
        "envelope: a key that was seen ahead of its time was left out, and the service lists it by now",
        { content: second },
        { revision: 2, newest: toAhead(withUnpublished) },
      ),
      [1],
      listed(withUnpublished.keys.slice(1)),
    ),
    publishedIn(
      await opened(
        "envelope: a key above all that were seen as published was left out, and the service lists it by now",
        { content: second },
        { revision: 2, newest: withUnpublished },
      ),
      [1],
      listed(withUnpublished.keys.slice(1)),
    ),
    publishedIn(
      await opened(
        "envelope: a key was left out where none was seen as published, and the service lists it by now",
        { content: second },
        {
          revision: 2,
          newest: { ...withUnpublished, keys: withUnpublished.keys.map((key) => ({ ...key, isPublished: false })) },
        },
      ),
      [1],
      listed(withUnpublished.keys.slice(1)),
    ),
    unasked(
      await opened(
        "envelope: a key that was never published was left out, below one that was, and nobody has asked the service",
        { content: { ...second, keys: two.slice(1) } },
        {
          revision: 2,
          newest: {
            ...withUnpublished,
            keys: withUnpublished.keys.map((key) => ({ ...key, isPublished: key.version === 2 })),
          },
        },
      ),
      [2],
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
      "envelope: a key that the service denied is replaced by the published one of its version",
      { content: { ...second, keys: two } },
      {
        revision: 2,
        newest: {
          ...withUnpublished,
          keys: withUnpublished.keys.map((key) =>
            key.version === 1
              ? { ...key, fingerprint: toFormKey(1, "second").fingerprint, isPublished: false }
              : { ...key, isPublished: true },
          ),
        },
      },
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
    ...(await ofSeenForms(head, opened)),
    ...(await ofIntroducers(head, opened)),
    ...(await ofReturned(head, opened)),
    unproven(
      await opened(
        "envelope: written before members changed",
        {},
        {
          reader: "recovery",
          list: "a year of a council",
          outdated: [idOf("owner"), idOf("reader")],
          isByFormer: true,
        },
      ),
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

/** Envelopes of which nobody has asked the service which keys are published: none becomes so. */
async function ofUnknownLists(head: EnvelopeHead, opened: MakeOpened): Promise<readonly EnvelopeVector[]> {
  const two = [toFormKey(1, "small"), toFormKey(2, "first")];
  return [
    unasked(await opened("envelope: the first sight of a form, and nobody has asked the service"), []),
    unasked(
      await opened(
        "envelope: a key version is added, and nobody has asked the service",
        { content: { revision: 2, previous: head.hash, keys: two } },
        { revision: 2, newest: head },
      ),
      [1],
    ),
  ];
}

/** Envelopes whose hybrid key is not the one that the service lists. */
async function ofHybridKeys(head: EnvelopeHead, opened: MakeOpened): Promise<readonly EnvelopeVector[]> {
  const rsa = { version: 1, fingerprint: toFormKey(1, "small").fingerprint };
  const hybrid = { keys: [toFormKey(1, "small", true)] };
  const added = await opened(
    "envelope: a hybrid key is added that the service does not list",
    { content: { revision: 2, previous: head.hash, ...hybrid } },
    { revision: 2, newest: head, published: [rsa] },
  );
  return [
    { ...added, head: { ...(added.head ?? head), keys: head.keys } },
    withoutHybrid(
      publishedIn(
        await opened("envelope: another hybrid key than the one that is published", { content: hybrid }),
        [1],
        [{ ...rsa, hybridFingerprint: head.hash }],
        [],
      ),
    ),
    withoutHybrid(
      publishedIn(await opened("envelope: a hybrid key where none is published", { content: hybrid }), [1], [rsa], []),
    ),
    withoutHybrid(
      publishedIn(
        await opened("envelope: a hybrid key where none is published, at the first sight, by a manager", {
          by: "manager",
          content: hybrid,
        }),
        [1],
        [rsa],
        [],
      ),
    ),
    unasked(await opened("envelope: a hybrid key, and nobody has asked the service", { content: hybrid }), []),
    await opened("envelope: a published hybrid key, at the first sight, by a manager", {
      by: "manager",
      content: hybrid,
    }),
    publishedIn(
      await opened("envelope: the RSA key of a version that is published with a hybrid key"),
      [1],
      [{ ...rsa, hybridFingerprint: head.hash }],
      [],
    ),
  ];
}

type MakeOpened = (
  name: string,
  draft?: Parameters<EnvelopeMaker["make"]>[1],
  rest?: Partial<EnvelopeVector>,
) => Promise<EnvelopeVector>;

/** Envelopes of readers and writers whom entries have taken out since, and who are what they were by now. */
async function ofReturned(head: EnvelopeHead, opened: MakeOpened): Promise<readonly EnvelopeVector[]> {
  const [returned, twoOwners] = [await createList(steps.returned), await createList(steps.owners)];
  const list = "members are taken out and let in again";
  const at = async (number: number) => ({ list: await headOf(returned, number) });
  const next = async (number: number) => ({ ...(await at(number)), revision: 2, previous: head.hash });
  const outdated = (...people: readonly Person[]) =>
    ({ reader: "recovery", list, outdated: people.map(idOf) }) as const;
  const content = await at(7);
  const seenAt = async (number: number) => ({ revision: 2, newest: { ...head, ...(await at(number)) } });
  const byManager = { by: "manager", readers: ["owner", "recovery"], readersBy: "owner" } as const;
  const ofAll = ["owner", "reader", "second reader", "program", "recovery"] as const;
  const kept = new Set<Person>(["owner", "recovery"]);
  const toSeen = (who: Person, isKept = true) => ({ id: idOf(who), by: isKept ? idOf("owner") : null });
  const ofLetIn = { readers: ofAll, readersBy: "manager", content: await next(17) } as const;
  const beforeLetIn = {
    ...{ ...outdated(), revision: 2, newest: { ...head, ...(await at(7)), readers: ofAll.map((who) => toSeen(who)) } },
  };
  const letIn = await opened(
    "envelope: the next revision, with readers who were let in again since the one that was seen, in another name",
    ofLetIn,
    beforeLetIn,
  );
  const afterPassed = await opened(
    "envelope: the revision after one that is passed, with readers who were let in again since the one that was seen",
    ofLetIn,
    { ...beforeLetIn, isPassed: true },
  );
  const isRenewed = { isByFormer: true, list: "a member who was let in again has other keys" } as const;
  const withProgram = ["owner", "program", "recovery"] as const;
  const added = await opened(
    "envelope: a new reader in the name of a manager who has given themself other keys since",
    { by: "manager", readers: withProgram, content: await next(17) },
    { ...outdated(), ...(await seenAt(17)), ...isRenewed },
  );
  return [
    await opened(
      "envelope: before a reader was removed, who is in the list again",
      { readers: ["owner", "reader", "recovery"], content },
      outdated("reader"),
    ),
    await opened(
      "envelope: before a reader had a role that reads nothing, who reads again",
      { readers: ["owner", "second reader", "recovery"], content },
      outdated("second reader"),
    ),
    await opened(
      "envelope: before a reader had another key, who has the first one again",
      { readers: ["owner", "program", "recovery"], content },
      outdated("program"),
    ),
    unproven(
      await opened(
        "envelope: before its writer had another signing key, who has the first one again",
        { readers: ["owner", "recovery"], by: "manager", content: await at(15) },
        { ...outdated(), isByFormer: true },
      ),
    ),
    unproven(
      await opened(
        "envelope: before its writer, who does not read it, was removed, and is in the list again",
        { by: "second owner", readers: ["owner", "recovery"], content: { list: await headOf(twoOwners) } },
        { ...outdated(), isByFormer: true, list: "an owner is removed and let in again" },
      ),
    ),
    unproven(
      await opened(
        "envelope: readers in the name of a manager who has given themself other keys since, at the first sight",
        { by: "manager", readers: ["owner", "recovery"], content: await at(17) },
        { ...outdated(), ...isRenewed },
      ),
    ),
    {
      ...added,
      head: {
        ...(added.head ?? head),
        readers: withProgram.map((who) =>
          who === "program" ? { ...toSeen(who, false), isDoubtful: true } : toSeen(who),
        ),
      },
    },
    await opened(
      "envelope: after readers were let in again",
      { readers: ["owner", "manager", "reader", "second reader", "program", "recovery"], content: await at(17) },
      outdated(),
    ),
    { ...letIn, head: { ...(letIn.head ?? head), readers: ofAll.map((who) => toSeen(who, kept.has(who))) } },
    {
      ...afterPassed,
      head: {
        ...(afterPassed.head ?? head),
        readers: ofAll.map((who) => (kept.has(who) ? toSeen(who) : { ...toSeen(who, false), isDoubtful: true })),
      },
    },
    await opened(
      "envelope: the next revision by a manager, of a list before they were removed and let in again",
      { ...byManager, content: await next(13) },
      { ...outdated(), isByFormer: true, ...(await seenAt(7)) },
    ),
    await opened(
      "envelope: the next revision by a manager who was let in again before the one that was seen",
      { ...byManager, content: await next(17) },
      { ...outdated(), ...(await seenAt(15)) },
    ),
    await opened(
      "envelope: the next revision by a manager who has given themself other keys since",
      {
        ...byManager,
        signWith: "hybrid owner, second key",
        content: { ...(await next(17)), list: await headOf(await createList(steps.renewed)) },
      },
      { ...outdated(), list: "a member who was let in again has other keys", ...(await seenAt(17)) },
    ),
  ];
}

const byId = <Seen extends { readonly id: string }>(readers: readonly Seen[]): readonly Seen[] =>
  readers.toSorted((one, other) => (one.id < other.id ? -1 : 1));

/** Envelopes whose readers somebody has put there before. */
async function ofIntroducers(head: EnvelopeHead, opened: MakeOpened): Promise<readonly EnvelopeVector[]> {
  const year = await createList(steps.year);
  const inNameOf = (by: string | null, one = head) => ({ ...one, readers: one.readers.map(({ id }) => ({ id, by })) });
  const manager = idOf("manager");
  const second = { revision: 2, previous: head.hash };
  const seventh = { revision: 7, previous: head.hash };
  const next = { firstVersion: 33, keys: [toFormKey(33, "small")] };
  const afterFirst = { revision: 2, newest: head } as const;
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
  const ofNobody = {
    ...ofThree,
    readers: ofThree.readers.map(({ id, by }) => ({ id, by: id === manager ? by : null })),
  };
  const ofYear = { reader: "recovery", list: "a year of a council", revision: 2, newest: ofThree } as const;
  const byThemself = { ...(await later(10)), by: "manager", readersBy: "manager" } as const;
  const isAsked = { ...head, readers: head.readers.map(({ id, by }) => ({ id, by: id === manager ? null : by })) };
  const withProgram = { readers: ["owner", "manager", "reader", "program", "recovery"] } as const;
  const added = await opened(
    "envelope: a new reader in the name of somebody else",
    { ...withProgram, by: "manager", readersBy: "owner", content: second },
    afterFirst,
  );
  const earlier = await opened(
    "envelope: an earlier one of the form, with readers in the same name",
    { by: "manager", readersBy: "owner" },
    { others: [{ ...at33(head), readers: head.readers.filter(({ id }) => id !== manager) }] },
  );
  const byAsked = await opened(
    "envelope: readers in the name of a manager who is to be confirmed, by themself",
    { by: "manager", content: second },
    { revision: 2, newest: isAsked },
  );
  const byAskedLater = await opened(
    "envelope: readers in the name of a manager whom an owner has put there who was removed later, by themself",
    byThemself,
    { ...ofYear, newest: ofNobody },
  );
  const readers = await Promise.all(council.map(async (person) => toReader(await toMember(person), null)));
  const unsaid = await Promise.all(withProgram.readers.map(async (one) => toReader(await toMember(one), null)));
  const doubtful = { id: idOf("program"), by: null, isDoubtful: true };
  const withDoubtful = { ...head, readers: byId([...head.readers, doubtful]) };
  const stillDoubtful = await opened(
    "envelope: a reader who was doubtful, in the next revision of an owner who says nothing of them",
    { ...withProgram, content: { ...second, readers: unsaid } },
    { revision: 2, newest: withDoubtful },
  );
  const toDoubtful = (who: "manager" | "owner") => ({
    ...head,
    readers: head.readers.map((one) => (one.id === idOf(who) ? { id: one.id, by: null, isDoubtful: true } : one)),
  });
  const byDoubtful = await opened(
    "envelope: a new reader by a manager who is doubtful",
    { ...withProgram, by: "manager", content: second },
    { revision: 2, newest: toDoubtful("manager") },
  );
  const byDoubtfulOwner = await opened(
    "envelope: a new reader in the name of somebody else, by an owner who is doubtful",
    { ...withProgram, readersBy: "manager", content: second },
    { revision: 2, newest: toDoubtful("owner") },
  );
  const withNew = (from: EnvelopeHead, one: (typeof head.readers)[number]) => byId([...from.readers, one]);
  return [
    { ...byDoubtful, head: { ...(byDoubtful.head ?? head), readers: withNew(toDoubtful("manager"), doubtful) } },
    {
      ...byDoubtfulOwner,
      head: {
        ...(byDoubtfulOwner.head ?? head),
        readers: withNew(toDoubtful("owner"), { id: idOf("program"), by: null }),
      },
    },
    { ...stillDoubtful, head: { ...(stillDoubtful.head ?? head), readers: withDoubtful.readers } },
    await opened(
      "envelope: a reader who was doubtful, confirmed by the signer",
      { ...withProgram, content: second },
      { revision: 2, newest: withDoubtful },
    ),
    { ...earlier, head: { ...(earlier.head ?? head), readers: isAsked.readers } },
    await opened("envelope: readers in nobody's name", { content: { readers } }),
    unproven(
      await opened("envelope: readers in the name of an owner, at the first sight of a manager's", {
        ...{ by: "manager", readersBy: "owner" },
      }),
    ),
    await opened("envelope: readers in the name of a manager, at the first sight of an owner's", byManager),
    keptFrom(
      head,
      await opened(
        "envelope: readers in nobody's name, after a revision",
        { content: { ...second, readers } },
        afterFirst,
      ),
    ),
    keptFrom(
      head,
      await opened("envelope: readers in the name of somebody else", { ...byManager, content: second }, afterFirst),
    ),
    keptFrom(
      inNameOf(manager),
      await opened(
        "envelope: readers in the name of the owner who signs, whom a manager has put there",
        { content: second },
        { revision: 2, newest: inNameOf(manager) },
      ),
    ),
    {
      ...added,
      head: {
        ...(added.head ?? head),
        readers: withProgram.readers.map((who) => ({ id: idOf(who), by: who === "program" ? null : idOf("owner") })),
      },
    },
    { ...byAsked, head: { ...(byAsked.head ?? head), readers: isAsked.readers } },
    { ...byAskedLater, head: { ...(byAskedLater.head ?? head), readers: ofNobody.readers } },
    unproven(
      await opened(
        "envelope: an earlier one of the form, by a manager who does not read the last one",
        { by: "manager" },
        { others: [{ ...at33(head), readers: head.readers.filter(({ id }) => id !== manager) }] },
      ),
    ),
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
    keptFrom(
      head,
      await opened(
        "envelope: another one of the form, with readers in another name",
        { ...byManager, content: next },
        { firstVersion: 33, others: [head] },
      ),
    ),
    unproven(
      await opened(
        "envelope: a later revision of another one of the form, with readers in another name",
        { ...byManager, content: { ...next, ...second } },
        { firstVersion: 33, revision: 2, others: [head] },
      ),
    ),
    unproven(
      await opened(
        "envelope: another one of the form above one that was refused, with readers in another name",
        { ...byManager, content: next },
        { firstVersion: 33, others: [head], isAboveRefused: true },
      ),
    ),
    unproven(
      await opened("envelope: an earlier one of the form, with readers in another name", byManager, {
        others: [at33(head)],
      }),
    ),
    await opened(
      "envelope: another one of the form, with readers in the same name",
      { ...byManager, content: next },
      { firstVersion: 33, others: [inNameOf(manager)] },
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
  const next = { firstVersion: 33, keys: [toFormKey(33, "small")] };
  const nextButOne = { firstVersion: 65, keys: [toFormKey(65, "small")] };
  const ofNext = { firstVersion: 33 };
  const second = { revision: 2, previous: head.hash };
  const { head: of33 = head } = await opened(
    "envelope: another one of the form, seen before",
    { content: next },
    ofNext,
  );
  return [
    await opened(
      "envelope: another one of the form, by an owner who does not read it",
      { content: next },
      { ...ofNext, others: [without("owner")] },
    ),
    keptFrom(
      head,
      await opened(
        "envelope: another one of the form, by a manager who reads it",
        { by: "manager", content: next },
        { ...ofNext, others: [head] },
      ),
    ),
    await opened(
      "envelope: the second one of a form of which nothing was seen, by a manager",
      { by: "manager", content: next },
      ofNext,
    ),
    await opened(
      "envelope: the second one of a form of which nothing was seen, above one that was refused, by an owner",
      { content: next },
      { ...ofNext, isAboveRefused: true },
    ),
    await opened(
      "envelope: another one of the form above one that was refused, by an owner",
      { content: next },
      { ...ofNext, others: [head], isAboveRefused: true },
    ),
    await opened(
      "envelope: the next revision of one above one that was refused, by a manager",
      { by: "manager", readersBy: "owner", content: { ...next, ...second } },
      {
        ...{ ...ofNext, revision: 2, others: [head], isAboveRefused: true },
        newest: { ...head, firstVersion: 33, keys: [] },
      },
    ),
    publishedIn(
      await opened("envelope: without a published key, at the first sight, by an owner", {}),
      [1],
      [{ version: 2, fingerprint: toFormKey(2, "first").fingerprint }],
    ),
    publishedIn(
      await opened(
        "envelope: without a published key, once what was seen is put aside, by a manager",
        { by: "manager" },
        { isForgotten: true },
      ),
      [1],
      [{ version: 2, fingerprint: toFormKey(2, "first").fingerprint }],
    ),
    publishedIn(
      await opened("envelope: without the published key of another envelope, at the first sight, by a manager", {
        by: "manager",
      }),
      [1],
      [{ version: 33, fingerprint: toFormKey(33, "first").fingerprint }],
    ),
    publishedIn(
      await opened(
        "envelope: the next revision by a manager, without a published key that was not seen",
        { by: "manager", readersBy: "owner", content: second },
        { revision: 2, newest: head },
      ),
      [1],
      [{ version: 2, fingerprint: toFormKey(2, "first").fingerprint }],
    ),
    keptFrom(
      head,
      publishedIn(
        await opened(
          "envelope: without a published key, of one that an owner has begun",
          { content: next },
          { ...ofNext, others: [head] },
        ),
        [33],
        [{ version: 34, fingerprint: toFormKey(34, "first").fingerprint }],
      ),
    ),
    unasked(
      await opened(
        "envelope: another one of the form, by an owner, and nobody has asked the service",
        { content: next },
        { ...ofNext, others: [head] },
      ),
      [],
    ),
    publishedIn(
      await opened(
        "envelope: another one of the form, where the service lists no key",
        { content: next },
        { ...ofNext, others: [head] },
      ),
      [],
    ),
    publishedIn(
      await opened(
        "envelope: one that was seen, of which the service denies all keys",
        { content: { ...next, ...second } },
        { ...ofNext, revision: 2, newest: { ...head, firstVersion: 33, keys: of33.keys } },
      ),
      [33],
      [{ version: 1, fingerprint: toFormKey(1, "small").fingerprint }],
      [],
    ),
    publishedIn(
      await opened(
        "envelope: another one of the form below one that was seen, where the service denies the keys of both",
        { content: next },
        { ...ofNext, others: [{ ...head, firstVersion: 65, keys: head.keys.map((key) => ({ ...key, version: 65 })) }] },
      ),
      [],
      [{ version: 1, fingerprint: toFormKey(1, "small").fingerprint }],
      [],
    ),
    keptFrom(
      head,
      await opened(
        "envelope: another one of the form, by a manager who reads the last one alone",
        { by: "manager", content: nextButOne },
        { firstVersion: 65, others: [at33(head), without("manager")] },
      ),
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
      { others: [{ ...at33(head), ...later, keyLog: later.list }] },
    ),
    await opened(
      "envelope: an earlier one of the form, of an older key log, by a manager",
      { by: "manager" },
      { others: [{ ...at33(head), keyLog: later.list }] },
    ),
  ];
}

/** As that of the envelope of version 33, whose key was seen as published. */
function at33(head: EnvelopeHead): EnvelopeHead {
  return { ...head, firstVersion: 33, keys: head.keys.map((key) => ({ ...key, version: 33 })) };
}

/** The hybrid keys that the service does not list are not remembered. */
function withoutHybrid(vector: EnvelopeVector): EnvelopeVector {
  const { head } = vector;
  if (head === undefined) throw new Error("It opened");
  return { ...vector, head: { ...head, keys: head.keys.map((key) => ({ ...key, hybridFingerprint: null })) } };
}

/** Nothing proves who has put its readers there. */
function unproven(vector: EnvelopeVector): EnvelopeVector {
  const { head } = vector;
  if (head === undefined) throw new Error("It opened");
  return { ...vector, head: { ...head, readers: head.readers.map(({ id }) => ({ id, by: null })) } };
}

/** With the members who have put its readers there by what was seen. */
export function keptFrom(before: Pick<EnvelopeHead, "readers">, vector: EnvelopeVector): EnvelopeVector {
  const { head } = vector;
  if (head === undefined) throw new Error("It opened");
  const known = new Map(before.readers.map(({ id, by }) => [id, by]));
  return { ...vector, head: { ...head, readers: head.readers.map(({ id, by }) => ({ id, by: known.get(id) ?? by })) } };
}

/**
 * With the service's list of keys, in which those of these versions are, and others. `inList`: the versions that it lists, if not all that count as
 * published.
 */
function publishedIn(
  vector: EnvelopeVector,
  versions: readonly number[],
  others: readonly PublishedKey[] = [],
  inList = versions,
): EnvelopeVector {
  const { head } = vector;
  if (head === undefined) throw new Error("It opened");
  const keys = head.keys.map((key) => ({ ...key, isPublished: versions.includes(key.version) }));
  const published = [...listed(keys.filter(({ version }) => inList.includes(version))), ...others];
  return { ...vector, published, head: { ...head, keys } };
}

/** Without the service's list of keys; those of these versions were seen as published. */
function unasked(vector: EnvelopeVector, versions: readonly number[]): EnvelopeVector {
  const { published: _, ...rest } = publishedIn(vector, versions);
  return rest;
}

/** These keys as the service lists them. */
function listed(keys: EnvelopeHead["keys"]): readonly PublishedKey[] {
  return keys.map(({ version, fingerprint, hybridFingerprint }) => ({
    ...{ version, fingerprint },
    ...(hybridFingerprint !== null && { hybridFingerprint }),
  }));
}
