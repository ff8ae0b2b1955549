import { type FollowReason, type KeyLogProblemError, type Reason, RefusalError } from "@sealpost/envelope";

/**
 * `no_list`: the organization has none yet. `hidden_list`: there was one. `not_trusted`: nothing says yet which list is the right one.
 * `other_list`: the list is not the one whose head was passed on. `not_listed`: the identity is nobody's in it. `moved_form`: the form was seen in another
 * organization. The last five are about writing: `not_a_writer`: neither an owner nor a manager in the list.
 */
export type EnvelopeProblem =
  | FollowReason
  | "no_list"
  | "hidden_list"
  | "not_trusted"
  | "other_list"
  | "not_listed"
  | "moved_form"
  | "no_envelope"
  | "other_published_key"
  | "lost_keys"
  | "not_a_writer"
  | "owner_needed"
  | "unexpected_organization"
  | "no_hybrid"
  | "no_key_log_signer"
  | "no_key_log_owner"
  | "key_log_refused"
  | "key_log_hidden"
  | "key_log_old"
  | "key_log_overtaken"
  | "key_log_places_used"
  | "key_log_version_gap"
  | "key_log_hybrid_needed"
  | "key_log_seed_needed"
  | "key_log_exists"
  | "no_key_log"
  | "key_not_held"
  | "logged_key_not_held";

const givenUp = "Ask who runs the server; if an owner says that they gave the log up, forget it first";

const sentences: Readonly<Record<Exclude<EnvelopeProblem, Reason> | "unknown_key_log", string>> = {
  unknown_key_log: `The form's envelope names an entry of a key log that the server does not show: its writer made it up, or the server hides it. Its keys open submissions, and nothing was changed. ${givenUp}; otherwise an owner or manager brings back what was before it`,
  no_list: "The organization has no signed list of members, so nothing says who may write an envelope",
  hidden_list: "The server shows no list of members, although one was seen before",
  not_trusted:
    "No list of members has been seen with this identity. Give the head that was shown when its recipient was added (NUMBER-HASH)",
  other_list:
    "The list of members that the server shows is not the one whose head was passed on. Compare the head with what was shown when the recipient was added",
  not_listed:
    "This identity is nobody's in the list of members: an owner or manager has to add its recipient, or has removed it",
  hidden_envelope: "The server shows no envelope, although one was seen before",
  lost_envelope: "The server took an envelope, and does not show it",
  moved_form: "This form was seen in another organization before, where others read",
  no_envelope: "The form has no envelope",
  other_published_key:
    "The server publishes another key for the form than the envelope has, or none: nothing was changed. Ask who runs the server",
  lost_keys:
    "A rotation would drop keys of the form. Either nothing opens of the envelope in which the next key version has its place, or the form has a newer key version than each whose key opens here: then the server may hide the newest revision of its envelope, and that may be from after somebody was taken out of the readers, who would have the new key. Nothing was changed. First ask the others who write or read the form, the one who rotated it last above all, who reads it, and to open it on the devices that they have used for it; what can't be opened they, or the organization's recovery key, may bring back. A revision that came with a new key stays as long as the form, and so does the newest of each person; others for 90 days after the next one",
  not_a_writer: "Only owners and managers write envelopes and the list of members, and in this list you are neither",
  owner_needed:
    "A revision of this envelope is not for your key, shows nobody's signature here, or is not shown: somebody may have taken you out of its readers on purpose, and others who have opened it would refuse what you bring back. An owner who reads the form puts you among its readers again or, if the owner can't open that revision either, brings back what was before it. Nothing was changed",
  unexpected_organization:
    "The server shows the list of another organization than the one for which the new form is, and others would read it",
  no_hybrid: "A hybrid key is needed, and this runtime makes none: Node.js 26 does",
  no_key_log_signer:
    "The form has a key log, and its newest entry does not let you sign the next one: an owner or manager whom it names has to rotate",
  no_key_log_owner: "Only an owner whom the newest entry of the form's key log names changes who signs it",
  key_log_refused: `The form's key log is not in order, or not the one that was seen here or that the form's envelope names, so nothing was changed. ${givenUp}`,
  key_log_hidden: `The server shows no key log for the form, and one was seen here, or is named by the form's envelope: nothing was changed. ${givenUp}`,
  key_log_old: `The server shows an older key log than was seen here, or than the form's envelope names: nothing was changed. ${givenUp}`,
  key_log_overtaken: "Somebody else has rotated the form meanwhile, and its key log has this version: run this again",
  key_log_places_used:
    "Managers have used all their places in the form's key log: an owner whom it names has to sign the next entry, by a rotation or a renewal of the log",
  key_log_version_gap:
    "The form was rotated without an entry in its key log, and a manager signs the very next version alone: an owner whom the log names has to rotate",
  key_log_hybrid_needed:
    "The form's key log names a hybrid key, and a manager's next version needs one too: rotate with a hybrid key, or ask an owner",
  key_log_seed_needed:
    "The form's key log names a reply key, and a manager's next version needs a seed, from which one follows: make a key with one, or ask an owner",
  key_log_exists: "The form has a key log already",
  no_key_log: "The form has no key log",
  key_not_held:
    "The form's newest key is in no key file that was given, nor in an envelope that this key opens. Anyone who begins a key log signs that the key is theirs",
  logged_key_not_held:
    "The newest key in the form's key log is in no key file that was given, nor in an envelope that this key opens, so nothing says that the log is the form's, and it is neither signed nor pinned. Somebody who reads the form has to do that; or rotate the form, or give the log up",
  former_writer:
    "Somebody who may no longer write this envelope has written it last, with keys that were not seen here before",
};

/** Why a form's key log gets no entry. */
export function toKeyLogProblem(reason: KeyLogProblemError["reason"]): EnvelopeProblem {
  switch (reason) {
    case "no_signer":
      return "no_key_log_signer";
    case "hidden":
    case "old":
    case "overtaken":
    case "places_used":
    case "version_gap":
    case "hybrid_needed":
    case "seed_needed":
      return `key_log_${reason}`;
    default:
      return "key_log_refused";
  }
}

/** A sentence for the person who runs the program. */
export function describeProblem(problem: EnvelopeProblem): string {
  return Object.hasOwn(sentences, problem)
    ? sentences[problem as keyof typeof sentences]
    : new RefusalError(problem as Reason).message; // one of the two
}

interface ProblemParts {
  readonly file?: Uint8Array<ArrayBuffer> | undefined;
  readonly isBringable?: boolean;
}

/** A list or an envelope that may not be used. */
export class EnvelopeProblemError extends Error {
  override readonly name = "EnvelopeProblemError";
  readonly problem: EnvelopeProblem;
  /** An envelope with a key that is in use, and that the server does not show: keep it; it is sealed. */
  readonly file: Uint8Array<ArrayBuffer> | undefined;
  /** An envelope's newest revision is refused for what its writer has made: an owner or manager may bring back what was before it. */
  readonly isBringable: boolean;

  constructor(problem: EnvelopeProblem, { file, isBringable = false }: ProblemParts = {}) {
    super(describeProblem(problem));
    this.problem = problem;
    this.file = file;
    this.isBringable = isBringable;
  }
}

/** The list of members may not be used. A page has its own words for it, and throws its own kind of this. */
export class UnusableListError extends Error {}

/** The form was changed after its envelopes were opened: what was found out by them does not hold. */
export class OvertakenError extends Error {
  override readonly name = "OvertakenError";

  constructor() {
    super("Somebody has rotated this form, or changed its readers, meanwhile. Nothing was changed: try again");
  }
}
