import {
  findSealable,
  findWriting,
  importSigningKey,
  type Member,
  openEnvelope,
  type PersonalKey,
  RefusalError,
  type Sealing,
  type SeenHeads,
  type SigningKeys,
  type Standing,
  type VerifiedList,
} from "@sealpost/envelope";
import { ApiError } from "../client/api-error.ts";
import type { CallOptions } from "../client/call.ts";
import { EnvelopeProblemError } from "./envelope-problem.ts";
import type { EnvelopeReader, OpenedForm } from "./envelope-reader.ts";

/** Somebody else may write at the same time. */
const triesMax = 8;

/** The envelopes of a form, where nothing of them is refused or doubtful: otherwise no revision may follow. */
export async function openWhole(reader: EnvelopeReader, formId: string, options?: CallOptions): Promise<OpenedForm> {
  const opened = await reader.open(formId, options);
  if (opened.kind === "none") throw new EnvelopeProblemError("no_envelope");
  const [refused] = opened.refused;
  if (refused !== undefined) throw new EnvelopeProblemError(refused.reason);
  if (opened.otherKeys.length > 0) throw new EnvelopeProblemError("other_published_key");
  return opened;
}

/** The person's key and the keys that it replaced, which open what has not been sealed for the new one yet. */
export interface KeysInUse {
  readonly key: PersonalKey;
  readonly former: readonly SigningKeys[];
}

/** With the private keys, which a reader does not give away. */
export async function openAgain(
  { key, former }: KeysInUse,
  list: VerifiedList,
  { file, head, firstVersion, isDoubtful }: OpenedForm["envelopes"][number],
) {
  const { formId, revision } = head;
  const expected = { list, formId, firstVersion, revision, newest: head };
  let previous = await openEnvelope(file, key.identity, expected);
  for (const { identity } of former)
    if (previous instanceof RefusalError && previous.reason === "not_a_reader")
      previous = await openEnvelope(file, identity, expected);
  if (previous instanceof RefusalError) throw new EnvelopeProblemError(previous.reason);
  const { list: then, signedBy } = previous.content;
  const writtenWith = list.membersAt(then)?.get(signedBy)?.signingKey;
  // Another's keys are for somebody to compare before they are carried on.
  if (isDoubtful && !former.some(({ signingKey }) => signingKey === writtenWith))
    throw new EnvelopeProblemError("former_writer");
  return previous;
}

/** The person whose key it is, as a member who writes. */
export function findSelf(list: VerifiedList, { signingKey }: PersonalKey): Member {
  const member = findWriting(list, signingKey);
  if (member === undefined) throw new EnvelopeProblemError("not_a_writer");
  return member;
}

export async function toSigner(list: VerifiedList, key: PersonalKey) {
  return { id: findSelf(list, key).id, signingKey: await importSigningKey(key.signingSeed) };
}

interface KeyAndHeads {
  readonly key: PersonalKey;
  readonly heads: SeenHeads;
}

/** By what members are vouched for here: the key that is open, and whom its person has confirmed on this machine. */
export async function findStanding({ heads, key }: KeyAndHeads, { organizationId }: VerifiedList): Promise<Standing> {
  return { own: key, confirmed: await heads.findConfirmed(organizationId) };
}

/** With whom the next revision of an envelope is signed, and for whom it may be sealed. */
export async function findSealing(writing: KeyAndHeads, list: VerifiedList) {
  const standing = await findStanding(writing, list);
  const signer = await toSigner(list, writing.key);
  const sealing: Sealing = { writerId: signer.id, sealable: await findSealable(list, standing) };
  return { standing, signer, sealing };
}

/** Runs `work` again where somebody else was faster (412); it begins with what is there then. */
export async function untilFirst<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412) || attempt === triesMax) throw error;
    }
  }
}
