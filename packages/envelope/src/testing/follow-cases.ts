import type { FormId } from "@sealpost/wire";
import { type EnvelopeHead, isBeyond, type PublishedKey } from "../envelope-checks.ts";
import { type EnvelopeRequest, followEnvelopes } from "../follow-envelope.ts";
import { findUnknownReaders } from "../introduced.ts";
import type { VerifiedList } from "../list.ts";
import { type Reason, RefusalError } from "../refusal.ts";
import { createSeenHeads, findHead, type HeadStore } from "../seen-heads.ts";
import { formId } from "./envelope-maker.ts";
import { createLogOf } from "./key-logs.ts";
import { headOf } from "./list-maker.ts";
import { idOf, organizationId } from "./people.ts";

// A device follows revisions of an envelope that a service shows. How each opens is played here: what opening itself refuses is in envelopes.json.

/** The functions that cases try: ours, or those with a mistake in them. */
export interface Following {
  readonly followEnvelopes: typeof followEnvelopes;
  readonly findUnknownReaders: typeof findUnknownReaders;
}

export const oursFollowing: Following = { followEnvelopes, findUnknownReaders };

/** How a revision opens. */
export interface PlayedRevision {
  readonly by?: "owner" | "manager" | "former";
  readonly refused?: Reason;
  /** Key versions; the first one alone unless set. */
  readonly keys?: readonly number[];
  /** Another revision of its number. */
  readonly isOther?: true;
  /** It lacks published keys. */
  readonly lacks?: true;
  readonly readers?: readonly string[];
  /** The signer has to be among the readers that were seen. */
  readonly signer?: string;
  /** It names an entry of a key log that was seen, of others that the service does not show, of one that was given up, or of one that it shows, with versions 1 and 2, or 1 and 33. */
  readonly log?: "shown" | "hidden" | "current" | "given up" | Shown;
}

export interface FollowCase {
  readonly name: string;
  /** From revision 2 on, unless nothing was seen: then from 1 on. Absent ones are gone. */
  readonly revisions: Readonly<Record<number, PlayedRevision>>;
  readonly shown: number;
  /** Another envelope below: how it opens. Managers begin none above one that does not. */
  readonly below?: PlayedRevision;
  /** Versions that the service lists, the lowest of each envelope unless set. */
  readonly listed?: readonly number[] | "may not be read";
  /** The form was not seen (`nothing`), was put aside by a person, or was taken back to key files here. */
  readonly seen?: "nothing" | "put aside" | "removed";
  /** The key log whose entry the form head names. */
  readonly named?: "current";
  /** The key log that the service shows, where no revision names one that it shows. */
  readonly shownLog?: Shown;
  readonly isHidden?: true;
  /** The revision that was seen where the list could not be read. */
  readonly apart?: number;
  /** The revision of which a person has said that it is right. */
  readonly lookedAt?: number;
  /** Older revisions that the service lists. */
  readonly older?: readonly number[];
  readonly outcome: {
    readonly reason?: string;
    readonly forReading?: number;
    /** The revision that is remembered afterwards. */
    readonly remembered?: number;
    /** The one that is remembered as long as the service lists no version of the envelope. */
    readonly unlisted?: number;
    /** Nothing says who put the last signer there. */
    readonly isAsked?: true;
    /** Where older revisions are listed: versions for which nothing speaks but a former signer. */
    readonly unproven?: readonly number[];
    /** The key log as a person is shown it before they have looked at the revision. */
    readonly keyLog?: "none" | "shown" | "missing";
    /** The numbers of the revisions that were tried, once each. */
    readonly tried: readonly number[];
  };
}

const hash = (text: string) => text.padEnd(43, "A");
const keyOf = (version: number): EnvelopeHead["keys"][number] => ({
  ...{ version, fingerprint: hash(`${version}`), hybridFingerprint: null, seedHash: hash("S"), isPublished: true },
});

type Shown = "whole" | "reaching";
const logs = {
  whole: await createLogOf([1, 2].map(keyOf)),
  reaching: await createLogOf([1, 33].map(keyOf)),
} as const satisfies Readonly<Record<Shown, Awaited<ReturnType<typeof createLogOf>>>>;
const isShown = (log: PlayedRevision["log"]): log is Shown => log !== undefined && Object.hasOwn(logs, log);

function toHead(revision: number, { keys = [1], readers = ["ada", "bo"], log, isOther }: PlayedRevision): EnvelopeHead {
  const list = { number: 1, hash: hash("L") };
  const keyLog = log === undefined ? null : isShown(log) ? logs[log].last : { number: 1, hash: hash(log) };
  return {
    ...{
      organizationId,
      formId,
      formName: "Contact",
      firstVersion: 1,
      revision,
      hash: hash(`${isOther ? "other" : "r"}${revision}`),
      list,
      keyLog,
    },
    readers: readers.map((id) => ({ id, by: "ada" })),
    keys: keys.map(keyOf),
  };
}

const gap = "other_previous";

export const followCases: readonly FollowCase[] = [
  { name: "the next revision", revisions: { 2: {} }, shown: 2, outcome: { remembered: 2, tried: [2] } },
  {
    name: "missed revisions, in order",
    revisions: { 2: {}, 3: {}, 4: {} },
    shown: 4,
    outcome: { remembered: 4, tried: [2, 3, 4] },
  },
  {
    name: "after one that is refused, by a manager",
    revisions: { 2: { refused: "malformed" }, 3: {} },
    shown: 3,
    outcome: { reason: gap, forReading: 3, remembered: 1, tried: [2, 3] },
  },
  {
    name: "after one that is gone, by a manager",
    revisions: { 3: {} },
    shown: 3,
    outcome: { reason: gap, forReading: 3, remembered: 1, tried: [3] },
  },
  {
    name: "after one that is refused, by an owner",
    revisions: { 2: { refused: "malformed" }, 3: { by: "owner" } },
    shown: 3,
    outcome: { remembered: 3, tried: [2, 3] },
  },
  {
    name: "after one that is refused, by somebody who writes no longer",
    revisions: { 2: { refused: "malformed" }, 3: { by: "former" } },
    shown: 3,
    outcome: { reason: gap, forReading: 3, remembered: 1, tried: [2, 3] },
  },
  {
    name: "seen keys of somebody who writes no longer",
    revisions: { 2: { by: "former" } },
    shown: 2,
    outcome: { remembered: 2, tried: [2] },
  },
  {
    name: "a remembered revision of somebody who writes no longer, of which less was remembered than it has",
    revisions: { 1: { by: "former", keys: [1, 2] } },
    shown: 1,
    outcome: { remembered: 1, tried: [1] },
  },
  {
    name: "new keys of somebody who writes no longer",
    revisions: { 2: { by: "former", keys: [1, 2] } },
    shown: 2,
    outcome: { reason: "former_writer", remembered: 1, tried: [2] },
  },
  {
    name: "after new keys of somebody who writes no longer",
    revisions: { 2: { by: "former", keys: [1, 2] }, 3: { keys: [1, 2] } },
    shown: 3,
    outcome: { remembered: 3, tried: [2, 3] },
  },
  {
    name: "after new keys of somebody who writes no longer, by a reader whom they took out",
    revisions: { 2: { by: "former", keys: [1, 2], readers: ["ada"] }, 3: { keys: [1, 2], signer: "bo" } },
    shown: 3,
    outcome: { reason: gap, forReading: 3, remembered: 1, tried: [2, 3] },
  },
  {
    name: "after new keys of somebody who writes no longer, by a reader whom they put there",
    revisions: { 2: { by: "former", keys: [1, 2], readers: ["ada", "bo", "cy"] }, 3: { keys: [1, 2], signer: "cy" } },
    shown: 3,
    outcome: { remembered: 3, isAsked: true, tried: [2, 3] },
  },
  {
    name: "after a gap, and new keys of somebody who writes no longer",
    revisions: { 2: { refused: "malformed" }, 3: { by: "former", keys: [1, 2] }, 4: { signer: "bo" } },
    shown: 4,
    outcome: { reason: gap, forReading: 4, remembered: 1, tried: [2, 3, 4] },
  },
  {
    name: "after two of somebody who writes no longer, the second by a reader whom the first took out",
    revisions: {
      2: { by: "former", keys: [1, 2], readers: ["ada"] },
      3: { by: "former", keys: [1, 3], signer: "bo" },
      4: { signer: "bo" },
    },
    shown: 4,
    outcome: { reason: gap, forReading: 4, remembered: 1, tried: [2, 3, 4] },
  },
  {
    name: "after a gap, and an owner's key log that nobody shows",
    revisions: { 2: { refused: "malformed" }, 3: { by: "owner", log: "hidden" }, 4: {} },
    shown: 4,
    outcome: { reason: gap, forReading: 4, remembered: 1, tried: [2, 3, 4] },
  },
  {
    name: "a key log that nobody shows",
    revisions: { 2: { log: "hidden" } },
    shown: 2,
    outcome: { reason: "unknown_key_log", forReading: 2, remembered: 1, tried: [2] },
  },
  {
    name: "after a key log that nobody shows",
    revisions: { 2: { log: "hidden" }, 3: {} },
    shown: 3,
    outcome: { remembered: 3, tried: [2, 3] },
  },
  {
    name: "after two key logs that nobody shows, by a reader whom the first took out",
    revisions: { 2: { log: "hidden", readers: ["ada"] }, 3: { log: "hidden" }, 4: { signer: "bo" } },
    shown: 4,
    outcome: { remembered: 4, isAsked: true, tried: [2, 3, 4] },
  },
  {
    name: "another key log than the head names, which was given up, by a manager",
    named: "current",
    revisions: { 2: { log: "given up" } },
    shown: 2,
    outcome: { reason: "unknown_key_log", forReading: 2, remembered: 1, tried: [2] },
  },
  {
    name: "another key log than the head names, which was seen, by a manager",
    named: "current",
    revisions: { 2: { log: "shown" } },
    shown: 2,
    outcome: { reason: "unknown_key_log", forReading: 2, remembered: 1, tried: [2] },
  },
  {
    name: "another key log than the head names, which was given up, by an owner",
    named: "current",
    revisions: { 2: { log: "given up", by: "owner" } },
    shown: 2,
    outcome: { remembered: 2, tried: [2] },
  },
  {
    name: "a key log that was given up, where the head names none",
    revisions: { 2: { log: "given up" } },
    shown: 2,
    outcome: { remembered: 2, tried: [2] },
  },
  {
    name: "begun with another key log than the one below names",
    named: "current",
    below: { log: "current" },
    revisions: { 1: { log: "given up" } },
    shown: 1,
    outcome: { reason: "unknown_key_log", forReading: 1, tried: [1] },
  },
  {
    name: "a published key is missing",
    revisions: { 2: { lacks: true } },
    shown: 2,
    outcome: { reason: "key_missing", forReading: 2, remembered: 1, tried: [2] },
  },
  {
    name: "a published key is missing, and there is a new one of somebody who writes no longer",
    revisions: { 2: { lacks: true, by: "former", keys: [2] } },
    shown: 2,
    outcome: { reason: "key_missing", remembered: 1, tried: [2] },
  },
  {
    name: "first sight",
    seen: "nothing",
    revisions: { 3: {} },
    shown: 3,
    outcome: { remembered: 3, tried: [3] },
  },
  {
    name: "first sight lacks a published key",
    seen: "nothing",
    revisions: { 3: { lacks: true } },
    shown: 3,
    outcome: { reason: "key_missing", forReading: 3, tried: [3] },
  },
  ...(["may not be read", []] as const).map((listed) => ({
    name: `first sight where the list ${listed.length === 0 ? "is empty" : listed}`,
    ...{ seen: "nothing" as const, listed },
    revisions: { 3: {} },
    shown: 3,
    outcome: { unlisted: 3, tried: [3] },
  })),
  {
    name: "first sight where the list has no version of the envelope",
    below: {},
    listed: [1, 65],
    revisions: { 1: {} },
    shown: 1,
    outcome: { unlisted: 1, tried: [1] },
  },
  {
    name: "first sight where the list may not be read, by an owner",
    seen: "nothing",
    listed: "may not be read",
    revisions: { 3: { by: "owner" } },
    shown: 3,
    outcome: { remembered: 3, tried: [3] },
  },
  ...(
    [
      ["what is kept apart, once more", { 3: {} }, 3, { unlisted: 3, tried: [3] }],
      ["lower than what is kept apart", { 2: {} }, 2, { reason: "old_revision", unlisted: 3, tried: [2] }],
      [
        "lower than what is kept apart, by an owner",
        { 2: { by: "owner" } },
        2,
        { reason: "old_revision", unlisted: 3, tried: [2] },
      ],
      [
        "another one of the number of what is kept apart",
        { 3: { isOther: true } },
        3,
        { reason: "forked", unlisted: 3, tried: [3] },
      ],
      ["after what is kept apart", { 5: {} }, 5, { unlisted: 5, tried: [5] }],
      [
        "after what is kept apart, by somebody who is no reader in it",
        { 4: { signer: "cy" } },
        4,
        { unlisted: 4, tried: [4] },
      ],
      ["after what is kept apart, by an owner", { 4: { by: "owner" } }, 4, { remembered: 4, tried: [4] }],
      [
        "what is kept apart is by somebody who writes no longer",
        { 3: { by: "former" } },
        3,
        { unlisted: 3, tried: [3] },
      ],
      [
        "after what is kept apart, by somebody who writes no longer",
        { 4: { by: "former" } },
        4,
        { reason: "former_writer", forReading: 4, unlisted: 3, tried: [4] },
      ],
    ] as const
  ).map(([name, revisions, shown, outcome]) => ({
    ...{ name, revisions, shown, outcome, seen: "nothing" as const, listed: "may not be read" as const, apart: 3 },
  })),
  {
    name: "what is kept apart is hidden",
    ...{ seen: "nothing", listed: "may not be read", apart: 3, isHidden: true },
    revisions: {},
    shown: 3,
    outcome: { reason: "hidden_envelope", unlisted: 3, tried: [] },
  },
  {
    name: "lower than what was kept apart, where the list has its versions by now",
    ...{ seen: "nothing", apart: 3 },
    revisions: { 2: {} },
    shown: 2,
    outcome: { remembered: 2, tried: [2] },
  },
  {
    name: "what was put aside, where the list may not be read",
    seen: "put aside",
    listed: "may not be read",
    revisions: { 3: {} },
    shown: 3,
    outcome: { remembered: 3, tried: [3] },
  },
  {
    name: "the next revision, where the list may not be read",
    listed: "may not be read",
    revisions: { 2: {} },
    shown: 2,
    outcome: { remembered: 2, tried: [2] },
  },
  {
    name: "first sight lacks a version of its key log",
    seen: "nothing",
    revisions: { 3: { log: "whole" } },
    shown: 3,
    outcome: { reason: "key_missing", forReading: 3, tried: [3] },
  },
  {
    name: "first sight has the versions of its key log",
    seen: "nothing",
    revisions: { 3: { log: "whole", keys: [1, 2] } },
    shown: 3,
    outcome: { remembered: 3, tried: [3] },
  },
  {
    name: "first sight lacks a version of its key log, by an owner",
    seen: "nothing",
    revisions: { 3: { log: "whole", by: "owner" } },
    shown: 3,
    outcome: { remembered: 3, tried: [3] },
  },
  {
    name: "what was put aside lacks a version of its key log",
    seen: "put aside",
    revisions: { 3: { log: "whole" } },
    shown: 3,
    outcome: { remembered: 3, tried: [3] },
  },
  {
    name: "the next revision lacks a version of its key log",
    revisions: { 2: { log: "whole" } },
    shown: 2,
    outcome: { remembered: 2, tried: [2] },
  },
  {
    name: "first sight names the newest entry that was seen, of a log that nobody shows",
    seen: "nothing",
    revisions: { 3: { log: "shown" } },
    shown: 3,
    outcome: { reason: "unknown_key_log", forReading: 3, tried: [3] },
  },
  {
    name: "an envelope that no published version has reached",
    below: {},
    listed: [1],
    revisions: { 1: {} },
    shown: 1,
    outcome: { forReading: 1, tried: [1] },
  },
  {
    name: "an envelope that a published version has reached",
    below: {},
    listed: [1, 33],
    revisions: { 1: {} },
    shown: 1,
    outcome: { remembered: 1, tried: [1] },
  },
  {
    name: "an envelope that no published version has reached, and the key log has",
    below: { log: "reaching" },
    listed: [1],
    revisions: { 1: { by: "owner" } },
    shown: 1,
    outcome: { remembered: 1, tried: [1] },
  },
  {
    name: "an envelope that no published version has reached, and the key log has, which lacks a key",
    below: { log: "reaching" },
    listed: [1],
    revisions: { 1: { lacks: true } },
    shown: 1,
    outcome: { reason: "key_missing", forReading: 1, tried: [1] },
  },
  {
    name: "an envelope that no published version has reached, and the key log has, which nobody opens",
    below: { log: "reaching" },
    listed: [1],
    revisions: { 1: { refused: "malformed" } },
    shown: 1,
    outcome: { reason: "malformed", tried: [1] },
  },
  {
    name: "an envelope that a key log alone has reached which no head names",
    below: {},
    shownLog: "reaching",
    listed: [1],
    revisions: { 1: { log: "reaching", by: "owner" } },
    shown: 1,
    outcome: { forReading: 1, tried: [1] },
  },
  {
    name: "what was put aside lacks a published key",
    seen: "put aside",
    revisions: { 3: { lacks: true } },
    shown: 3,
    outcome: { remembered: 3, tried: [3] },
  },
  {
    name: "first sight by somebody who writes no longer",
    seen: "nothing",
    revisions: { 3: { by: "former" } },
    shown: 3,
    outcome: { reason: "former_writer", forReading: 3, tried: [3] },
  },
  {
    name: "first sight by somebody who writes no longer, at which a person has looked",
    seen: "nothing",
    lookedAt: 3,
    revisions: { 3: { by: "former" } },
    shown: 3,
    outcome: { remembered: 3, tried: [3] },
  },
  {
    name: "first sight by somebody who writes no longer, where a person has looked at another revision",
    seen: "nothing",
    lookedAt: 2,
    revisions: { 3: { by: "former" } },
    shown: 3,
    outcome: { reason: "former_writer", forReading: 3, tried: [3] },
  },
  {
    name: "first sight by somebody who writes no longer, with keys that others had before",
    seen: "nothing",
    ...{ lookedAt: 3, older: [2, 1] },
    revisions: { 1: { keys: [1] }, 2: { keys: [1, 2] }, 3: { by: "former", keys: [1, 2] } },
    shown: 3,
    outcome: { remembered: 3, unproven: [], tried: [3, 2] },
  },
  {
    name: "first sight by somebody who writes no longer, with a key that others had before, and one that was theirs",
    seen: "nothing",
    ...{ lookedAt: 3, older: [2, 1] },
    revisions: { 1: { keys: [1] }, 2: { by: "former", keys: [1, 2] }, 3: { by: "former", keys: [1, 2] } },
    shown: 3,
    outcome: { remembered: 3, unproven: [2], tried: [3, 2, 1] },
  },
  {
    name: "first sight by somebody who writes no longer, above one that does not open",
    seen: "nothing",
    ...{ lookedAt: 3, older: [2, 1] },
    revisions: { 1: { keys: [1, 2] }, 2: { refused: "malformed" }, 3: { by: "former", keys: [1, 2] } },
    shown: 3,
    outcome: { remembered: 3, unproven: [], tried: [3, 2, 1] },
  },
  {
    name: "first sight by somebody who writes no longer, with one key of an older revision, and one of another",
    seen: "nothing",
    ...{ lookedAt: 3, older: [2, 1] },
    revisions: { 1: { keys: [2] }, 2: { keys: [1] }, 3: { by: "former", keys: [1, 2] } },
    shown: 3,
    outcome: { remembered: 3, unproven: [], tried: [3, 2, 1] },
  },
  {
    name: "first sight by somebody who writes no longer, below what the service lists as older",
    seen: "nothing",
    ...{ lookedAt: 3, older: [4] },
    revisions: { 3: { by: "former" }, 4: {} },
    shown: 3,
    outcome: { remembered: 3, unproven: [1], tried: [3] },
  },
  {
    name: "first sight by somebody who writes no longer, with keys that are shown to a person",
    seen: "nothing",
    older: [1],
    revisions: { 1: { keys: [1] }, 2: { by: "former", keys: [1, 2] } },
    shown: 2,
    outcome: { reason: "former_writer", forReading: 2, unproven: [2], keyLog: "none", tried: [2, 1] },
  },
  {
    name: "first sight by somebody who writes no longer, whose key log is shown",
    seen: "nothing",
    older: [1],
    revisions: { 1: { keys: [1, 2] }, 2: { by: "former", keys: [1, 2], log: "whole" } },
    shown: 2,
    outcome: { reason: "former_writer", forReading: 2, unproven: [], keyLog: "shown", tried: [2, 1] },
  },
  {
    name: "first sight by somebody who writes no longer, whose key log nobody shows",
    seen: "nothing",
    older: [1],
    revisions: { 1: { keys: [1, 2] }, 2: { by: "former", keys: [1, 2], log: "hidden" } },
    shown: 2,
    outcome: { reason: "former_writer", forReading: 2, unproven: [1, 2], keyLog: "missing", tried: [2, 1] },
  },
  {
    name: "the next revision of somebody who writes no longer, with the keys that were seen",
    older: [1],
    revisions: { 1: {}, 2: { by: "former" } },
    shown: 2,
    outcome: { remembered: 2, unproven: [], tried: [2] },
  },
  {
    name: "first sight lacks a published key, by somebody who writes no longer",
    seen: "nothing",
    lookedAt: 3,
    revisions: { 3: { by: "former", lacks: true } },
    shown: 3,
    outcome: { reason: "key_missing", forReading: 3, tried: [3] },
  },
  {
    name: "what was put aside is by somebody who writes no longer",
    seen: "put aside",
    revisions: { 3: { by: "former" } },
    shown: 3,
    outcome: { reason: "former_writer", forReading: 3, tried: [3] },
  },
  {
    name: "begun by somebody who writes no longer",
    below: {},
    revisions: { 1: { by: "former", keys: [33] } },
    shown: 1,
    outcome: { reason: "former_writer", forReading: 1, tried: [1] },
  },
  {
    name: "begun by somebody who writes no longer, and lacks a published key",
    below: {},
    revisions: { 1: { by: "former", keys: [33], lacks: true } },
    shown: 1,
    outcome: { reason: "key_missing", forReading: 1, tried: [1] },
  },
  {
    name: "begun by somebody who writes no longer, at which a person has looked",
    below: {},
    lookedAt: 1,
    revisions: { 1: { by: "former", keys: [33] } },
    shown: 1,
    outcome: { remembered: 1, tried: [1] },
  },
  {
    name: "new keys of somebody who writes no longer, at which a person has looked",
    lookedAt: 2,
    revisions: { 2: { by: "former", keys: [1, 2] } },
    shown: 2,
    outcome: { reason: "former_writer", remembered: 1, tried: [2] },
  },
  {
    name: "above one that is refused",
    seen: "nothing",
    below: { refused: "malformed" },
    revisions: { 3: {} },
    shown: 3,
    outcome: { reason: "not_allowed", forReading: 3, tried: [3] },
  },
  {
    name: "above one that is refused, by an owner",
    seen: "nothing",
    below: { refused: "malformed" },
    revisions: { 3: { by: "owner" } },
    shown: 3,
    outcome: { remembered: 3, tried: [3] },
  },
  {
    name: "above one that is refused, by somebody who may not write",
    seen: "nothing",
    below: { refused: "malformed" },
    revisions: { 3: { refused: "not_allowed" } },
    shown: 3,
    outcome: { reason: "not_allowed", tried: [3] },
  },
  {
    name: "above one that nobody has looked at",
    seen: "nothing",
    below: { by: "former" },
    revisions: { 3: {} },
    shown: 3,
    outcome: { reason: "not_allowed", forReading: 3, tried: [3] },
  },
  {
    name: "the envelope is hidden",
    isHidden: true,
    revisions: {},
    shown: 1,
    outcome: { reason: "hidden_envelope", remembered: 1, tried: [] },
  },
  {
    name: "the envelope was removed here",
    seen: "removed",
    isHidden: true,
    revisions: {},
    shown: 1,
    outcome: { remembered: 1, tried: [] },
  },
];

function toListed(versions: NonNullable<FollowCase["listed"]>): readonly PublishedKey[] | undefined {
  if (versions === "may not be read") return undefined;
  return versions.map(keyOf).map(({ version, fingerprint }) => ({ version, fingerprint }));
}

function createStore(): HeadStore {
  const values = new Map<string, unknown>();
  return {
    isLasting: true,
    find: async (name) => values.get(name),
    async change(name, change) {
      const value = change(values.get(name));
      if (value !== undefined) values.set(name, value);
    },
  };
}

/** The outcome of an implementation for a case, in the case's own words. */
export async function tryFollowing(
  { followEnvelopes }: Following,
  { revisions, shown, listed, seen, named, shownLog, below, isHidden, lookedAt, older, apart }: FollowCase,
): Promise<FollowCase["outcome"]> {
  const heads = createSeenHeads(createStore());
  const own = below === undefined ? 1 : 33;
  await heads.advanceKeyLog(formId, undefined, { number: 1, hash: hash("given up") });
  await heads.forgetKeyLog(formId);
  if (seen !== "nothing") await heads.advanceEnvelope(undefined, toHead(1, named ? { log: named } : {}));
  if (apart !== undefined) await heads.advanceEnvelope(undefined, toHead(apart, {}), { isUnlisted: true });
  if (seen === "put aside") await heads.forgetEnvelopes(formId);
  if (seen === "removed") await heads.markRemoved(formId);
  const shownOf = shownLog ?? [...Object.values(revisions), below ?? {}].map(({ log }) => log).find(isShown);
  const log = shownOf && logs[shownOf];
  await heads.advanceKeyLog(formId, undefined, log?.last ?? { number: 1, hash: hash("shown") });
  const tried = new Set<number>();
  const last = { isAsked: false };
  const source = {
    heads,
    lookedAt: lookedAt === undefined ? undefined : hash(`r${lookedAt}`),
    async *findOlder() {
      for (const revision of older ?? []) yield { file: new Uint8Array(1), revision };
    },
    async fetchEnvelope(_form: FormId, firstVersion: number, revision = firstVersion === own ? shown : 1) {
      return (firstVersion === own ? revisions[revision] : below) && { file: new Uint8Array(1), revision };
    },
    fetchPublished: async () => toListed(listed ?? (below ? [1, 33] : [1])),
    fetchKeyLog: async () => log && new TextEncoder().encode(log.text),
    async openEnvelope(request: EnvelopeRequest) {
      const { firstVersion, revision, newest, isForgotten, isAboveRefused } = request;
      if (firstVersion === own) tried.add(revision);
      const played = (firstVersion === own ? revisions[revision] : below) ?? {};
      const { refused, lacks, signer, by } = played;
      if (refused !== undefined) return new RefusalError(refused);
      if (isBeyond({ firstVersion }, request.published, request)) return new RefusalError("not_allowed");
      if (signer !== undefined && newest && !newest.readers.some(({ id }) => id === signer))
        return new RefusalError("not_allowed");
      if (isAboveRefused && by !== "owner") return new RefusalError("not_allowed");
      last.isAsked = newest?.readers.find(({ id }) => id === signer)?.by === null;
      const isNeeded = newest === undefined ? !isForgotten : newest.keys.length > 0;
      if (lacks && isNeeded) return new RefusalError("key_missing");
      const head = { ...toHead(revision, played), firstVersion };
      const asLogged = head.keys.map((key) => ({ ...key, replyKey: null }));
      return { head, asLogged, isByOwner: by === "owner", isByFormer: by === "former", writerKeys: new Set<string>() };
    },
    renewList: async () => false,
  };
  const shownVersions = isHidden ? [] : [...(below ? [1] : []), own];
  const followed = await followEnvelopes(source, formId, shownVersions);
  const refused = followed.refused.filter(({ firstVersion }) => firstVersion === own);
  const forReading = followed.forReading.find(({ firstVersion }) => firstVersion === own);
  const [reason, read] = [refused[0]?.reason, forReading?.head.revision];
  const kept = await heads.findEnvelopes(formId);
  const remembered = findHead(kept.heads, own)?.revision;
  const unlisted = findHead(kept.unlisted ?? [], own)?.revision;
  const keys = findHead(kept.heads, own)?.keys ?? [];
  const sight = forReading?.sight;
  const unproven =
    sight?.unproven ?? keys.filter(({ isAhead, isUnproven }) => isAhead || isUnproven).map(({ version }) => version);
  return {
    ...(reason && { reason }),
    ...(read && { forReading: read }),
    ...(remembered && { remembered }),
    ...(unlisted && { unlisted }),
    ...(last.isAsked && { isAsked: true }),
    ...(older && { unproven, ...(sight && { keyLog: sight.keyLog }) }),
    tried: [...tried],
  };
}

/** Readers of an envelope of versions 33 to 64, by who is known to have put them there. */
export interface UnknownCase {
  readonly name: string;
  readonly readers: Readonly<Record<string, string | null>>;
  /** The form's other envelopes by their first versions, with their readers. */
  readonly others: Readonly<Record<number, readonly string[]>>;
  readonly unknown: readonly string[];
}

const [reader, manager, program] = [idOf("reader"), idOf("manager"), idOf("program")];

export const unknownCases: readonly UnknownCase[] = [
  { name: "a reader of the last one before", readers: { [reader]: null }, others: { 1: [reader] }, unknown: [] },
  { name: "a reader whom nobody put there", readers: { [reader]: null }, others: { 1: [manager] }, unknown: [reader] },
  { name: "a reader whom a manager put there", readers: { [reader]: manager }, others: { 1: [] }, unknown: [] },
  {
    name: "a reader whom somebody put there who is no member",
    readers: { [reader]: idOf("stranger") },
    others: { 1: [] },
    unknown: [],
  },
  { name: "an owner whom nobody put there", readers: { [idOf("owner")]: null }, others: { 1: [] }, unknown: [] },
  { name: "the only envelope of the form", readers: { [reader]: null }, others: {}, unknown: [] },
  { name: "a later envelope alone", readers: { [reader]: null }, others: { 65: [manager] }, unknown: [] },
  {
    name: "a reader of a later one, and not of the one before",
    readers: { [reader]: null },
    others: { 1: [manager], 65: [reader] },
    unknown: [reader],
  },
  {
    name: "two whom nobody put there, of whom the one before has one",
    readers: { [program]: null, [reader]: null },
    others: { 1: [program] },
    unknown: [reader],
  },
];

export async function tryUnknown(
  { findUnknownReaders }: Following,
  list: VerifiedList,
  text: string,
  { readers, others }: UnknownCase,
): Promise<readonly string[]> {
  const named = await headOf(text);
  const headWith = (firstVersion: number, seen: EnvelopeHead["readers"]) => ({
    ...toHead(2, {}),
    ...{ firstVersion, list: named, readers: seen },
  });
  const before = Object.entries(others).map(([firstVersion, ids]) =>
    headWith(
      Number(firstVersion),
      ids.map((id) => ({ id, by: idOf("owner") })),
    ),
  );
  const own = headWith(
    33,
    Object.entries(readers).map(([id, by]) => ({ id, by })),
  );
  return findUnknownReaders(list, own, before);
}
