import {
  createVersionSeed,
  fingerprint,
  type HybridPrivateKey,
  hybridFingerprint,
  type KeyPair,
  type LoggedKey,
} from "@sealpost/wire";
import type { EnvelopeHead, SeenKey } from "./envelope-checks.ts";
import { type FormKey, firstVersionOf, keysMax, type Reader } from "./envelope-content.ts";
import type { VerifiedList } from "./list.ts";
import { type Member, mayWrite } from "./member.ts";

// Decisions about the next revision of an envelope, the same for everything that writes one: the dashboard, the command line, programs.

/** A revision that was opened, as far as these decisions need it. */
export interface RevisionBefore {
  readonly head: EnvelopeHead;
  readonly readers: readonly Pick<Reader, "id">[];
  readonly outdated: readonly string[];
  readonly unknown?: readonly string[];
}

/** The writer, and for whom the writer may seal (`findSealable`). */
export interface Sealing {
  readonly writerId: string;
  readonly sealable: ReadonlySet<string>;
}

/**
 * Ids of the writer, and of those who read this revision, have the keys in the list that they had when it was written, are vouched for, and are not known
 * by it alone. Recovery keys read in any case.
 */
export function keptReaders(
  { writerId, sealable }: Sealing,
  previous?: Pick<RevisionBefore, "readers" | "outdated" | "unknown">,
): ReadonlySet<string> {
  const before = previous?.readers.map(({ id }) => id) ?? [];
  const left = new Set([...(previous?.outdated ?? []), ...(previous?.unknown ?? [])]);
  return new Set([writerId, ...before.filter((id) => sealable.has(id) && !left.has(id))]);
}

/** The member whose signing key this is, where the list lets them write envelopes. */
export function findWriting({ members }: VerifiedList, signingKey: string): Member | undefined {
  const member = [...members.values()].find((one) => one.signingKey === signingKey);
  return member && mayWrite(member) ? member : undefined;
}

/** The newest of a form's envelopes, for whose readers a rotation is. */
export function findNewestEnvelope<Envelope extends Pick<RevisionBefore, "head">>(
  envelopes: readonly Envelope[],
): Envelope | undefined {
  const [first, ...others] = envelopes;
  return first && others.reduce((best, one) => (one.head.firstVersion > best.head.firstVersion ? one : best), first);
}

/**
 * The envelope that a rotation to this version continues: the one in which it has its place or, where that is yet to begin, the newest, for whose readers it is then. There
 * may be others above the first: a service can have one begun for versions that the form does not have yet.
 */
export function findRotatedEnvelope<Envelope extends Pick<RevisionBefore, "head">>(
  envelopes: readonly Envelope[],
  version: number,
): Envelope | undefined {
  return envelopes.find(({ head }) => hasPlace(head, version)) ?? findNewestEnvelope(envelopes);
}

/** Whether a version has its place in this envelope. Otherwise another one is begun. */
export function hasPlace({ firstVersion }: Pick<EnvelopeHead, "firstVersion">, version: number): boolean {
  return firstVersionOf(version) === firstVersion;
}

/** More key pairs than these no service gives a form. */
const keyVersionsMax = 1000;
/** As far as the server's newest version may be above the newest one that is known otherwise: as many as an envelope has places for. */
const unseenVersionsMax = keysMax;

/**
 * The server's newest version is far above those that the form's envelopes have, and its key log, where one counts: it could be made up. Without such a log
 * (`isLogged`) it counts all the same once a person has said that it is right.
 */
export class FarVersionError extends RangeError {
  override readonly name = "FarVersionError";
  /** By the server's word. */
  readonly newest: number;
  /** The newest that is known otherwise. */
  readonly known: number;
  readonly isLogged: boolean;

  constructor({ newest, known, isLogged }: Pick<FarVersionError, "newest" | "known" | "isLogged">) {
    super(
      `The server names key version ${newest} for this form, and the newest in its ${isLogged ? "envelope and its key log" : "envelope"} is ${known}. Nothing was changed, since versions never fall: ask the person who runs the server`,
    );
    this.newest = newest;
    this.known = known;
    this.isLogged = isLogged;
  }
}

interface KnownOtherwise {
  /** The key of the newest entry of the form's key log, which was followed, and has an entry that an envelope or the form head names. */
  readonly logged?: Pick<LoggedKey, "version" | "hybridFingerprint"> | undefined;
  /** The server's newest version, where a person has said that it is right. Does nothing where a log counts. */
  readonly confirmed?: number | undefined;
}

/**
 * The version that a rotation makes, above the server's newest and every one that is published in an envelope, and whether it needs a hybrid key: the published one has it, or, whatever the server says, the newest published one in an
 * envelope, one above it there, or the key log's newest. Throws a RangeError for a version that no form has, and a `FarVersionError` for one that is far above those in the
 * form's envelopes and its log: a server could make one up, and versions never fall. SPECIFICATION.md section 20.
 */
export function findNextKey(
  published: readonly { readonly version: number; readonly hybridFingerprint?: string | undefined }[],
  envelopes: readonly Pick<RevisionBefore, "head">[],
  { logged, confirmed }: KnownOtherwise = {},
): { readonly version: number; readonly isHybrid: boolean } {
  const newest = published.reduce((best, { version }) => Math.max(best, version), 0);
  const opened = envelopes.flatMap(({ head }) => head.keys);
  const seen = findNewestKey(opened.filter(({ isPublished }) => isPublished));
  const last = Math.max(newest, seen?.version ?? 0);
  if (!(last < keyVersionsMax))
    throw new RangeError(
      `${last === seen?.version ? "The newest envelope has" : "The server names"} key version ${last} for this form, and a form has at most ${keyVersionsMax} key pairs. Nothing was changed: make a new form, or ask the person who runs the server`,
    );
  // Any writer can put a key into an envelope ahead of its time. Where the server denies all of them, the newest that opened counts.
  const held = seen ?? findNewestKey(opened);
  const known = Math.max(held?.version ?? 0, logged?.version ?? 0);
  const isLogged = logged !== undefined;
  const isConfirmed = !isLogged && confirmed === newest;
  if (newest > known + unseenVersionsMax && !isConfirmed) throw new FarVersionError({ newest, known, isLogged });
  const shown = published.find(({ version }) => version === newest);
  const later = opened.filter((key) => key.version >= (held?.version ?? 0));
  const isHybrid =
    shown?.hybridFingerprint !== undefined ||
    [...later, logged].some((key) => (key?.hybridFingerprint ?? null) !== null);
  return { version: last + 1, isHybrid };
}

function findNewestKey(keys: readonly SeenKey[]): SeenKey | undefined {
  const [first, ...others] = keys;
  return first && others.reduce((best, key) => (key.version > best.version ? key : best), first);
}

/** A private key as an envelope has it. A version that has no seed yet gets one. */
export async function toFormKey(
  version: number,
  privateKey: KeyPair["privateKey"],
  hybridPrivateKey: HybridPrivateKey | null = null,
  seed: string = createVersionSeed(),
): Promise<FormKey> {
  return {
    version,
    fingerprint: await fingerprint(privateKey),
    privateKey,
    hybridFingerprint: hybridPrivateKey && (await hybridFingerprint(hybridPrivateKey)),
    hybridPrivateKey,
    seed,
  };
}
