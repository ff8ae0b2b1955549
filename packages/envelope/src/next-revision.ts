import { createVersionSeed, fingerprint, type HybridPrivateKey, hybridFingerprint, type KeyPair } from "@sealpost/wire";
import type { EnvelopeHead } from "./envelope-checks.ts";
import { type FormKey, firstVersionOf, type Reader } from "./envelope-content.ts";
import type { VerifiedList } from "./list.ts";
import { type Member, mayWrite } from "./member.ts";

// Decisions about the next revision of an envelope, the same for everything that writes one: the dashboard, the command line, programs.

/** A revision that was opened, as far as these decisions need it. */
export interface RevisionBefore {
  readonly head: EnvelopeHead;
  readonly readers: readonly Pick<Reader, "id">[];
  readonly outdated: readonly string[];
}

/** The writer, and for whom the writer may seal (`findSealable`). */
export interface Sealing {
  readonly writerId: string;
  readonly sealable: ReadonlySet<string>;
}

/**
 * Ids of the writer, and of those who read this revision, have the keys in the list that they had when it was written, and are vouched for. Recovery keys
 * read in any case.
 */
export function keptReaders(
  { writerId, sealable }: Sealing,
  previous?: Pick<RevisionBefore, "readers" | "outdated">,
): ReadonlySet<string> {
  const before = previous?.readers.map(({ id }) => id) ?? [];
  return new Set([writerId, ...before.filter((id) => sealable.has(id) && !previous?.outdated.includes(id))]);
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

/** Whether a version has its place in this envelope. Otherwise another one is begun. */
export function hasPlace({ firstVersion }: Pick<EnvelopeHead, "firstVersion">, version: number): boolean {
  return firstVersionOf(version) === firstVersion;
}

/** More key pairs than these no service gives a form. */
const keyVersionsMax = 1000;

/**
 * The version that a rotation makes, and whether it needs a hybrid key: the published one has it, or, whatever the server says, the envelope. Throws a
 * RangeError for a version that no form has: a server could make one up, and an envelope would keep it forever.
 */
export function findNextKey(
  published: readonly { readonly version: number; readonly hybridFingerprint?: string | undefined }[],
  envelopes: readonly Pick<RevisionBefore, "head">[],
): { readonly version: number; readonly isHybrid: boolean } {
  const newest = published.reduce((best, { version }) => Math.max(best, version), 0);
  if (!(newest < keyVersionsMax))
    throw new RangeError(
      `The server names key version ${newest} for this form, and a form has at most ${keyVersionsMax} key pairs. Nothing was changed: make a new form, or ask the person who runs the server`,
    );
  const held = envelopes.flatMap(({ head }) => head.keys).find(({ version }) => version === newest);
  const shown = published.find(({ version }) => version === newest);
  const isHybrid = shown?.hybridFingerprint !== undefined || (held !== undefined && held.hybridFingerprint !== null);
  return { version: newest + 1, isHybrid };
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
