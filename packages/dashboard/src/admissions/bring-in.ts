import { type AdmittingChange, openAdmission, RefusalError } from "@sealpost/envelope";
import { ApiError, type Member } from "@sealpost/sdk";
import { toListToCheck } from "@sealpost/sdk/envelopes";
import { client } from "../api/client.ts";
import { Explained } from "../api/describe-error.ts";
import type { MadeAdmission } from "../envelopes/admission-operations.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { findOrFoundList, toListName } from "../envelopes/found-list.ts";
import { type CheckedList, ListUnusable, loadList } from "../envelopes/load-list.ts";
import type { Grant } from "../organization/grant-fields.tsx";
import { findTokenOf } from "../organization/invitation-token.ts";
import { nameOf } from "../organization/names.ts";
import type { Role } from "../organization/offers.ts";
import { pages } from "../pages.ts";
import { askPersonalKey } from "../personal-key/personal-key.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";

const { admissions } = text;

const triesMax = 8;

/** Who is brought in: a member, or the address of somebody who has yet to join. */
export interface Newcomer {
  readonly person: string | null;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

/** To be given to the newcomer by hand, by messenger or by phone. */
export interface PassedOn {
  readonly admissionId: string;
  readonly url: string;
}

export const toNewcomer = (member: Member): Newcomer => ({
  ...{ person: member.id, email: member.email, name: nameOf(member), role: member.role },
});

/** Makes a link that brings somebody into the list. What follows its # is in no request. With `words` they stand for it. */
export async function makeLink(
  context: EnvelopeContext,
  newcomer: Newcomer,
  words?: readonly string[],
): Promise<PassedOn> {
  const made = await signTerms(context, newcomer, words);
  await sendTerms(made);
  return { admissionId: made.id, url: toUrl(made.fragment) };
}

/**
 * Invites an address, and makes the link for the key of the person who joins with it. Where the server emails the invitation, the link is for the key
 * alone: who has only one of the two can do nothing in the person's place. Where it does not, one link is for both.
 */
export async function inviteWithKey(
  context: EnvelopeContext,
  { role, forms }: Grant,
  person: Pick<Newcomer, "email" | "name">,
) {
  const made = await signTerms(context, { ...person, person: null, role });
  const { email } = person;
  const invited = await withFreshSession(() =>
    client.invitations.create({ email, role, ...(forms !== undefined && { forms: [...forms] }) }),
  );
  // Nothing but a token is added to what was signed here: the server could put anything after the # of its address.
  const token = invited.mailed ? undefined : findTokenOf(invited.url);
  if (!invited.mailed && token === undefined) throw new Explained(admissions.invite.strangeLink);
  await sendTerms(made);
  return { ...invited, keyUrl: toUrl(token === undefined ? made.fragment : `${made.fragment}.${token}`) };
}

const toUrl = (fragment: string) => `${window.location.origin}${pages.join.path}#${fragment}`;

async function signTerms(
  context: EnvelopeContext,
  newcomer: Newcomer,
  words?: readonly string[],
): Promise<MadeAdmission> {
  const list = await findOrFoundList(context);
  if (list.kind === "refused" && list.reason === "lost_list") throw new Error("The list of members is not there");
  if (list.kind !== "checked") throw new ListUnusable(list as Exclude<typeof list, CheckedList> as never); // its reason is one of lists
  await context.requireOrganization();
  return askPersonalKey("makeAdmission", {
    ...{ list: toListToCheck(list), signerId: list.own.id },
    ...{ ...newcomer, name: toListName(newcomer.name), ...(words && { words }) },
  });
}

async function sendTerms({ terms }: MadeAdmission): Promise<void> {
  await withFreshSession(() => client.admissions.create({ terms }));
}

/** An answered admission, and the entry that it comes to. */
export interface Answered extends AdmittingChange {
  readonly email: string;
  /** The member who made the link. */
  readonly madeBy: { readonly id: string; readonly name: string | undefined };
  readonly list: CheckedList;
}

/** Checks an answered admission by the newest list. Rejects with a `RefusalError` where it is not what was signed and answered with the link. */
export async function openAnswer(context: EnvelopeContext, admissionId: string): Promise<Answered> {
  const { admission, answer } = await client.admissions.get(admissionId);
  if (answer === null) throw new RefusalError("malformed");
  const list = await loadList(context);
  if (list.kind !== "checked") throw new ListUnusable(list);
  const opened = await openAdmission(admission.terms, answer, { list: list.list, finisherId: list.own.id });
  if (opened instanceof RefusalError) throw opened;
  const { terms, maker, change } = opened;
  return { ...change, email: terms.email, madeBy: { id: maker.id, name: maker.name }, list };
}

/** Adds the entry that was shown, and gives the list as it was read back. Begun again after a lost answer, it finds the entry there. */
export async function bringIn(context: EnvelopeContext, admissionId: string, shown: Answered): Promise<void> {
  const { organizationId, keyAgent, api } = context;
  const { change, admission, member } = shown;
  for (let tries = 1; ; tries++) {
    const now = await loadList(context);
    if (now.kind !== "checked") throw new ListUnusable(now);
    if (now.list.members.get(member.id)?.recipient === member.recipient) return;
    const opened = await openAnswer(context, admissionId);
    // Somebody else may have changed the list, and the server what it shows: only the entry that was agreed to is signed.
    const toText = (terms: AdmittingChange) => JSON.stringify([terms.change, terms.admission, terms.member]);
    if (toText(opened) !== toText(shown)) throw new RefusalError("used");
    const { list } = opened;
    const signed = await keyAgent.signEntry({
      ...{ organizationId, list: toListToCheck(list), change: { change, admission, member } },
      signerId: list.own.id,
    });
    if (signed instanceof RefusalError) throw signed;
    try {
      await api.addEntry(signed, list.list.head);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412) || tries === triesMax) throw error;
    }
  }
}
