import { mutantsOf } from "../../../../tests/support/mutants.ts";

/** Mistakes that somebody could make who follows the revisions of an envelope; follow-cases.ts. */
export const followMutants = [
  ...mutantsOf("shown-key-log.ts", [
    [
      "managers go back to a log that was given up",
      "another key log than the head names, which was given up, by a manager",
      "if (kept === undefined && (isSame(keyLog, seen) || (await heads.isGivenUp(formId, keyLog)))) return",
      "if ((kept === undefined && isSame(keyLog, seen)) || (await heads.isGivenUp(formId, keyLog))) return",
    ],
    [
      "managers name any log that was seen",
      "another key log than the head names, which was seen, by a manager",
      'if (kept === undefined && (isSame(keyLog, seen) || (await heads.isGivenUp(formId, keyLog)))) return "shown";',
      'if (isSame(keyLog, seen) || (kept === undefined && (await heads.isGivenUp(formId, keyLog)))) return "shown";',
    ],
    [
      "owners do not leave the log that the head names",
      "another key log than the head names, which was given up, by an owner",
      "const kept = isByOwner ? undefined : await",
      "const kept = await",
    ],
    [
      "a log that was given up has to be shown",
      "a key log that was given up, where the head names none",
      "(isSame(keyLog, seen) || (await heads.isGivenUp(formId, keyLog)))",
      "isSame(keyLog, seen)",
    ],
    [
      "an envelope is begun with any log",
      "begun with another key log than the one below names",
      "const last = before ?? findLast(others.filter((other) => other.firstVersion < firstVersion));",
      "const last = before;",
    ],
    [
      "an envelope that is begun needs the log of the one below once more",
      "begun with the entry that the one below names",
      "if (isSame(keyLog, last?.keyLog))",
      "if (isSame(keyLog, before?.keyLog))",
    ],
  ]),
  ...mutantsOf("follow-envelope.ts", [
    [
      "missed revisions are not opened",
      "missed revisions, in order",
      "for (const revision of findMissed(newest, fetched)) {",
      "for (const revision of findMissed(undefined, fetched)) {",
    ],
    [
      "managers write after a gap",
      "after one that is refused, by a manager",
      "if (isAfterGap(seen, from))",
      "if (false)",
    ],
    [
      "what is gone leaves no gap",
      "after one that is gone, by a manager",
      "head.revision > newest.revision + 1 && !isByOwner",
      "head.revision > newest.revision + 2 && !isByOwner",
    ],
    [
      "owners do not write after a gap",
      "after one that is refused, by an owner",
      "head.revision > newest.revision + 1 && !isByOwner",
      "head.revision > newest.revision + 1",
    ],
    [
      "what comes after a gap opens nothing",
      "after one that is refused, by somebody who writes no longer",
      'return { firstVersion, reason: "other_previous", forReading: { ...seen, firstVersion, file } };',
      'return { firstVersion, reason: "other_previous" };',
    ],
    [
      "nothing is taken of somebody who writes no longer",
      "seen keys of somebody who writes no longer",
      "one.isByFormer && newest !== undefined && !hasKeys(seenBefore, one.head)",
      "one.isByFormer",
    ],
    [
      "new keys of somebody who writes no longer are taken",
      "new keys of somebody who writes no longer",
      "one.isByFormer && newest !== undefined && !hasKeys(seenBefore, one.head)",
      "false",
    ],
    [
      "after new keys of somebody who writes no longer there is a gap",
      "after new keys of somebody who writes no longer",
      'reason: "former_writer", passable };',
      'reason: "former_writer", passable: undefined };',
    ],
    [
      "somebody who writes no longer takes nobody out",
      "after new keys of somebody who writes no longer, by a reader whom they took out",
      "readers: readers.map(toReader)",
      "readers: before.readers",
    ],
    [
      "somebody who writes no longer lets nobody in",
      "after new keys of somebody who writes no longer, by a reader whom they put there",
      "readers: readers.map(toReader)",
      "readers: before.readers.filter(({ id }) => readers.some((its) => its.id === id))",
    ],
    ["key logs are not asked for", "a key log that nobody shows", 'if (named === "unshown")', "if (false)"],
    [
      "after a key log that nobody shows there is a gap",
      "after a key log that nobody shows",
      "forReading: { ...seen, firstVersion, file }, passable };",
      "forReading: { ...seen, firstVersion, file }, passable: undefined };",
    ],
    [
      "what comes after a gap is passed over",
      "after a gap, and new keys of somebody who writes no longer",
      "from && seen.head.revision === from.revision + 1 ?",
      "from ?",
    ],
    [
      "what opens by what was seen alone is passed over",
      "after two of somebody who writes no longer, the second by a reader whom the first took out",
      "from && seen.head.revision === from.revision + 1 ?",
      "from && seen.head.revision === (passed ?? from).revision + 1 ?",
    ],
    [
      "what an owner wrote after a gap is passed over",
      "after a gap, and an owner's key log that nobody shows",
      "from && seen.head.revision === from.revision + 1 ?",
      "from && (seen.isByOwner || seen.head.revision === from.revision + 1) ?",
    ],
    [
      "of two that nobody shows the last one counts",
      "after two key logs that nobody shows, by a reader whom the first took out",
      "const before = passed ?? (await findNewest(source, formId, firstVersion, stored)).newest;",
      "const before = (await findNewest(source, formId, firstVersion, stored)).newest;",
    ],
    [
      "what lacks a published key opens nothing",
      "a published key is missing",
      "const forReading = isRead && {",
      "const forReading = false && {",
    ],
    [
      "what lacks a published key opens with anybody's new ones",
      "a published key is missing, and there is a new one of somebody who writes no longer",
      "const isRead = !(rest instanceof RefusalError || isOfFormer(rest));",
      "const isRead = !(rest instanceof RefusalError);",
    ],
    [
      "a first sight that lacks a key opens nothing",
      "first sight lacks a published key",
      "await open(lacking, { isForgotten: true, ",
      "await open(lacking, { ",
    ],
    [
      "what was put aside is asked about again",
      "what was put aside lacks a published key",
      "      isForgotten,\n      isAboveRefused,",
      "      isAboveRefused,",
    ],
    [
      "what is above a refused one opens nothing",
      "above one that is refused",
      "(aside.isAboveRefused || isAhead)",
      "isAhead",
    ],
    [
      "what was begun ahead of its time opens nothing",
      "an envelope that no published version has reached",
      "(aside.isAboveRefused || isAhead)",
      "aside.isAboveRefused",
    ],
    [
      "what was begun ahead of its time is refused",
      "an envelope that no published version has reached",
      "if (!isAhead(firstVersion)) refused.push(one);",
      "refused.push(one);",
    ],
    [
      "what is above a refused one is remembered",
      "above one that is refused",
      "return { firstVersion, reason, ...(isUnseen && { isUnseen }), ...forReading };",
      "return forReading ? forReading.forReading : { firstVersion, reason };",
    ],
    [
      "what is refused is read above a refused one",
      "above one that is refused, by somebody who may not write",
      "const isRead = !(rest instanceof RefusalError || isOfFormer(rest));",
      "const isRead = true;",
    ],
    [
      "a first sight by somebody who writes no longer is remembered unasked",
      "first sight by somebody who writes no longer",
      "if (seen.isByFormer && newest === undefined && seen.head.hash !== source.lookedAt)",
      "if (false)",
    ],
    [
      "nobody can say that a first sight is right",
      "first sight by somebody who writes no longer, at which a person has looked",
      "newest === undefined && seen.head.hash !== source.lookedAt",
      "newest === undefined",
    ],
    [
      "an answer is about every revision",
      "first sight by somebody who writes no longer, where a person has looked at another revision",
      "seen.head.hash !== source.lookedAt",
      "source.lookedAt === undefined",
    ],
    [
      "what somebody who writes no longer has begun is remembered unasked",
      "begun by somebody who writes no longer",
      "seen.isByFormer && newest === undefined &&",
      "seen.isByFormer && remembered.length === 0 &&",
    ],
    [
      "an answer is about new keys, too",
      "new keys of somebody who writes no longer, at which a person has looked",
      "if (isOfFormer(seen)) return",
      "if (isOfFormer(seen) && seen.head.hash !== source.lookedAt) return",
    ],
    [
      "a first sight by somebody who writes no longer opens nothing",
      "first sight by somebody who writes no longer",
      'reason: "former_writer", forReading: { ...asUnproved(seen), firstVersion, file } }',
      'reason: "former_writer" }',
    ],
    [
      "what was begun by somebody who writes no longer, and lacks a key, opens nothing",
      "begun by somebody who writes no longer, and lacks a published key",
      "one.isByFormer && newest !== undefined && !hasKeys",
      "one.isByFormer && !hasKeys",
    ],
    [
      "hidden envelopes are not missed",
      "the envelope is hidden",
      "expected.filter((version) => !shown.includes(version))",
      "expected.filter((version) => shown.includes(version))",
    ],
    ["removed envelopes are missed", "the envelope was removed here", "isRemoved ? [] : known", "known"],
  ]),
];

/** Mistakes in who of a begun envelope's readers is left out of the next revision. */
export const unknownMutants = [
  ...mutantsOf("introduced.ts", [
    [
      "readers of the one before are left out",
      "a reader of the last one before",
      "(known !== undefined && !known.has(id))",
      "known !== undefined",
    ],
    [
      "readers whom nobody put there stay",
      "a reader whom nobody put there",
      "(known !== undefined && !known.has(id))",
      "false",
    ],
    [
      "readers of somebody who has left are left out",
      "a reader whom somebody put there who is no member",
      "by === null && (isDoubtful",
      "(isDoubtful",
    ],
    [
      "owners are left out",
      "an owner whom nobody put there",
      "return findUnintroduced(list, head).filter((id) => unknown",
      "return [...unknown].filter((id) => unknown",
    ],
    [
      "the first envelope's readers are left out",
      "the only envelope of the form",
      "(known !== undefined && !known.has(id))",
      "!known?.has(id)",
    ],
    [
      "later envelopes count",
      "a reader of a later one, and not of the one before",
      "others.filter(({ firstVersion }) => firstVersion < head.firstVersion)",
      "others",
    ],
  ]),
];
