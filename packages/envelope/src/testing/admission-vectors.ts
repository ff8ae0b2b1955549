import { decodeBase64Url } from "@sealpost/wire";
import { derive } from "../../../wire/src/testing/opening-vectors.ts";
import { type Admission, answerAdmission, createAdmissionWith } from "../admission.ts";
import { type AnswerContent, answerFormat } from "../admission-answer.ts";
import { deriveLinkKey } from "../admission-key.ts";
import type { AdmissionLink } from "../admission-link.ts";
import { type AdmissionTerms, admissionFormat } from "../admission-terms.ts";
import { deriveAdmissionSecret, linkOfWords } from "../admission-words.ts";
import type { UsedAdmission } from "../list-entry.ts";
import type { NewMember, Role } from "../member.ts";
import type { AdmissionReason } from "../refusal.ts";
import { importSigningKey, signContent, signLine } from "../signature.ts";
import {
  type AdmissionList,
  type AdmissionListName,
  type AdmissionLists,
  admissionLists,
  asMember,
  asSigner,
  ids,
} from "./admission-lists.ts";
import { findPersonalKey } from "./people.ts";
import { refusedTerms } from "./refused-terms.ts";

/** vectors/admissions.json. */
export interface AdmissionVectors {
  readonly lists: Readonly<Record<string, AdmissionList>>;
  readonly vectors: readonly AdmissionVector[];
  readonly words: readonly WordsVector[];
}

/** Six words with terms as the person sees them: the link that they stand for, which fits the terms or not. */
export interface WordsVector {
  readonly name: string;
  readonly list: AdmissionListName;
  readonly now: number;
  readonly terms: string;
  readonly words: readonly string[];
  /** For vectors of six words. */
  readonly link?: AdmissionLink;
  readonly outcome: "verified" | AdmissionReason | "wrong_words";
}

/** Terms as the person sees them who has the `link`, or with the `answer`, as `finisher` sees both. */
export interface AdmissionVector {
  readonly name: string;
  /** One of `lists`. */
  readonly list: AdmissionListName;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly terms: string;
  readonly link: AdmissionLink;
  /** Three lines, as received. */
  readonly answer?: string;
  /** The id of the member who finishes it. */
  readonly finisher?: string;
  readonly outcome: "verified" | "opened" | AdmissionReason;
  /** For vectors that open. */
  readonly change?: "add" | "replace";
  readonly admission?: UsedAdmission;
  readonly member?: NewMember;
}

const proofLabel = "sealpost-admission-proof/1";
const made = Date.UTC(2026, 10, 23, 8);
const soon = made + 60_000;
const week = 7 * 24 * 60 * 60 * 1000;

export async function admissionVectors(): Promise<AdmissionVectors> {
  const lists = await admissionLists();
  const maker = await createMaker(lists);
  await addSeen(maker);
  await addOpened(maker);
  await addFinished(maker);
  const { vectors } = maker;
  const published = Object.entries(lists).map(
    ([name, { text, head, organizationId }]) => [name, { organizationId, head, list: text }] as const,
  );
  return { lists: Object.fromEntries(published), vectors, words: await wordsVectors(lists) };
}

const words = ["zoom", "t-shirt", "abacus", "unfold", "yo-yo", "marsh"];

/** Terms whose secret follows from words, and the same words with terms that a server shows in their place. */
async function wordsVectors(lists: AdmissionLists): Promise<readonly WordsVector[]> {
  const admissionId = "adm_01hk153x00e5rbcwg8rxcnh8w9";
  const offer = async (name: AdmissionListName, of: Pick<AdmissionTerms, "admissionId" | "list">) => {
    const { organizationId } = lists[name];
    const secret = await deriveAdmissionSecret(words, { organizationId, ...of });
    const signer = await asSigner("founder", "hybrid owner");
    const person = { person: null, email: "zoe@example.org", name: "Zoë", role: "reader" } as const;
    const made = { admissionId, secret, endsAt: "2026-11-30T08:00:00Z" };
    const { terms } = await createAdmissionWith({ list: lists[name], signer, ...person }, made);
    return { list: name, terms };
  };
  const own = await offer("two", { admissionId, list: lists.two.head });
  const show = async (
    name: string,
    {
      outcome,
      typed = words,
      ...shown
    }: Pick<WordsVector, "outcome" | "list" | "terms"> & { typed?: readonly string[] },
  ): Promise<WordsVector> => {
    const link = await linkOfWords(shown.terms, typed);
    const vector = { name: `words: ${name}`, now: soon, ...shown, words: typed };
    return { ...vector, ...(!("reason" in link) && { link }), outcome };
  };
  const wrong = { ...own, outcome: "wrong_words" } as const;
  const other = { outcome: "wrong_link" } as const;
  const list = "another of the same length";
  return [
    await show("those that were read out", { ...own, outcome: "verified" }),
    await show("in another order", { ...own, ...other, typed: words.toReversed() }),
    await show("one is another", { ...own, ...other, typed: ["zone", ...words.slice(1)] }),
    await show("five", { ...wrong, typed: words.slice(1) }),
    await show("seven", { ...wrong, typed: ["zoom", ...words] }),
    await show("capitals, which a page has to make small", { ...wrong, typed: ["Zoom", ...words.slice(1)] }),
    await show("terms of another list, with a secret for the right one", {
      ...(await offer(list, { admissionId, list: lists.two.head })),
      ...other,
    }),
    await show("terms with the secret of another admission", {
      ...(await offer("two", { admissionId: admissionId.replace(/9$/, "8"), list: lists.two.head })),
      ...other,
    }),
  ];
}

interface Offer {
  readonly person?: string | null;
  readonly role?: Role;
  readonly by?: "founder" | "manager";
  readonly list?: AdmissionListName;
  readonly email?: string;
}

type Maker = Awaited<ReturnType<typeof createMaker>>;

async function createMaker(lists: AdmissionLists) {
  const vectors: AdmissionVector[] = [];
  const signers = {
    founder: await asSigner("founder", "hybrid owner"),
    manager: await asSigner("manager", "hybrid reader"),
  };
  const secret = (await derive("sheet", "admission", 32)).slice(0, 16);
  const key = await findPersonalKey("hybrid recovery");

  return {
    ...{ vectors, lists, key },
    offer: ({
      person = ids.newcomer,
      role = "reader",
      by = "manager",
      list = "two",
      email = "zoe@example.org",
    }: Offer = {}) =>
      createAdmissionWith(
        { list: lists[list], signer: signers[by], person, email, name: "Zoë", role },
        { admissionId: "adm_01hk153x00e5rbcwg8rxcnh8w9", secret, endsAt: "2026-11-30T08:00:00Z" },
      ),
    see({
      name,
      terms,
      link,
      list = "two",
      now = soon,
      outcome,
    }: Omit<Partial<AdmissionVector>, "name"> & Pick<AdmissionVector, "name" | "terms" | "link" | "outcome">) {
      vectors.push({ name: `admission: ${name}`, list, now, terms, link, outcome });
    },
    async open(
      name: string,
      { terms, link }: Pick<Admission, "terms" | "link">,
      rest: Pick<AdmissionVector, "outcome"> & Partial<AdmissionVector>,
    ): Promise<void> {
      const { list = "two", now = soon, finisher = ids.founder, ...more } = rest;
      const answer = rest.answer ?? (await answerAdmission(terms, link, ids.newcomer, key, soon));
      vectors.push({ name: `admission: ${name}`, list, now, terms, link, finisher, ...more, answer });
    },
  };
}

/** The page of the person. */
async function addSeen({ lists, offer, see }: Maker): Promise<void> {
  const admission = await offer();
  const { terms, link } = admission;
  see({ name: "seen by the person", terms, link, outcome: "verified" });
  const long = await offer({ email: `${"\u{1f600}".repeat(242)}@example.org` });
  see({
    ...{ name: "an address of 254 characters that are pairs of halves", terms: long.terms, link: long.link },
    outcome: "verified",
  });
  see({ name: "seen with a newer list", terms, link, list: "another joined", outcome: "verified" });
  see({ name: "seen a moment before its end", terms, link, now: made + week - 1, outcome: "verified" });
  see({ name: "seen at its end", terms, link, now: made + week, outcome: "ended" });
  const hour = 60 * 60 * 1000;
  see({ name: "seen by a clock that is an hour slow", terms, link, now: made - hour, outcome: "verified" });
  see({
    name: "that ends 7 days, an hour and a second from now",
    terms,
    link,
    now: made - hour - 1000,
    outcome: "slow_clock",
  });
  see({ name: "seen after somebody has joined with it", terms, link, list: "newcomer joined", outcome: "used" });
  const gone = await offer({ person: ids.other });
  see({
    ...{ name: "seen after a program has come and gone under its person's id", terms: gone.terms, link: gone.link },
    ...{ list: "a program left", outcome: "used" },
  });
  see({ name: "seen after its maker has left", terms, link, list: "manager left", outcome: "not_signed" });
  const other = { ...link, admissionId: link.admissionId.replace(/9$/, "8") };
  see({ name: "a link to another admission", terms, link: other, outcome: "wrong_link" });
  const secret = `${link.secret.startsWith("A") ? "B" : "A"}${link.secret.slice(1)}`;
  see({ name: "a link with another secret", terms, link: { ...link, secret }, outcome: "wrong_link" });
  const { head } = lists["another of the same length"];
  see({ name: "a link with another head", terms, link: { ...link, head }, outcome: "wrong_link" });
  for (const { name, terms: changed, outcome } of await refusedTerms(terms, link.secret))
    see({ name, terms: changed, link, outcome });
  see({
    ...{ name: "by a recovery key, for an owner", terms: await byRecoveryKey(terms), link },
    ...{ list: "a recovery key that signs joined", outcome: "not_allowed" },
  });
}

/** Terms for an owner: a recovery key may make one, and makes no terms. */
async function byRecoveryKey(terms: string): Promise<string> {
  const content = { ...JSON.parse(terms.split("\n")[0] ?? ""), role: "owner", signedBy: ids.other };
  const { signingKey } = await asSigner("other", "stranger");
  return signLine(admissionFormat, JSON.stringify(content), signingKey);
}

/** Changes of another manager, and whether they may do less since. */
const changesOfAnother = [
  ["has left", "the other manager left", true],
  ["has left by themself", "the other manager left by themself", true],
  ["has left and come back", "the other manager left and came back", true],
  ["is a reader", "the other manager is a reader", true],
  ["is an auditor", "the other manager is an auditor", true],
  ["is an owner", "the other manager is an owner", false],
  ["has another key", "the other manager has another key", false],
] as const satisfies readonly (readonly [string, AdmissionListName, boolean])[];

/** The page of an owner or manager. */
async function addOpened({ offer, open, see, key }: Maker): Promise<void> {
  const admission = await offer();
  const used = (maker: string) => ({ id: admission.terms.slice(0, 200).match(/adm_\w{26}/)?.[0] ?? "", maker });
  const answerTo = ({ terms, link }: Admission, personId: string = ids.newcomer) =>
    answerAdmission(terms, link, personId, key, soon);
  const opened = {
    outcome: "opened",
    change: "add",
    admission: used(ids.manager),
    member: await newcomer("reader"),
  } as const;
  await open("answered with its link", admission, opened);
  await open("finished by its maker", admission, { ...opened, finisher: ids.manager });
  await open("finished with a newer list", admission, { ...opened, list: "another joined" });
  const replaced = await offer({ list: "newcomer joined" });
  await open("for a member who has another key", replaced, { ...opened, change: "replace", list: "newcomer joined" });
  const byAddress = await offer({ person: null });
  await open("for an address", byAddress, opened);
  const inTheirPlace = await offer({ person: null, list: "newcomer joined" });
  await open("for an address, answered with a member's id", inTheirPlace, {
    ...{ outcome: "wrong_answer", list: "newcomer joined" },
  });
  await open("of an owner, by an owner", await offer({ by: "founder", role: "owner" }), {
    ...{ ...opened, admission: used(ids.founder), member: await newcomer("owner") },
  });
  await open("at its end", admission, { outcome: "ended", now: made + week });
  await open("used", admission, { outcome: "used", list: "newcomer joined" });
  await open("for an address, used", byAddress, { outcome: "used", list: "newcomer joined" });
  await open("used for somebody else", byAddress, { outcome: "used", list: "another joined with it" });
  await open("used, and gone since", admission, { outcome: "used", list: "newcomer joined and left" });
  // Who could have made the same terms has nothing to answer with, so the maker's key and right alone count. Anyone who has lost a right may have a link that adds somebody.
  for (const [happened, list, isLess] of changesOfAnother) {
    const known = await offer({ list: "two managers" });
    const added = isLess ? ({ outcome: "used" } as const) : opened;
    await open(`after another manager, who could have made it, ${happened}`, known, { ...added, list });
    see({
      ...{ name: `seen after another manager, who could have made it, ${happened}`, ...known, list },
      outcome: isLess ? "used" : "verified",
    });
    const listed = await offer({ person: ids.manager, role: "manager", by: "founder", list: "two managers" });
    await open(`for a member who is there, after another manager ${happened}`, listed, {
      ...{ ...opened, change: "replace", list, admission: used(ids.founder) },
      ...{ answer: await answerTo(listed, ids.manager), member: { ...(await newcomer("manager")), id: ids.manager } },
    });
    const forAddress = await offer({ person: null, list: "two managers" });
    const outcome = isLess ? ({ outcome: "used" } as const) : opened;
    await open(`for an address, after another manager ${happened}`, forAddress, { ...outcome, list });
    const { terms, link } = forAddress;
    see({
      ...{ name: `for an address, seen after another manager ${happened}`, terms, link, list },
      outcome: isLess ? "used" : "verified",
    });
  }
  await open(
    "for an address, after another manager had left before",
    await offer({ person: null, list: "the other manager left" }),
    { ...opened, list: "the other manager left" },
  );
  for (const other of ["a program", "a recovery key"] as const) {
    const forAddress = await offer({ person: null, list: `${other} joined` });
    await open(`for an address, after ${other} has left`, forAddress, { ...opened, list: `${other} left` });
  }
  await open("by a manager who has left", admission, { outcome: "not_signed", list: "manager left" });
  await open("by a manager who is a reader now", admission, { outcome: "used", list: "manager is a reader" });
  await open("for a member who is there, by a manager who is a reader now", replaced, {
    ...{ outcome: "not_allowed", list: "newcomer joined, and the manager is a reader" },
  });
  await open("by a manager who has another key", admission, { outcome: "not_signed", list: "manager has another key" });
  await open("of a list that is not this one", admission, {
    outcome: "unknown_list",
    list: "another of the same length",
  });
  await open("of another organization", admission, { outcome: "other_organization", list: "another organization" });
  const answer = await answerTo(admission);
  const sign = (edit: (content: AnswerContent) => object, format?: string) =>
    signAnswer(answer, admission, edit, format);
  const refuse = async (name: string, outcome: AdmissionReason, given: string | Promise<string>) =>
    open(name, admission, { outcome, answer: await given });
  const wrong = "wrong_answer";
  const stranger = await findPersonalKey("hybrid reader");
  const { recipient } = await findPersonalKey("stranger");
  await refuse("answered with another recipient", wrong, edited(answer, { recipient }));
  await refuse("answered with another signing key", wrong, edited(answer, { signingKey: stranger.signingKey }));
  await refuse(
    "answered with a recipient that was put in its place, signed again",
    wrong,
    (await sign((content) => ({ ...content, recipient }))).replace(/\{"proof.*/, answer.split("\n")[2] ?? ""),
  );
  await refuse(
    "answered with the secret, and signed by another key",
    wrong,
    sign((content) => ({ ...content, signingKey: stranger.signingKey })),
  );
  await refuse(
    "answered with a signature for something else",
    wrong,
    sign((content) => content, "sealpost-admission/1"),
  );
  await open("for an address, answered as somebody else", byAddress, {
    ...{ outcome: wrong, answer: edited(await answerTo(byAddress), { personId: ids.other }) },
  });
  await refuse("answered by somebody else who has the link", wrong, answerTo(admission, ids.other));
  await refuse("answered to other terms", wrong, answerTo(byAddress));
  const other = admission.terms.replace(/8w9/, "8w8");
  await refuse(
    "answered to another admission",
    wrong,
    sign((content) => ({ ...content, admissionId: JSON.parse(other.split("\n")[0] ?? "").admissionId })),
  );
  await refuse(
    "answered to another organization",
    wrong,
    sign((content) => ({ ...content, organizationId: "acc_01hk153x00e5rbcwg8rxcnh8z1" })),
  );
  await refuse(
    "answered without the secret",
    wrong,
    answerAdmission(admission.terms, { secret: "A".repeat(22) }, ids.newcomer, key, soon),
  );
  const [content = "", signatureLine = ""] = answer.split("\n");
  const proveBy = async (privateKey: CryptoKey, label = proofLabel) =>
    `${content}\n${signatureLine}\n{"proof":"${await signContent(label, content, privateKey)}"}\n`;
  await refuse(
    "answered with a proof by the key that it brings",
    wrong,
    proveBy(await importSigningKey(key.signingSeed)),
  );
  const { privateKey } = await deriveLinkKey(decodeBase64Url(admission.link.secret) ?? new Uint8Array());
  await refuse("answered with a proof that is signed as the answer is", wrong, proveBy(privateKey, answerFormat));
  await refuse(
    "answered with the proof of another answer",
    wrong,
    (await answerTo(byAddress)).replace(/.*\n.*\n/, `${content}\n${signatureLine}\n`),
  );
  await refuse(
    "answered with a critical extension",
    "unknown_extension",
    sign((content) => ({ ...content, extensions: { later: 1 }, critical: ["later"] })),
  );
  await open("answered with an extension that nobody knows", admission, {
    ...{ ...opened, answer: await sign((content) => ({ ...content, extensions: { later: 1 } })) },
  });
  await refuse("a proof of other letters", "malformed", answer.replace(/"proof":"./, '"proof":"+'));
  await refuse("a proof of 32 bytes", "malformed", answer.replace(/"proof":"[^"]*/, `"proof":"${"A".repeat(43)}`));
  await refuse("a proof in another spelling", "malformed", answer.replace(/[AQgw]"\}\n$/, 'B"}\n'));
  await refuse("an answer of two lines", "malformed", answer.replace(/\{"proof.*\n/, ""));
  await refuse("an answer of four lines", "malformed", `${answer}\n`);
  await refuse("an answer without its last line feed", "malformed", answer.slice(0, -1));
  await refuse(
    "an answer of another format",
    "malformed",
    sign((content) => ({ ...content, format: "sealpost-admission-answer/2" })),
  );
  await refuse(
    "an answer with a member that is not known",
    "malformed",
    sign((content) => ({ ...content, more: 1 })),
  );
  await refuse(
    "answered for a person of another kind of id",
    "malformed",
    sign((content) => ({ ...content, personId: "usr_01hk153x00e5rbcwg8rxcnh8n1" })),
  );
  await refuse(
    "answered with a recipient that nobody has",
    "malformed",
    sign((content) => ({ ...content, recipient: "age1pq1" })),
  );
  await refuse(
    "answered with a signing key of small order",
    "malformed",
    sign((content) => ({ ...content, signingKey: "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" })),
  );
}

/** The answer with other members, which nobody has signed. */
function edited(answer: string, members: object): string {
  const [line = "", ...others] = answer.split("\n");
  return [JSON.stringify({ ...JSON.parse(line), ...members }), ...others].join("\n");
}

/** The answer with another content, signed by the newcomer's key and proven with the key of the link. */
async function signAnswer(
  answer: string,
  { link }: Admission,
  edit: (content: AnswerContent) => object,
  format: string = answerFormat,
): Promise<string> {
  const line = JSON.stringify(edit(JSON.parse(answer.split("\n")[0] ?? "")));
  const { signingSeed } = await findPersonalKey("hybrid recovery");
  const signed = await signLine(format, line, await importSigningKey(signingSeed));
  const { privateKey } = await deriveLinkKey(decodeBase64Url(link.secret) ?? new Uint8Array());
  return `${signed}{"proof":"${await signContent(proofLabel, line, privateKey)}"}\n`;
}

async function newcomer(role: Role): Promise<NewMember> {
  return { ...(await asMember("newcomer", role, "hybrid recovery")), name: "Zoë" };
}

/** By members who could not have made the same terms, and from terms that the server has changed. */
async function addFinished({ offer, open, key }: Maker): Promise<void> {
  const refused = (finisher: string, list?: AdmissionListName) =>
    ({ outcome: "not_allowed", finisher, ...(list !== undefined && { list }) }) as const;
  const admission = await offer();
  await open(
    "finished by a manager, for an owner",
    await offer({ by: "founder", role: "owner" }),
    refused(ids.manager),
  );
  await open("finished by a reader", admission, refused(ids.other, "another joined"));
  await open("finished by somebody who is not in the list", admission, refused(ids.other));
  const joined = "a recovery key that signs joined";
  await open(
    "finished by a recovery key, for an owner",
    await offer({ by: "founder", role: "owner" }),
    refused(ids.other, joined),
  );
  const ofRecoveryKey = { ...admission, terms: await byRecoveryKey(admission.terms) };
  await open("by a recovery key, for an owner, with an answer", ofRecoveryKey, refused(ids.founder, joined));
  await open(
    "finished by a manager who is a reader now",
    await offer({ by: "founder", list: "newcomer joined" }),
    refused(ids.manager, "newcomer joined, and the manager is a reader"),
  );
  const ofManager = await offer({ by: "founder", person: ids.manager });
  await open("finished by the member whose key is replaced", ofManager, {
    ...refused(ids.manager),
    answer: await answerAdmission(ofManager.terms, ofManager.link, ids.manager, key, soon),
  });
  for (const { name, terms, outcome } of await refusedTerms(admission.terms, admission.link.secret))
    if (outcome !== "wrong_link")
      await open(
        `${name}, with an answer`,
        { ...admission, terms },
        {
          outcome,
          answer: await answerAdmission(admission.terms, admission.link, ids.newcomer, key, soon),
        },
      );
}
