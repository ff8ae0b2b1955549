import { base64nopad } from "@scure/base";
import { decodeBase64, decodeBase64Url, encodeBase64Url, hashVersionSeed } from "@sealpost/wire";
import { identityToRecipient } from "age-encryption";
import { derive } from "../../../wire/src/testing/opening-vectors.ts";
import { hybridVectorKeys } from "../../../wire/src/testing/vector-keys.ts";
import type { Bytes } from "../age-header.ts";
import { type EnvelopeHead, type SeenKey, toReader } from "../envelope-checks.ts";
import type { FormKey } from "../envelope-content.ts";
import { hybridIdentityOf } from "../recipient.ts";
import type { EnvelopeReason } from "../refusal.ts";
import { hashOf } from "../text.ts";
import { changedEnvelopes } from "./changed-envelopes.ts";
import { council, type Draft, type EnvelopeMaker, formId, toFormKey, toVector } from "./envelope-maker.ts";
import type { EnvelopeVector } from "./envelope-vectors.ts";
import { createList, headOf, steps } from "./list-maker.ts";
import { curveIdentityOf, findPersonalKey, idOf, otherOrganizationId, type Person, toMember } from "./people.ts";
import { unusableX25519 } from "./unusable-keys.ts";

type Rest = Partial<Omit<EnvelopeVector, "name" | "envelope" | "outcome">>;
type Row = readonly [name: string, draft: Draft, rest?: Rest];

/** Envelopes that are refused, by the reason. `first` is the simplest that opens. */
export async function refusedEnvelopes(
  maker: EnvelopeMaker,
  first: EnvelopeVector,
  existing: readonly EnvelopeVector[],
): Promise<readonly EnvelopeVector[]> {
  const { head: seen } = first;
  if (seen === undefined) throw new Error("It opened");
  const make = async (outcome: EnvelopeReason, rows: readonly Row[]) => {
    const vectors: EnvelopeVector[] = [];
    for (const [name, draft, rest] of rows)
      vectors.push(toVector(`envelope: ${name}`, await maker.make(`envelope: ${name}`, draft), { ...rest, outcome }));
    return vectors;
  };
  return [
    ...(await changedEnvelopes(first, existing)),
    ...(await make("malformed", await malformedRows())),
    ...(await make("malformed", stanzaRows())),
    ...(await make("not_a_reader", [["for others", { readers: ["owner", "manager", "recovery"] }]])),
    ...(await make("other_form", foreignRows())),
    ...(await make("unknown_list", await unknownListRows())),
    ...(await make("not_signed", await unsignedRows())),
    ...(await make("not_allowed", [
      ["signed by a reader", { by: "reader" }],
      ["signed by a developer", { by: "developer" }],
      ["a critical extension by a reader", { by: "reader", content: newer }],
      ["a critical extension by a manager", { by: "manager", content: newer }],
      await signedByRecovery(),
      [
        "the first revision of owners, by a manager",
        { by: "manager", content: { revision: 1610612736, previous: seen.hash } },
        { revision: 1610612736, newest: { ...seen, revision: 1610612735 } },
      ],
    ])),
    ...(await make("wrong_revision", [
      ["of revision 1, kept as the second", {}, { revision: 2 }],
      ["of revision 2, kept as the first", { content: { revision: 2, previous: await hashOf("the first") } }],
      [
        "of a revision far ahead, kept as the second",
        { content: { revision: 2147483647, previous: await hashOf("the first") } },
        { revision: 2 },
      ],
      [
        "further than a revision may be, at the first sight, by an owner",
        { content: { revision: 1048577, previous: seen.hash } },
        { revision: 1048577 },
      ],
      [
        "further than a revision may be above the one that was seen, by an owner",
        { content: { revision: 1048578, previous: seen.hash } },
        { revision: 1048578, newest: seen },
      ],
      [
        "further than a revision may be, of an envelope of which nothing was seen",
        { content: { firstVersion: 33, keys: [toFormKey(33, "small")], revision: 1048577, previous: seen.hash } },
        { firstVersion: 33, revision: 1048577, others: [{ ...seen, revision: 1048576 }] },
      ],
      [
        "further than a revision may be, and of a newer list",
        { content: { revision: 1048577, previous: seen.hash, list: await headOf(await createList(steps.year)) } },
        { revision: 1048577 },
      ],
      [
        "of another number, and of a newer list",
        { content: { list: await headOf(await createList(steps.year)) } },
        { revision: 2 },
      ],
    ])),
    ...(await make("unknown_key_log", await unknownLogRows())),
    ...(await make("unknown_extension", await newerRows())),
    ...(await make("wrong_readers", await wrongReaderRows())),
    ...(await make("wrong_key", wrongKeyRows())),
    ...(await laterVectors(maker, first)),
  ];
}

/** As the owner has put them there. */
function toReaders(people: readonly Person[] = council) {
  return Promise.all(people.map(async (person) => toReader(await toMember(person), idOf("owner"))));
}

/** A recovery key signs in the list of members, and nowhere else. */
async function signedByRecovery(): Promise<Row> {
  const list = await headOf(await createList(steps.recoverable));
  const readers = ["hybrid owner", "hybrid reader", "hybrid recovery", "signing recovery"] as const;
  const rest = { reader: "hybrid reader", list: "vouched for by a recovery key that signs" } as const;
  return ["signed by a recovery key", { readers, by: "signing recovery", content: { list } }, rest];
}

/** As many recipients as are asked for, of nobody. */
async function strangers(count: number): Promise<readonly string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) =>
      identityToRecipient(hybridIdentityOf(await derive("identity", `stranger ${index}`, 32))),
    ),
  );
}

async function malformedRows(): Promise<readonly Row[]> {
  const { recipient } = await findPersonalKey("reader");
  const readers = await toReaders();
  const [key, other] = [toFormKey(1, "small"), toFormKey(2, "first")];
  const { privateKey } = key;
  const whole = toFormKey(1, "small", true);
  const before = await hashOf("the one before");
  const { hybridPrivateKey, hybridFingerprint } = toFormKey(1, "small", true);
  return [
    ["a byte of extensions too many", { content: { extensions: { a: "x".repeat(8183) } } }],
    ["65 recipients", { recipients: [recipient, ...(await strangers(64))] }],
    ["a recipient of X25519", { recipients: [await identityToRecipient(await curveIdentityOf("reader"))] }],
    ["a member that is not known", { content: { note: "" } }],
    [
      "a member of a reader that is not known",
      { content: { readers: readers.map((reader) => ({ ...reader, role: "owner" })) } },
    ],
    ["a member twice", { spell: (line) => line.replace('"revision":1', '"revision":2,"revision":1') }],
    ["members in another order", { spell: (line) => line.replace(/("revision":1),("previous":null)/, "$2,$1") }],
    ["white space", { spell: (line) => `${line} ` }],
    ["a number as an exponent", { spell: (line) => line.replace('"revision":1', '"revision":1e0') }],
    ["another format", { content: { format: "sealpost-envelope/2" } }],
    ["revision zero", { content: { revision: 0, previous: before } }, { revision: 0 }],
    ["a revision above all", { content: { revision: 2147483648, previous: before } }, { revision: 2147483648 }],
    ["revision 2^53 - 1", { content: { revision: 2 ** 53 - 1, previous: before } }, { revision: 2 ** 53 - 1 }],
    ["a first revision that names one before", { content: { previous: before } }],
    ["a second revision that names none before", { content: { revision: 2 } }, { revision: 2 }],
    [
      "an envelope that begins with another version",
      { content: { firstVersion: 2, keys: [other] } },
      { firstVersion: 2 },
    ],
    ["version 33 in the first envelope", { content: { keys: [key, toFormKey(33, "first")] } }],
    ["version 0", { content: { keys: [toFormKey(0, "small")] } }],
    [
      "version 32 in the second envelope",
      { content: { firstVersion: 33, keys: [toFormKey(32, "small")] } },
      { firstVersion: 33 },
    ],
    [
      "a version above all",
      { content: { firstVersion: 2147483617, keys: [{ ...key, version: 2147483648 }] } },
      { firstVersion: 2147483617 },
    ],
    ["a form's name of 101 characters", { content: { formName: "n".repeat(101) } }],
    ["a form's name with a line feed", { content: { formName: "Contact\nus" } }],
    ["a form's name that turns the text", { content: { formName: "Contact\u202e" } }],
    ["no name of the form", { content: { formName: "" } }],
    ["a key without a seed", { content: { keys: [{ ...key, seed: null }] } }],
    ["a seed of 31 bytes", { content: { keys: [{ ...key, seed: encodeBase64Url(new Uint8Array(31)) }] } }],
    [
      "a number of 684 characters",
      { content: { keys: [{ ...key, privateKey: { ...privateKey, d: "A".repeat(684) } }] } },
    ],
    ["another public exponent", { content: { keys: [{ ...key, privateKey: { ...privateKey, e: "Aw" } }] } }],
    [
      "a pub of 1,621 characters",
      { content: { keys: [{ ...whole, hybridPrivateKey: { ...whole.hybridPrivateKey, pub: "A".repeat(1621) } }] } },
    ],
    ["a reader with a name", { content: { readers: readers.map((reader) => ({ ...reader, name: "Ada" })) } }],
    ["no reader", { content: { readers: [] } }],
    ["a reader twice", { content: { readers: [readers[0], ...readers] } }],
    ["readers in another order", { content: { readers: readers.toReversed() } }],
    ["a key version twice", { content: { keys: [key, key] } }],
    ["key versions in another order", { content: { keys: [other, key] } }],
    [
      "a public key in the place of a private one",
      { content: { keys: [{ ...key, privateKey: { kty: "RSA", n: key.privateKey.n, e: "AQAB" } }] } },
    ],
    ["a hybrid key without its fingerprint", { content: { keys: [{ ...key, hybridPrivateKey }] } }],
    ["a hybrid fingerprint without its key", { content: { keys: [{ ...key, hybridFingerprint }] } }],
    ["a third line", { alter: (text) => `${text}\n` }],
    ["no signature", { alter: (text) => `${text.split("\n")[0]}\n` }],
    ["an empty signature", { alter: (text) => text.replace(/"[\w-]{86}"/, '""') }],
    ["a byte order mark", { alter: (text) => `\ufeff${text}` }],
  ];
}

/** The stanza of another reader, the last one, is not what such a recipient gets. The file's authentication is right. */
function stanzaRows(): readonly Row[] {
  const base64 = (bytes: Uint8Array) => base64nopad.encode(bytes);
  const share = new Uint8Array(1120).fill(9);
  const wrapped = new Uint8Array(32).fill(7);
  const of = (name: string, args: readonly string[], body: Bytes = wrapped): Row => [
    `another reader's stanza: ${name}`,
    { lastStanza: { args, body } },
  ];
  const kind = "mlkem768x25519";
  return [
    of("of X25519", ["X25519", base64(share.slice(-32))]),
    of("1,119 bytes of a share", [kind, base64(share.slice(1))]),
    of("no share", [kind]),
    of("two shares", [kind, base64(share), base64(share)]),
    of("not base64", [kind, "?".repeat(1494)]),
    of("a body of 31 bytes", [kind, base64(share)], wrapped.slice(1)),
    of("a body of 33 bytes", [kind, base64(share)], new Uint8Array([0, ...wrapped])),
    ...Object.entries(unusableX25519).map(([name, bytes]) =>
      of(`an X25519 half that is unusable, ${name}`, [
        kind,
        base64(new Uint8Array([...share.slice(0, 1088), ...bytes])),
      ]),
    ),
  ];
}

function foreignRows(): readonly Row[] {
  return [
    ["another form's", { content: { formId: "form_01hk153x00e5rbcwg8rxcnh8w7" } }],
    ["another organization's", { content: { organizationId: "acc_01hk153x00e5rbcwg8rxcnh8w1" } }],
    ["other key versions", { content: { firstVersion: 33, keys: [toFormKey(33, "small")] } }],
  ];
}

async function unknownListRows(): Promise<readonly Row[]> {
  const later = await headOf(await createList(steps.year));
  const known = await headOf(await createList(steps.council));
  return [
    ["of a newer list", { content: { list: later } }],
    ["of another list", { content: { list: { ...known, hash: later.hash } } }],
    ["of a list with another number", { content: { list: { ...known, number: 5 } } }],
  ];
}

async function unknownLogRows(): Promise<readonly Row[]> {
  const log = { number: 3, hash: await hashOf("the third entry") };
  const content = { keyLog: log };
  return [
    ["of a key log, where the form has none", { content }, { keyLog: [] }],
    ["of a newer key log", { content }, { keyLog: [{ number: 2, hash: await hashOf("the second entry") }] }],
    ["of another key log", { content }, { keyLog: [{ number: 3, hash: await hashOf("another entry") }] }],
    ["of a key log with another number", { content }, { keyLog: [{ ...log, number: 2 }] }],
  ];
}

async function unsignedRows(): Promise<readonly Row[]> {
  const zeros = encodeBase64Url(new Uint8Array(64));
  const readers = await toReaders();
  const withoutManager = await toReaders(["owner", "reader", "recovery"]);
  return [
    ["a signature of zeros", { alter: (text) => text.replace(/"[\w-]{86}"/, `"${zeros}"`) }],
    ["a stranger in the name of an owner", { signWith: "stranger" }],
    ["a reader in the name of an owner", { signWith: "reader" }],
    ["signed by a stranger", { by: "stranger" }],
    ["signed by a program", { by: "program" }],
    ["a critical extension by a stranger in the name of an owner", { signWith: "stranger", content: newer }],
    ["a signature of another format", { signedAs: "sealpost-list/1" }],
    ["a signature without the format", { signedAs: "" }],
    [
      "wrapped again by a reader, without a manager",
      {
        readers: ["owner", "reader", "recovery"],
        content: { readers },
        alter: (text) => text.replace(/"readers":\[.*?\]/, `"readers":${JSON.stringify(withoutManager)}`),
      },
    ],
  ];
}

/** Something that must be understood, and that nobody knows yet. */
const newer = { extensions: { "org.example.note": 1 }, critical: ["org.example.note"] };

async function newerRows(): Promise<readonly Row[]> {
  return [
    ["a critical extension", { content: newer }],
    ["a critical extension, and without the recovery key", { readers: ["owner", "manager", "reader"], content: newer }],
  ];
}

async function wrongReaderRows(): Promise<readonly Row[]> {
  const readers = await toReaders();
  const replaced = readers.map((reader) =>
    reader.id === idOf("manager") ? { ...reader, fingerprint: readers[0]?.fingerprint } : reader,
  );
  const recipientsOf = (people: readonly Person[]) =>
    Promise.all(people.map(async (person) => (await findPersonalKey(person)).recipient));
  return [
    ["a hidden recipient", { recipients: await recipientsOf([...council, "stranger"]) }],
    ["a recipient is missing", { recipients: await recipientsOf(council.slice(1)) }],
    ["a reader who is no member", { readers: ["owner", "reader", "recovery", "stranger"] }],
    ["a reader with another key", { content: { readers: replaced } }],
    ["a developer as a reader", { readers: ["owner", "reader", "developer", "recovery"] }],
    ["without the recovery key", { readers: ["owner", "manager", "reader"] }],
  ];
}

function wrongKeyRows(): readonly Row[] {
  const [key, other] = [toFormKey(1, "small", true), toFormKey(1, "first")];
  const hybrid = hybridVectorKeys["hybrid first"].privateKey;
  const otherPriv = hybridVectorKeys["hybrid second"].privateKey.priv;
  return [
    ["a private key under another's fingerprint", { content: { keys: [{ ...key, privateKey: other.privateKey }] } }],
    [
      "a hybrid key under another's fingerprint",
      { content: { keys: [{ ...key, hybridFingerprint: other.fingerprint }] } },
    ],
    [
      "the second of two keys under another's fingerprint",
      { content: { keys: [key, { ...other, version: 2, fingerprint: key.fingerprint }] } },
    ],
    ...(["d", "p", "q", "dp", "dq", "qi"] as const).map(
      (name): Row => [
        `right n, wrong ${name}`,
        { content: { keys: [{ ...key, privateKey: { ...key.privateKey, [name]: addTwo(key.privateKey[name]) } }] } },
      ],
    ),
    [
      "a zero byte in front of d",
      { content: { keys: [{ ...key, privateKey: { ...key.privateKey, d: addZero(key.privateKey.d) } }] } },
    ],
    [
      "a zero byte in front of qi",
      { content: { keys: [{ ...key, privateKey: { ...key.privateKey, qi: addZero(key.privateKey.qi) } }] } },
    ],
    [
      "n of another key",
      { content: { keys: [{ ...key, ...withModulusOf(other), hybridPrivateKey: key.hybridPrivateKey }] } },
    ],
    ["pub of another priv", { content: { keys: [{ ...key, hybridPrivateKey: { ...hybrid, priv: otherPriv } }] } }],
  ];

  function withModulusOf({ fingerprint, privateKey: { n } }: FormKey) {
    return { fingerprint, privateKey: { ...key.privateKey, n } };
  }
}

/** Another number, as odd or even, with as many bytes. */
function addTwo(number: string): string {
  const bytes = decodeBase64Url(number) ?? new Uint8Array();
  return encodeBase64Url(bytes.with(-1, ((bytes.at(-1) ?? 0) + 2) % 256));
}

/** The same number, longer. */
function addZero(number: string): string {
  return encodeBase64Url(Uint8Array.of(0, ...(decodeBase64Url(number) ?? [])));
}

/** Envelopes for a client that has seen a newer revision, or another one. */
async function laterVectors(maker: EnvelopeMaker, first: EnvelopeVector): Promise<readonly EnvelopeVector[]> {
  const head = first.head;
  if (head === undefined) throw new Error("It opened");
  const second = { revision: 2, previous: head.hash };
  const other = { revision: 2, previous: await hashOf("another first") };
  const withKeys = (keys: EnvelopeHead["keys"]) => ({ ...head, keys });
  const changed = (change: Partial<SeenKey>) => withKeys(head.keys.map((key) => ({ ...key, ...change })));
  const log = { number: 3, hash: await hashOf("the third entry") };
  const earlier = { number: 2, hash: await hashOf("the second entry") };
  const withoutManager = { ...head, readers: head.readers.filter(({ id }) => id !== idOf("manager")) };
  const isLater = { list: { number: 7, hash: await hashOf("the seventh") } };
  const [key] = head.keys;
  if (key === undefined) throw new Error("It has one");
  const two = toFormKey(2, "first");
  const leftOut = withKeys([key, { ...key, version: 2, fingerprint: two.fingerprint }]);
  const seedHash = await hashVersionSeed(two.seed, { formId, version: 2 });
  const publishedTwo = { version: 2, fingerprint: two.fingerprint };
  const unpublishedBelow = withKeys([
    { ...key, isPublished: false },
    { ...key, ...publishedTwo, seedHash },
  ]);
  const ofManager = { by: "manager", readersBy: "owner" } as const;
  const seventh = { revision: 7, previous: await hashOf("the sixth") };
  const returned = await createList(steps.returned);
  const ofReturned = { by: "manager", readers: ["owner", "recovery"], readersBy: "owner" } as const;
  const isReturned = { reader: "recovery", list: "members are taken out and let in again" } as const;
  const rows: readonly (readonly [string, EnvelopeReason, Draft, EnvelopeHead, Rest?])[] = [
    [
      "older than the one that was seen",
      "old_revision",
      {},
      { ...head, revision: 2, hash: await hashOf("the second") },
    ],
    ["another than the one that was seen", "forked", {}, { ...head, hash: await hashOf("another first") }],
    ["after another than the one that was seen", "other_previous", { content: other }, head],
    ["of an older list than the one that was seen", "old_list", { content: second }, { ...head, ...isLater }],
    ["of an older list, and of an older revision", "old_list", {}, { ...head, ...isLater, revision: 2 }],
    [
      "of an older key log",
      "old_key_log",
      { ...ofManager, content: { ...second, keyLog: earlier } },
      { ...head, keyLog: log },
      { keyLog: [earlier, log] },
    ],
    ["of no key log, by a manager", "old_key_log", { ...ofManager, content: second }, { ...head, keyLog: log }],
    ["of no key log, and of an older revision", "old_key_log", ofManager, { ...head, keyLog: log, revision: 2 }],
    [
      "by a manager who does not read the one before",
      "not_allowed",
      { by: "manager", content: second },
      withoutManager,
    ],
    [
      "by a manager who does not read the one before, after another",
      "other_previous",
      { by: "manager", content: other },
      withoutManager,
    ],
    [
      "a later revision by a manager who does not read the one that was seen",
      "not_allowed",
      { by: "manager", content: seventh },
      withoutManager,
    ],
    [
      "a later revision by a manager who does not read the one that was seen, without a key",
      "not_allowed",
      { by: "manager", content: seventh },
      { ...leftOut, readers: withoutManager.readers },
    ],
    [
      "by a manager who was removed and let in again since the one before",
      "not_allowed",
      { ...ofReturned, content: { ...second, list: await headOf(returned) } },
      { ...head, list: await headOf(returned, 7) },
      isReturned,
    ],
    [
      "a later revision by a manager who was removed and let in again since the one that was seen",
      "not_allowed",
      { ...ofReturned, content: { ...seventh, list: await headOf(returned) } },
      { ...head, list: await headOf(returned, 7) },
      isReturned,
    ],
    [
      "by a manager who does not read the one before, of another key log",
      "not_allowed",
      { by: "manager", content: { ...second, keyLog: log } },
      withoutManager,
      { keyLog: [] },
    ],
    [
      "a key version was left out, of another key log",
      "key_missing",
      { content: { ...second, keyLog: log } },
      leftOut,
      { keyLog: [] },
    ],
    ["a key version was left out", "key_missing", { content: second }, leftOut],
    [
      "a key that was not published was left out, below one that was",
      "key_missing",
      { content: { ...second, keys: [two] } },
      unpublishedBelow,
      { published: [publishedTwo] },
    ],
    [
      "another key that is not published in the place of one that was not, below one that was",
      "key_missing",
      { content: { ...second, keys: [toFormKey(1, "second"), two] } },
      unpublishedBelow,
      { published: [publishedTwo] },
    ],
    [
      "another seed of a key that was not published, below one that was",
      "key_missing",
      { content: { ...second, keys: [{ ...toFormKey(1, "small"), seed: two.seed }, two] } },
      unpublishedBelow,
      { published: [publishedTwo] },
    ],
    ["a key was replaced", "key_missing", { content: { ...second, keys: [toFormKey(1, "second")] } }, head],
    [
      "a seed was replaced",
      "key_missing",
      { content: { ...second, keys: [{ ...toFormKey(1, "small"), seed: toFormKey(2, "small").seed }] } },
      head,
    ],
    [
      "another key where the seed was not remembered",
      "key_missing",
      { content: { ...second, keys: [toFormKey(1, "second")] } },
      changed({ seedHash: null }),
    ],
    [
      "a hybrid key was left out",
      "key_missing",
      { content: second },
      changed({ hybridFingerprint: toFormKey(1, "small", true).hybridFingerprint }),
    ],
  ];
  const vectors: EnvelopeVector[] = [...(await ofSeenForms(maker, head, withoutManager, { ...head, ...isLater }))];
  for (const [name, outcome, draft, newest, rest] of rows) {
    const { revision = 1 } = draft.content ?? {};
    const file = await maker.make(`envelope: ${name}`, draft);
    vectors.push(toVector(`envelope: ${name}`, file, { revision: Number(revision), ...rest, outcome, newest }));
  }
  const file = decodeBase64(first.envelope) ?? new Uint8Array();
  const underOthers = { outcome: "other_form", newest: { ...head, firstVersion: 33 } } as const;
  return [...vectors, toVector("envelope: seen under other key versions", file, underOthers)];
}

/** Envelopes for a client that has seen others of the form. */
async function ofSeenForms(
  maker: EnvelopeMaker,
  head: EnvelopeHead,
  withoutManager: EnvelopeHead,
  later: EnvelopeHead,
): Promise<readonly EnvelopeVector[]> {
  const foreign = { ...head, organizationId: otherOrganizationId };
  const log = { number: 3, hash: await hashOf("the third entry") };
  const next = (content: Draft["content"] = {}): Draft => ({
    content: { firstVersion: 33, keys: [toFormKey(33, "small")], ...content },
  });
  const byManager = { ...next(), by: "manager" } as const;
  const ofTwo = [toFormKey(1, "small"), toFormKey(2, "first")].map(({ version, fingerprint }) => ({
    version,
    fingerprint,
  }));
  const seventh = { revision: 7, previous: await hashOf("the sixth") };
  const { version, fingerprint, hybridFingerprint } = toFormKey(1, "small", true);
  const rows: readonly (readonly [string, EnvelopeReason, Draft, Rest])[] = [
    ["of another organization than the one that was seen", "other_form", {}, { newest: foreign }],
    ["another one of the form, of another organization", "other_form", next(), { others: [foreign] }],
    ["another one of the form, of an older list", "old_list", next(), { others: [later] }],
    [
      "another one of the form, of an older list than the first, and not than the last",
      "old_list",
      { content: { firstVersion: 65, keys: [toFormKey(65, "small")] } },
      { firstVersion: 65, others: [later, { ...head, firstVersion: 33 }] },
    ],
    [
      "another one of the form, by a manager without its key log",
      "old_key_log",
      byManager,
      { others: [{ ...head, keyLog: log }] },
    ],
    [
      "the second one of a form of which nothing was seen, above one that was refused, by a manager",
      "not_allowed",
      byManager,
      { isAboveRefused: true },
    ],
    [
      "the second one of a form of which nothing was seen, without a published key, by a manager",
      "key_missing",
      byManager,
      { published: [{ version: 34, fingerprint: toFormKey(34, "first").fingerprint }] },
    ],
    [
      "no key, at the first sight, by a manager",
      "key_missing",
      { by: "manager", content: { keys: [] } },
      { published: ofTwo },
    ],
    [
      "another one of the form above one that was refused, by a manager who reads the last one",
      "not_allowed",
      byManager,
      { others: [head], isAboveRefused: true },
    ],
    [
      "without a published key, at the first sight, by a manager",
      "key_missing",
      { by: "manager" },
      { published: ofTwo },
    ],
    [
      "with another key than the published one, at the first sight, by a manager",
      "key_missing",
      { by: "manager", content: { keys: [toFormKey(1, "first")] } },
      { published: ofTwo.slice(0, 1) },
    ],
    [
      "an earlier one of the form without a published key, by a manager",
      "key_missing",
      { by: "manager" },
      {
        published: ofTwo,
        others: [{ ...head, firstVersion: 33, keys: head.keys.map((key) => ({ ...key, version: 33 })) }],
      },
    ],
    [
      "without a published key, of one that a manager has begun",
      "key_missing",
      byManager,
      { published: [{ version: 34, fingerprint: toFormKey(34, "first").fingerprint }], others: [head] },
    ],
    [
      "a later revision without a published key, of one that was begun, by a manager",
      "key_missing",
      { by: "manager", content: { firstVersion: 33, keys: [], revision: 2, previous: head.hash } },
      { revision: 2, published: [{ version: 33, fingerprint: toFormKey(33, "small").fingerprint }], others: [head] },
    ],
    [
      "without the published hybrid key, at the first sight, by a manager",
      "key_missing",
      { by: "manager" },
      { published: [{ version, fingerprint, hybridFingerprint: String(hybridFingerprint) }] },
    ],
    [
      "with another hybrid key than the published one, at the first sight, by a manager",
      "key_missing",
      { by: "manager", content: { keys: [toFormKey(1, "small", true)] } },
      { published: [{ version, fingerprint, hybridFingerprint: head.hash }] },
    ],
    [
      "without a published key, at the first sight, by a manager, of another key log",
      "key_missing",
      { by: "manager", content: { keyLog: log } },
      { published: ofTwo, keyLog: [] },
    ],
    [
      "another one of the form, by a manager who does not read it",
      "not_allowed",
      byManager,
      { others: [withoutManager] },
    ],
    [
      "another one of the form, by a manager who reads the first and not the last",
      "not_allowed",
      { by: "manager", content: { firstVersion: 65, keys: [toFormKey(65, "small")] } },
      { firstVersion: 65, others: [head, { ...withoutManager, firstVersion: 33 }] },
    ],
    [
      "another one of the form that no published version has reached, by an owner",
      "not_allowed",
      next(),
      { published: ofTwo, others: [head] },
    ],
    [
      "the next one of the form before its first version is published, by an owner",
      "not_allowed",
      next(),
      { published: [{ version: 32, fingerprint: toFormKey(2, "first").fingerprint }], others: [head] },
    ],
    [
      "one that no published version has reached, of a form of which nothing was seen, by an owner",
      "not_allowed",
      next(),
      { published: ofTwo },
    ],
    [
      "the next revision of one that no published version has reached, by an owner",
      "not_allowed",
      next({ revision: 2, previous: head.hash }),
      { revision: 2, published: ofTwo, newest: { ...head, firstVersion: 33, keys: [] } },
    ],
    [
      "another one of the form, by a manager who does not read the last one, below one that no published version has reached",
      "not_allowed",
      byManager,
      {
        published: [{ version: 33, fingerprint: toFormKey(33, "small").fingerprint }],
        others: [withoutManager, { ...head, firstVersion: 65, keys: [] }],
      },
    ],
    [
      "a later revision of another one of the form, by a manager who does not read it",
      "not_allowed",
      { by: "manager", content: { ...byManager.content, ...seventh } },
      { revision: 7, others: [withoutManager] },
    ],
  ];
  const vectors: EnvelopeVector[] = [];
  for (const [name, outcome, draft, rest] of rows) {
    const file = await maker.make(`envelope: ${name}`, draft);
    const { firstVersion = 1 } = draft.content ?? {};
    vectors.push(toVector(`envelope: ${name}`, file, { firstVersion: Number(firstVersion), ...rest, outcome }));
  }
  return vectors;
}
