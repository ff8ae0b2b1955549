import {
  type Doubts,
  findChangedReaders,
  findDoubts,
  findUnintroduced,
  findWritingEnd,
  type RefusedEnvelope,
  type Role,
  type SightKeys,
  type VerifiedList,
  type WritingEnd,
} from "@sealpost/envelope";
import type { NotUsed } from "./bringable.ts";
import type { EnvelopeOpener, KnownList } from "./envelope-client.ts";
import { type FormToOpen, type OpenedEnvelope, type OpenedEnvelopes, openForm } from "./open-form.ts";

/** A reader of a first sight, as a person is shown them: by the list, and not by the revision. */
export interface ShownReader {
  readonly id: string;
  readonly name: string | undefined;
  /** Absent from somebody who is in the list no longer. */
  readonly role?: Role | undefined;
  /** The key that the list gives them now. */
  readonly recipient?: string | undefined;
  /** They left, or got another key or fewer rights, since the revision was made for them. */
  readonly isOutdated: boolean;
  /** Nobody is known to have put them there who may do so now. */
  readonly isUnproven: boolean;
  /** Nor in an envelope below. */
  readonly isUnknown: boolean;
  /** Other members whose names look the same. */
  readonly alike: readonly { readonly id: string; readonly name: string | undefined }[];
  readonly ownWord: Doubts["ownWord"];
}

/** First sight as a person is shown it, apart from the form, the key versions, and the number and time of the revision: who has signed it, since when they write no longer, and who reads it. */
export interface ShownSight {
  readonly signer: { readonly id: string; readonly name: string | undefined };
  readonly end: WritingEnd | undefined;
  /** By their ids. */
  readonly readers: readonly ShownReader[];
}

/** A revision that is refused as `former_writer` and good for reading, with what a person is shown of it. */
export interface FirstSight {
  readonly envelope: OpenedEnvelope;
  readonly shown: ShownSight;
}

/** A key of a first sight, as the envelope has it. */
export interface ShownKey {
  readonly version: number;
  readonly fingerprint: string;
  readonly hybridFingerprint: string | null;
  /**
   * Nothing speaks for it but the signer and the service: no older revision by somebody who still writes, and no entry of the key log by somebody who is an owner. The
   * answer does not make it the form's.
   */
  readonly isUnproven: boolean;
}

export interface ShownKeys {
  /** By their versions. */
  readonly keys: readonly ShownKey[];
  readonly keyLog: SightKeys["keyLog"];
}

/** First sights of which the person is shown the same: one answer is about each revision in it. */
export interface FirstSightGroup<Sight extends FirstSight = FirstSight> {
  readonly sights: readonly [Sight, ...(readonly Sight[])];
  readonly shown: ShownSight;
  /** Where most of the sights are in another group: how this one differs from that. */
  readonly differs?: SightDifference;
}

export interface SightDifference {
  /** Another signer, or another end of their writing. */
  readonly isOtherSigner: boolean;
  /** Ids of readers who are not in the largest group, or are shown otherwise there. */
  readonly more: readonly string[];
  /** Readers of the largest group who are not in this one. */
  readonly missing: readonly ShownReader[];
}

/**
 * Envelopes of which this device has seen nothing, and whose newest revision is by somebody who writes no longer: with the service, they can have written it
 * since, with readers and keys as they like. They open submissions, and nothing follows them until a person has said that they are right.
 */
export function findFirstSights({
  refused,
  forReading,
}: Pick<OpenedEnvelopes, "forReading"> & {
  readonly refused: readonly (RefusedEnvelope | NotUsed)[];
}): readonly OpenedEnvelope[] {
  return refused
    .filter(({ reason }) => reason === "former_writer")
    .flatMap((one) => forReading.find(({ firstVersion }) => firstVersion === one.firstVersion) ?? []);
}

/** Describes first sights by this list, as a person is shown them. */
export function describeFirstSights(list: VerifiedList): (envelope: OpenedEnvelope) => ShownSight {
  const doubtsOf = findDoubts(list);
  return ({ head, readers, unknown, writtenBy }) => {
    const outdated = findChangedReaders(list, head.list.number);
    const unproven = findUnintroduced(list, head);
    const toShown = ({ id, name }: (typeof readers)[number]): ShownReader => {
      const { role, recipient } = list.members.get(id) ?? {};
      const { alike, ownWord } = doubtsOf({ id, name });
      return {
        ...{ id, name, role, recipient, ownWord, alike: alike.map((one) => ({ id: one.id, name: one.name })) },
        ...{ isOutdated: outdated.has(id), isUnproven: unproven.includes(id), isUnknown: unknown.includes(id) },
      };
    };
    return {
      signer: { id: writtenBy.id, name: writtenBy.name },
      end: findWritingEnd(list, { id: writtenBy.id, since: head.list }),
      readers: readers.map(toShown).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    };
  };
}

/** The keys of a first sight, as a person is shown them before they say that it is right. */
export function describeSightKeys({
  head,
  asLogged,
  sight,
}: Pick<OpenedEnvelope, "head" | "asLogged" | "sight">): ShownKeys {
  const isUnproven = (version: number) => sight === undefined || sight.unproven.includes(version);
  return {
    keys: asLogged.map(({ version, fingerprint, hybridFingerprint }) => ({
      ...{ version, fingerprint, hybridFingerprint, isUnproven: isUnproven(version) },
    })),
    keyLog: sight?.keyLog ?? (head.keyLog === null ? "none" : "missing"),
  };
}

/** Whether a person is shown the same of both. */
export function isSameSight(one: ShownSight, other: ShownSight): boolean {
  return toKey(one) === toKey(other);
}

/** The largest group last: what differs from most of them comes first, with how it differs. */
export function groupFirstSights<Sight extends FirstSight>(
  sights: readonly Sight[],
): readonly FirstSightGroup<Sight>[] {
  const groups = new Map<string, [Sight, ...Sight[]]>();
  for (const sight of sights) {
    const group = groups.get(toKey(sight.shown));
    if (group === undefined) groups.set(toKey(sight.shown), [sight]);
    else group.push(sight);
  }
  const sorted = [...groups.values()].toSorted((one, other) => one.length - other.length);
  const [last, before] = sorted.toReversed();
  const usual = last !== undefined && last.length > (before?.length ?? 0) ? last[0].shown : undefined;
  return sorted.map((group) => {
    const { shown } = group[0];
    const isOther = usual !== undefined && usual !== shown;
    return { sights: group, shown, ...(isOther && { differs: compare(shown, usual) }) };
  });
}

function compare({ signer, end, readers }: ShownSight, usual: ShownSight): SightDifference {
  const isIn = (shown: ShownSight, reader: ShownReader) => shown.readers.some((one) => toKey(one) === toKey(reader));
  return {
    isOtherSigner: toKey([signer, end]) !== toKey([usual.signer, usual.end]),
    more: readers.filter((reader) => !isIn(usual, reader)).map(({ id }) => id),
    missing: usual.readers.filter(({ id }) => readers.every((one) => one.id !== id)),
  };
}

/** Made in one place each, so equal values have their fields in the same order. */
const toKey = (value: unknown) => JSON.stringify(value);

/**
 * Outcome of a person's word that a first sight is right. `other`: nothing was remembered, as the service has another revision by somebody who writes no
 * longer, or other things are to be shown of its signer or readers. `overtaken`: somebody who may write has written since, and there is nothing to look at. Anything
 * else: why it is refused, whatever was said.
 */
export type SightOutcome = "accepted" | "other" | "overtaken" | RefusedEnvelope["reason"] | "moved_form";

export interface AnsweredSight<List extends KnownList = KnownList> {
  readonly outcome: SightOutcome;
  /** The form as it opened with the answer; absent where nothing opens. */
  readonly opened?: OpenedEnvelopes<List>;
}

/**
 * A person was shown this first sight, and has said that it is right: this very revision is remembered, if the service still has it, and the list still says
 * the same of its signer and readers. `known`: the list that was loaded a moment ago, after the answer.
 */
export async function acceptFirstSight<List extends KnownList>(
  client: EnvelopeOpener,
  form: Omit<FormToOpen<List>, "lookedAt">,
  { envelope, shown }: FirstSight,
): Promise<AnsweredSight<List>> {
  const known = form.known ?? (await form.loadList());
  const isAsShown = isSameSight(describeFirstSights(known.list)(envelope), shown);
  const { firstVersion, hash } = envelope.head;
  const opened = await openForm(client, { ...form, known, ...(isAsShown && { lookedAt: hash }) });
  if (opened.kind === "none") return { outcome: "hidden_envelope" };
  if (opened.kind === "moved_form") return { outcome: "moved_form" };
  const now = opened.envelopes.find((one) => one.head.firstVersion === firstVersion);
  if (now !== undefined) return { outcome: isAsShown && now.head.hash === hash ? "accepted" : "overtaken", opened };
  const reason = opened.refused.find((one) => one.firstVersion === firstVersion)?.reason ?? "hidden_envelope";
  return { outcome: reason === "former_writer" ? "other" : reason, opened };
}
