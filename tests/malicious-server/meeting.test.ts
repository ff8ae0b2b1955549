import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answerAdmission,
  createAdmission,
  createListEntry,
  generatePersonalKey,
  importSigningKey,
  linkOfWords,
  openAdmission,
  type PersonalKey,
  RefusalError,
  readAdmission,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { signLine } from "../../packages/envelope/src/signature.ts";

// Two people who sit together, or talk on the phone, and the server between their browsers. One has six words on the screen, the other types them.

const organizationId = createId("account");
const [managerId, newcomerId] = [createId("account"), createId("account")];
const words = ["zoom", "abacus", "unfold", "marsh", "plank", "yo-yo"];
const person = { person: newcomerId, email: "noor@example.com", name: "Noor", role: "reader" } as const;
const halvesOf = ({ recipient, signingKey }: PersonalKey) => ({ recipient, signingKey });

interface Owner {
  readonly key: PersonalKey;
  readonly text: string;
  readonly list: VerifiedList;
}

/** A list of one owner: the manager's, or one that the server has made up under the same ids. */
async function found(): Promise<Owner> {
  const key = await generatePersonalKey();
  const member = { id: managerId, name: "Ada", role: "owner", ...halvesOf(key) } as const;
  const { entry: text } = await createListEntry(
    undefined,
    organizationId,
    { change: "add", member },
    await signerOf(key),
  );
  return { key, text, list: await verify(text, { signingKey: key.signingKey }) };
}

const signerOf = async ({ signingSeed }: PersonalKey) => ({
  id: managerId,
  signingKey: await importSigningKey(signingSeed),
});

async function verify(text: string, trust: Parameters<typeof verifyList>[1]["trust"]): Promise<VerifiedList> {
  const list = await verifyList(new TextEncoder().encode(text), { organizationId, trust });
  assert.ok(!(list instanceof RefusalError), String(list));
  return list;
}

const offer = async ({ key, list }: Owner, spoken = words) =>
  createAdmission({ list, signer: await signerOf(key), ...person, words: spoken });

const finishing = ({ list }: Pick<Owner, "list">) => ({ list, finisherId: managerId });

/** The newcomer's browser: the terms and the list are what the server shows, the words what the person has typed. */
async function type(terms: string, text: string, typed: readonly string[]) {
  const link = await linkOfWords(terms, typed);
  if (link instanceof RefusalError) return link;
  const list = await verifyList(new TextEncoder().encode(text), { organizationId, trust: { head: link.head } });
  if (list instanceof RefusalError) return list;
  const seen = await readAdmission(terms, link, list);
  return seen instanceof RefusalError ? seen : { ...seen, link };
}

const reasonOf = (outcome: object) => (outcome instanceof RefusalError ? outcome.reason : "taken");

test("six words that are typed bring in the right key and the right list, and a server that swaps either while they sit together gets nothing", async () => {
  const manager = await found();
  const own = await generatePersonalKey();
  const admission = await offer(manager);
  const seen = await type(admission.terms, manager.text, words);
  assert.ok(!(seen instanceof RefusalError), String(seen));
  assert.deepEqual(seen.link, admission.link, "the words stand for the link");
  const answer = await answerAdmission(admission.terms, seen.link, newcomerId, own);
  const open = (given: string) => openAdmission(admission.terms, given, finishing(manager));
  const opened = await open(answer);
  assert.ok(!(opened instanceof RefusalError) && opened.change.member.recipient === own.recipient);

  // Towards the manager: a key of the server's with the newcomer's proof, or with one of words that it guesses.
  const swapped = await generatePersonalKey();
  assert.equal(reasonOf(await open(edited(answer, halvesOf(swapped)))), "wrong_answer");
  // The server signs with its own key what the newcomer has proven, or puts a recipient of its own next to the newcomer's signing key.
  const byServer = await answerAdmission(admission.terms, { secret: "A".repeat(22) }, newcomerId, swapped);
  const [, , proof = ""] = answer.split("\n");
  assert.equal(reasonOf(await open(byServer.replace(/\{"proof".*/, proof))), "wrong_answer");
  assert.equal(reasonOf(await open(edited(answer, { recipient: swapped.recipient }))), "wrong_answer");
  const guess = await linkOfWords(admission.terms, words.toReversed());
  assert.ok(!(guess instanceof RefusalError));
  const guessed = await answerAdmission(admission.terms, guess, newcomerId, swapped);
  assert.equal(reasonOf(await open(guessed)), "wrong_answer");

  // Towards the newcomer: an organization that the server made up, whose terms it can sign, but not for words that it does not know.
  const madeUp = await found();
  assert.equal(reasonOf(await type((await offer(madeUp, words.toReversed())).terms, madeUp.text, words)), "wrong_link");
  // Not even with the key of the right link, taken from the real terms.
  const [line = ""] = admission.terms.split("\n");
  const { linkKey } = JSON.parse(line) as { readonly linkKey: string };
  const [other = "", signature = ""] = (await offer(madeUp, words.toReversed())).terms.split("\n");
  const mixed = other.replace(/"linkKey":"[^"]+"/, `"linkKey":"${linkKey}"`);
  assert.equal(reasonOf(await type(`${mixed}\n${signature}\n`, madeUp.text, words)), "not_signed");
  const signed = await signAs(madeUp, mixed);
  assert.equal(reasonOf(await type(signed, madeUp.text, words)), "wrong_link");
  // The real terms with the made-up list.
  assert.equal(reasonOf(await type(admission.terms, madeUp.text, words)), "forked");
});

test("words that somebody else overheard bring in nobody but the person whom they are for, and wrong words nobody at all", async () => {
  const manager = await found();
  const admission = await offer(manager);
  const stranger = await generatePersonalKey();
  const seen = await type(admission.terms, manager.text, words);
  assert.ok(!(seen instanceof RefusalError));
  const answer = await answerAdmission(admission.terms, seen.link, createId("account"), stranger);
  assert.equal(reasonOf(await openAdmission(admission.terms, answer, finishing(manager))), "wrong_answer");
  assert.equal(reasonOf(await type(admission.terms, manager.text, words.slice(1))), "wrong_words");
  assert.equal(reasonOf(await type(admission.terms, manager.text, ["zebra", ...words.slice(1)])), "wrong_link");
});

test("a link for an address that has yet to join brings in the person who answers with it, and not a server that makes the account and answers itself", async () => {
  const manager = await found();
  const signer = await signerOf(manager.key);
  const admission = await createAdmission({ list: manager.list, signer, ...person, person: null });
  const { terms, link } = admission;
  const server = await generatePersonalKey();
  const open = (answer: string) => openAdmission(terms, answer, finishing(manager));
  // It has the terms, and an account with the address; it lacks what follows the # of the link.
  const made = await answerAdmission(terms, { secret: "A".repeat(22) }, newcomerId, server);
  assert.equal(reasonOf(await open(made)), "wrong_answer");
  // It shows the newcomer an organization of its own, to have them make forms there.
  const madeUp = await found();
  const shown = await createAdmission({
    list: madeUp.list,
    signer: await signerOf(madeUp.key),
    ...person,
    person: null,
  });
  assert.equal(reasonOf(await readAdmission(shown.terms, link, madeUp.list)), "wrong_link");
  const own = await generatePersonalKey();
  const answer = await answerAdmission(terms, link, newcomerId, own);
  const opened = await open(answer);
  assert.ok(!(opened instanceof RefusalError) && opened.change.member.recipient === own.recipient, "control");
  // Under another person's id, whom the newcomer is said to be.
  assert.equal(reasonOf(await open(edited(answer, { personId: managerId }))), "wrong_answer");
});

// Row B8 of the findings on 6a710908, shown by others.ts: anyone who had the link of an address could have a second account brought in with it, if the server helped.
test("B8: a link for an address brings in one account, whichever accounts answer with it, also after that one was removed again", async () => {
  const manager = await found();
  const signer = await signerOf(manager.key);
  const { terms, link } = await createAdmission({ list: manager.list, signer, ...person, person: null });
  const answers = await Promise.all(
    [newcomerId, createId("account")].map(async (id) => answerAdmission(terms, link, id, await generatePersonalKey())),
  );
  const [first = "", second = ""] = answers;
  const open = (answer: string, list: VerifiedList) => openAdmission(terms, answer, finishing({ list }));
  const opened = await open(first, manager.list);
  assert.ok(!(opened instanceof RefusalError), String(opened));
  assert.equal(reasonOf(await open(second, manager.list)), "taken", "the control: either could be the one");
  const added = await createListEntry(manager.list, organizationId, opened.change, signer);
  const joined = await verify(manager.text + added.entry, { head: manager.list.head });
  for (const answer of answers) assert.equal(reasonOf(await open(answer, joined)), "used");
  const removal = { change: "remove", member: { id: newcomerId } } as const;
  const removed = await createListEntry(joined, organizationId, removal, signer);
  const left = await verify(manager.text + added.entry + removed.entry, { head: joined.head });
  for (const answer of answers) assert.equal(reasonOf(await open(answer, left)), "used");
  // A list in which somebody who may write has used it all the same.
  const other = await open(second, manager.list);
  assert.ok(!(other instanceof RefusalError));
  const again = await createListEntry(manager.list, organizationId, other.change, signer);
  const resigned = await resign(again.entry, left, signer.signingKey);
  const text = manager.text + added.entry + removed.entry + resigned;
  const trust = { head: left.head };
  const list = await verifyList(new TextEncoder().encode(text), { organizationId, trust });
  assert.equal(reasonOf(list), "not_allowed");
});

// Somebody who was removed kept a second, unused link: for their address, or for an account that the server had shown as another person's. Nothing in the list is about
// the account that answers.
for (const [loses, change] of [
  ["was removed", { change: "remove", member: { id: newcomerId } }],
  ["has a lesser role", "auditor"],
] as const)
  for (const names of ["their address", "another account, by the server's word"] as const)
    test(`who ${loses} comes back with no other link, which names ${names}, whichever account the server says is theirs`, async () => {
      const manager = await found();
      const signer = await signerOf(manager.key);
      const own = await generatePersonalKey();
      const anotherId = createId("account");
      const offerIn = (list: VerifiedList, to: string | null) =>
        createAdmission({ list, signer, ...person, person: to });
      const first = await offerIn(manager.list, null);
      const answer = await answerAdmission(first.terms, first.link, newcomerId, own);
      const opened = await openAdmission(first.terms, answer, finishing(manager));
      assert.ok(!(opened instanceof RefusalError), String(opened));
      const added = await createListEntry(manager.list, organizationId, opened.change, signer);
      const joined = {
        text: manager.text + added.entry,
        list: await verify(manager.text + added.entry, { head: manager.list.head }),
      };
      const named = names === "their address" ? null : anotherId;
      const spare = await offerIn(joined.list, named);
      const asAnother = await answerAdmission(spare.terms, spare.link, anotherId, await generatePersonalKey());
      const open = (list: VerifiedList) => openAdmission(spare.terms, asAnother, finishing({ list }));
      assert.equal(reasonOf(await open(joined.list)), "taken", "the control: nothing was taken from anybody yet");
      const taking =
        change === "auditor"
          ? ({ change: "replace", member: { ...opened.change.member, role: change } } as const)
          : change;
      const taken = await createListEntry(joined.list, organizationId, taking, signer);
      const list = await verify(joined.text + taken.entry, { head: joined.list.head });
      assert.equal(reasonOf(await open(list)), "used");
      assert.equal(reasonOf(await readAdmission(spare.terms, spare.link, list)), "used");
      // A link that is made afterwards is for whom its maker means.
      const later = await offerIn(list, named);
      assert.equal(reasonOf(await readAdmission(later.terms, later.link, list)), "taken");
    });

/** The entry at the end of another list. */
async function resign(entry: string, { head }: VerifiedList, signingKey: CryptoKey): Promise<string> {
  const content = { ...JSON.parse(entry.split("\n")[0] ?? ""), number: head.number + 1, previous: head.hash };
  return signLine("sealpost-list/1", JSON.stringify(content), signingKey);
}

/** The answer with other members, which nobody has signed. */
function edited(answer: string, members: object): string {
  const [line = "", ...others] = answer.split("\n");
  return [JSON.stringify({ ...JSON.parse(line), ...members }), ...others].join("\n");
}

/** Signs a line of terms with the key of a list that the server has made up. */
async function signAs({ key }: Owner, line: string): Promise<string> {
  const { signingKey } = await signerOf(key);
  const bytes = new TextEncoder().encode(`sealpost-admission/1\n${line}`);
  const signature = Buffer.from(await crypto.subtle.sign("Ed25519", signingKey, bytes)).toString("base64url");
  return `${line}\n${JSON.stringify({ signature })}\n`;
}
