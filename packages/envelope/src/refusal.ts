/** Why a signed list, an envelope, a copy of a key, an admission or a signed head is refused. SPECIFICATION.md sections 14 to 16, 19 and 22 say what leads to which. */
const sentences = {
  malformed: "This is damaged, or not in the format that this version knows",
  not_signed: "The signature is missing, wrong, or of somebody who is not in the list of members",
  not_allowed: "It is signed by a member who may not do this",
  forked: "This differs from what was seen before, where only something newer may follow: two versions are being shown",
  other_organization: "This list belongs to another organization",
  broken_chain: "Entries of the list are missing, doubled or in another order",
  old_list: "This is older than the list of members that was seen before",
  not_vouched: "Nothing in this list is signed with the key that was passed on to you",
  not_a_reader: "This envelope is not for this key",
  other_form: "This envelope belongs to another form, or to other key versions",
  unknown_list: "This envelope refers to a list of members that is not the one available: it is newer, or another",
  wrong_readers:
    "The readers of this envelope are not those of the list of members: one is unknown, has another key, or is hidden",
  name_missing:
    "The server does not show the signed name of a member, or shows another: nothing is sealed for them until it does, or somebody gives them a name again",
  wrong_revision: "This envelope has another number than the one under which the service keeps it",
  unknown_key_log: "This envelope refers to a key log that is not the one available: it is newer, or another",
  old_key_log: "This envelope refers to an older key log than the one that was seen before, or to none",
  other_previous: "This envelope follows another one than the one that was seen before",
  old_revision: "This envelope is older than the one that was seen before",
  wrong_key: "A private key in this envelope is not the one that it is called",
  key_missing: "This envelope lacks a private key of the form, or has another in its place",
  wrong_secret: "This does not open this copy of the key",
  other_key: "This copy holds another key than the one that is known as yours",
  ended: "This link has ended: ask for a new one",
  used: "Since the link was made, the list of members has changed for this person, or somebody was taken out of it, or has a lesser role, whom a link that adds somebody could bring back: make a new one",
  wrong_link: "This link is not complete, or is for something else than the one shown here",
  wrong_words: "These words are not those of this invitation: compare each with the other screen",
  unknown_extension: "A newer program wrote this, with something that must be understood: update this one",
  taken_out:
    "You do not read this form any longer, or were taken out of the list of members and let in again since it was sealed for you, so nobody would accept what you write: ask an owner, or a manager who reads it, to make you a reader again",
  unconfirmed:
    "Nobody in good standing vouches for the key of a reader, or of a recovery key: confirm it first, or remove it from the list of members",
  slow_clock:
    "This ends later than anything that is made now could: the clock here is slow, or that of its maker was fast",
  wrong_answer: "This answer was not made with the link: somebody else may have given it, or it was changed on the way",
} as const;

export type Reason = keyof typeof sentences;
export const reasons = Object.keys(sentences) as readonly Reason[]; // the keys of `sentences`
export type ListReason = Extract<
  Reason,
  | "malformed"
  | "not_signed"
  | "not_allowed"
  | "forked"
  | "other_organization"
  | "broken_chain"
  | "old_list"
  | "not_vouched"
  | "unknown_extension"
>;
export type HeadReason = Extract<Reason, "malformed" | "other_organization" | "not_signed" | "unknown_extension">;
export type CopyReason = Extract<Reason, "malformed" | "wrong_secret" | "unknown_extension" | "other_key">;
export type EnvelopeReason = Exclude<
  Reason,
  | "other_organization"
  | "broken_chain"
  | "not_vouched"
  | "wrong_secret"
  | "other_key"
  | "ended"
  | "used"
  | "wrong_link"
  | "wrong_words"
  | "slow_clock"
  | "wrong_answer"
  | "unconfirmed"
  | "taken_out"
>;
export type AdmissionReason = Extract<
  Reason,
  | "malformed"
  | "other_organization"
  | "unknown_list"
  | "not_signed"
  | "not_allowed"
  | "ended"
  | "used"
  | "wrong_link"
  | "wrong_answer"
  | "slow_clock"
  | "unknown_extension"
>;

/** A refusal with its sentence, which never says more than the reason. */
export class RefusalError<Of extends Reason = Reason> extends Error {
  override readonly name = "RefusalError";
  readonly reason: Of;

  constructor(reason: Of) {
    super(sentences[reason]);
    this.reason = reason;
  }
}

/** Throws the refusal unless `isRight`. */
export function check(isRight: boolean, reason: Reason): asserts isRight {
  if (!isRight) throw new RefusalError(reason);
}

/** The value that `work` resolves to, or the refusal that it throws; any other error goes through. */
export async function catchRefusal<Value, Of extends Reason>(work: Promise<Value>): Promise<Value | RefusalError<Of>> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RefusalError) return error as RefusalError<Of>; // each caller names the reasons of its own checks
    throw error;
  }
}
