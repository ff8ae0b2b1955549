import { type FollowReason, type Reason, RefusalError } from "@sealpost/envelope";

/**
 * `no_list`: the organization has none yet. `hidden_list`: there was one. `not_trusted`: nothing says yet which list is the right one.
 * `other_list`: the list is not the one whose head was passed on. `not_listed`: the identity is nobody's in it.
 */
export type EnvelopeProblem = FollowReason | "no_list" | "hidden_list" | "not_trusted" | "other_list" | "not_listed";

const sentences: Readonly<Record<Exclude<EnvelopeProblem, Reason>, string>> = {
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
  former_writer: "Somebody who may no longer write this envelope has put keys into it that were not seen before",
};

/** A sentence for the person who runs the program. */
export function describeProblem(problem: EnvelopeProblem): string {
  return Object.hasOwn(sentences, problem)
    ? sentences[problem as keyof typeof sentences]
    : new RefusalError(problem as Reason).message; // one of the two
}

/** A list or an envelope that may not be used. */
export class EnvelopeProblemError extends Error {
  override readonly name = "EnvelopeProblemError";
  readonly problem: EnvelopeProblem;

  constructor(problem: EnvelopeProblem) {
    super(describeProblem(problem));
    this.problem = problem;
  }
}
