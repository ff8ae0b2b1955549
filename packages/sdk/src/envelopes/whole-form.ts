import {
  findSealable,
  findWriting,
  KeyLogProblemError,
  type Member,
  RefusalError,
  type SeenHeads,
  type VerifiedList,
} from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import { ApiError } from "../client/api-error.ts";
import { findStuck } from "./bring-back.ts";
import { isReplaceable, type NotUsed, toRefusal } from "./bringable.ts";
import type { EnvelopeClient, EnvelopeOpener, KnownList, SealingList } from "./envelope-client.ts";
import { EnvelopeProblemError, OvertakenError, toKeyLogProblem } from "./envelope-problem.ts";
import { type OpenedEnvelopes, openForm } from "./open-form.ts";
import type { SearchOptions } from "./search-revisions.ts";

/** Somebody else may write at the same time. */
const triesMax = 8;

/** The envelopes of a form. Rejects if one is refused, since no revision may follow then. `isLeft`: a refusal to ignore. */
export async function openWhole<List extends KnownList>(
  client: EnvelopeOpener,
  formId: string,
  loadList: () => Promise<List>,
  isLeft: (refused: NotUsed) => boolean = () => false,
): Promise<OpenedEnvelopes<List>> {
  // Ids of forms, by the API's document: the server refuses anything else.
  const opened = await openForm(client, { formId: formId as FormId, loadList });
  if (opened.kind === "none") throw new EnvelopeProblemError("no_envelope");
  if (opened.kind === "moved_form") throw new EnvelopeProblemError("moved_form");
  const refused = opened.refused.find((one) => !isLeft(one));
  if (refused !== undefined) throw toRefusal(refused);
  if (opened.otherKeys.length > 0) throw new EnvelopeProblemError("other_published_key");
  return opened;
}

/** The same, to write the next revisions. */
export function openToWrite(client: EnvelopeClient, formId: string): Promise<OpenedEnvelopes<SealingList>> {
  return openWhole(client, formId, () => client.loadList());
}

/**
 * The same for a rotation: somebody may have begun an envelope that nobody takes, and the next version has its place in it. Rejects where something can be
 * brought back into that one: its keys would be in no envelope any more.
 */
export async function openToRotate(
  client: EnvelopeClient,
  formId: string,
  options?: SearchOptions,
): Promise<OpenedEnvelopes<SealingList>> {
  const opened = await openWhole(client, formId, () => client.loadList(), isReplaceable);
  // As above.
  const stuck = await findStuck(client, opened.list, formId as FormId, opened.refused, options);
  if (stuck !== undefined) throw toRefusal(stuck);
  return opened;
}

/** The person whose key it is, as a member who writes. */
export function findSelf(list: VerifiedList, { signingKey }: { readonly signingKey: string }): Member {
  const member = findWriting(list, signingKey);
  if (member === undefined) throw new EnvelopeProblemError("not_a_writer");
  return member;
}

/** The list as the person with this key writes by it: who they are in it, and for whom they may seal. */
export async function toSealingList(
  known: KnownList,
  heads: Pick<SeenHeads, "findConfirmed">,
  key: { readonly recipient: string; readonly signingKey: string },
): Promise<SealingList> {
  const { list } = known;
  const own = findSelf(list, key);
  const confirmed = await heads.findConfirmed(list.organizationId);
  return { ...known, own, confirmed, sealable: await findSealable(list, { own: key, confirmed }) };
}

/** The problem that a refusal of the client's is, for a program; any other error unchanged. */
export function toProblem(error: unknown): unknown {
  if (error instanceof RefusalError) return new EnvelopeProblemError(error.reason);
  return error instanceof KeyLogProblemError ? new EnvelopeProblemError(toKeyLogProblem(error.reason)) : error;
}

/** Runs `work` again where somebody else was faster: 412, what was opened is not the newest, or a revision by a newer list. It begins with what is there then. */
export async function untilFirst<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isLate =
        error instanceof OvertakenError ||
        (error instanceof ApiError && error.status === 412) ||
        (error instanceof RefusalError && error.reason === "old_list");
      if (!isLate || attempt === triesMax) throw error;
    }
  }
}
