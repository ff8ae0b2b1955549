import {
  type AdmissionLink,
  fetchPages,
  linkOfWords,
  type Member,
  organizationOfTerms,
  type PublicHalves,
  parseAdmissionLink,
  RefusalError,
  readAdmission,
  type VerifiedTerms,
} from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { client } from "../api/client.ts";
import { Explained } from "../api/describe-error.ts";
import { envelopeApi } from "../envelopes/envelope-api.ts";
import { findSelf } from "../envelopes/find-self.ts";
import { loadHeads } from "../envelopes/heads.ts";
import { keepOwnHead } from "../envelopes/own-head.ts";
import { keyOperations } from "../personal-key/key-operations.ts";
import { askPersonalKey, findOpenHalves } from "../personal-key/personal-key.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { followLink, type ListOfLink } from "./follow-link.ts";

/** Terms that were checked against the link: from its head the list, by the list their maker. */
export interface SeenAdmission extends VerifiedTerms, ListOfLink {
  readonly text: string;
  /** By the server's word. */
  readonly organizationName: string;
  /** The owners and managers of the list besides the maker, who may bring the person in as well. */
  readonly otherAdmitters: readonly Member[];
  readonly isAnswered: boolean;
}

/**
 * Rejects with a `RefusalError` where the server shows something else than the link is for. Nothing is remembered yet: anybody can pass a link
 * on, and together with the server one to a list of their own.
 */
export async function seeAdmission(fragment: string, personId: string): Promise<SeenAdmission> {
  const link = parseAdmissionLink(fragment);
  if (link === undefined) throw new RefusalError("wrong_link");
  return check(await getOwn(link.admissionId), link, personId);
}

/** So many offers are tried, the newest first: each takes a good part of a second. */
const triesMax = 5;

/** The same with the words that stand for a link, of whichever of the person's offers they are. `undefined`: there is none. */
export async function seeByWords(words: readonly string[], personId: string): Promise<SeenAdmission | undefined> {
  const own = await client.admissions.listOwn();
  if (own.length === 0) return undefined;
  let refusal: RefusalError = new RefusalError("wrong_words");
  for (const { id } of own.slice(0, triesMax)) {
    const seen = await tryWords(id, words, personId).catch(toRefusal);
    if (seen === undefined) continue; // it was taken back since
    if (!(seen instanceof RefusalError)) return seen;
    // One that nobody can use keeps no other from being tried. It is named where no other fits either.
    if (seen.reason !== "wrong_link") refusal = seen;
  }
  throw refusal;
}

async function tryWords(admissionId: string, words: readonly string[], personId: string): Promise<SeenAdmission> {
  const shown = await getOwn(admissionId);
  const link = await linkOfWords(shown.terms, words);
  if (link instanceof RefusalError) throw link;
  return check(shown, link, personId);
}

/** The refusal of one offer; `undefined` where there is no such offer. Throws any other error. */
function toRefusal(error: unknown): RefusalError | undefined {
  if (error instanceof RefusalError) return error;
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}

type OwnAdmission = Awaited<ReturnType<typeof client.admissions.getOwn>>;

/** With the whole list. */
async function getOwn(admissionId: string): Promise<OwnAdmission> {
  const shown = await client.admissions.getOwn(admissionId);
  const getPage = async (entry?: number) =>
    (entry === undefined ? shown : await client.admissions.getOwn(admissionId, { entry })).list;
  const bytes = await fetchPages(async (entry) => new TextEncoder().encode(await getPage(entry)));
  return { ...shown, list: new TextDecoder().decode(bytes) };
}

async function check(shown: OwnAdmission, link: AdmissionLink, personId: string): Promise<SeenAdmission> {
  const { terms: shownTerms, list: listText, names: namesText, organization, answeredAt } = shown;
  const organizationId = organizationOfTerms(shownTerms);
  if (organizationId === undefined) throw new RefusalError("malformed");
  const origin = { text: shownTerms, link, organizationId, listText, namesText };
  const list = await followLink(origin, await loadHeads(personId, findOpenHalves()), true);
  const seen = await readAdmission(shownTerms, link, list);
  if (seen instanceof RefusalError) throw seen;
  const otherAdmitters = [...list.members.values()].filter(
    ({ id, role }) => id !== seen.maker.id && (role === "owner" || role === "manager"),
  );
  return { ...seen, ...origin, organizationName: organization.name, otherAdmitters, isAnswered: answeredAt !== null };
}

/**
 * Answers with the public halves of the open key, which signs it. The link's secret stays here, and from now on this browser takes no list of the organization
 * that does not continue the link's.
 */
export async function sendAnswer(seen: SeenAdmission, personId: string, halves: PublicHalves): Promise<void> {
  const { text: terms, link, organizationId } = seen;
  const list = await followLink(seen, await loadHeads(personId, halves));
  const self = findSelf(list, { own: halves, personId });
  const isListed = self?.recipient === halves.recipient && self.signingKey === halves.signingKey;
  // An entry for the new id would be of a key that is there already, which no list allows.
  if (isListed && self.id !== personId) throw new Explained(text.admissions.join.otherId);
  const { answer } = await askPersonalKey("signAnswer", { terms, secret: link.secret, personId });
  await withFreshSession(() => client.admissions.answer(link.admissionId, { answer }));
  // Who is brought in while this browser is closed for good needs it on the next device. The answer is sent, so nothing waits for it.
  const context = { organizationId, personId, own: halves, api: envelopeApi, keyAgent: keyOperations };
  void keepOwnHead(context, list.head);
}
