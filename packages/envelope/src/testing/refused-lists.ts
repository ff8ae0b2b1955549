import { encodeBase64, encodeBase64Url } from "@sealpost/wire";
import type { ListReason } from "../refusal.ts";
import { parseSignature } from "../signature.ts";
import { hashOf } from "../text.ts";
import { admittedBy, createList, headOf, recoveryKeys, type Step, signingKey, steps } from "./list-maker.ts";
import type { ListVector } from "./list-vectors.ts";
import { findPersonalKey, idOf, organizationId, type Person } from "./people.ts";
import { signBeyondOrder, signWithSmallOrder, unusableRecipients, unusableSigningKeys } from "./unusable-keys.ts";

const { council, year } = steps;

/** Lists that are refused, by the reason. */
export async function refusedLists(): Promise<readonly ListVector[]> {
  const text = await createList(council);
  const trust = await signingKey("owner");
  const refuse =
    (outcome: ListReason) =>
    ([name, list]: readonly [string, string]): ListVector => ({ name, organizationId, trust, list, outcome });
  const notUtf8 = new TextEncoder().encode(text.replace('"extensions":{}', '"extensions":{"a":"é"}'));
  notUtf8[notUtf8.indexOf(0xc3)] = 0xc0;
  return [
    ...(await malformedLists(text)).map(refuse("malformed")),
    { ...refuse("malformed")(["a byte that is not UTF-8", ""]), listBase64: encodeBase64(notUtf8) },
    ...(await brokenLists(text)).map(refuse("broken_chain")),
    ...(await unsignedLists(text)).map(refuse("not_signed")),
    ...(await forbiddenLists()).map(refuse("not_allowed")),
    ...(await foreignLists(text)),
    ...(await newerLists()).map(refuse("unknown_extension")),
  ];
}

type Named = readonly [name: string, list: string];

/** A list of the founder and one more entry that deviates. */
async function withSecond(deviations: Readonly<Record<string, Partial<Step>>>): Promise<readonly Named[]> {
  const [first] = council as readonly [Step]; // it is there
  return Promise.all(
    Object.entries(deviations).map(
      async ([name, step]) => [name, await createList([first, { of: "reader", by: "owner", ...step }])] as const,
    ),
  );
}

async function malformedLists(text: string): Promise<readonly Named[]> {
  const { recipient } = await findPersonalKey("reader");
  return [
    ["nothing at all", ""],
    ["cut within a line", text.slice(0, -150)],
    ["cut before its last line feed", text.slice(0, -1)],
    ["cut between an entry and its signature", text.slice(0, text.lastIndexOf("{"))],
    ["an empty line at the end", `${text}\n`],
    ["lines that end with carriage returns", text.replaceAll("\n", "\r\n")],
    ["a byte order mark", `\ufeff${text}`],
    [
      "a first entry that names one before it",
      await createList([{ of: "owner", by: "owner", content: { previous: await hashOf("") } }]),
    ],
    ...(await withSecond({
      "a member that is not known": { content: { note: "" } },
      "a member of a member that is not known": { member: { email: "" } },
      "a member twice": { spell: (line) => line.replace('"number":2', '"number":3,"number":2') },
      "members in another order": {
        spell: (line) => line.replace(/("writtenAt":"[^"]+"),("signedBy":"[^"]+")/, "$2,$1"),
      },
      "a member is missing": { spell: (line) => line.replace(/"writtenAt":"[^"]+",/, "") },
      "white space": { spell: (line) => line.replace(":", ": ") },
      "a number with a fraction": { spell: (line) => line.replace('"number":2', '"number":2.0') },
      "a letter as an escape": { spell: (line) => line.replace('"role":"reader"', '"role":"\\u0072eader"') },
      "another format": { content: { format: "sealpost-list/2" } },
      "a change that does not exist": { content: { change: "rename" } },
      "a role that does not exist": { member: { role: "guest" } },
      "a role that objects already have": { member: { role: "constructor" } },
      "an id without a prefix": { member: { id: idOf("reader").slice(4) } },
      "a name that is a text": { member: { commitment: "reader" } },
      "a commitment of 31 bytes": { member: { commitment: encodeBase64Url(new Uint8Array(31).fill(9)) } },
      "a commitment with other bits at its end": { member: { commitment: `${"A".repeat(42)}B` } },
      "a commitment that is null": {
        member: { commitment: null },
        spell: (line) => line.replace(/"name":"[^"]*"/, '"name":null'),
      },
      "an organization's name that is a text": { change: "name", content: { name: "Example Council" } },
      "an organization's name with a member": {
        change: "name",
        called: "Example Council",
        spell: (line) => line.replace(',"extensions"', ',"member":null$&'),
      },
      "a recipient in capitals": { member: { recipient: recipient.toUpperCase() } },
      "a recipient with a wrong checksum": {
        member: { recipient: `${recipient.slice(0, -1)}${recipient.endsWith("q") ? "p" : "q"}` },
      },
      "a recipient of another program": { member: { recipient: recipient.replace("age1", "age1yubikey1") } },
      "a signing key of 31 bytes": { member: { signingKey: encodeBase64Url(new Uint8Array(31).fill(9)) } },
      "a member without a signing key": { member: { signingKey: null } },
      "a program with a signing key": { of: "program", member: await signingKey("reader") },
      "a recovery key with a signing key of 31 bytes": {
        of: "recovery",
        member: { signingKey: encodeBase64Url(new Uint8Array(31).fill(9)) },
      },
      "a recovery key with a signing key of order 8": {
        of: "recovery",
        member: { signingKey: unusableSigningKeys["of order 8"] },
      },
      ...malformedAdmissions(),
      ...malformedVouching(),
      "a number that PostgreSQL does not count to": { content: { number: 2 ** 31 } },
      "an entry that names none before it": { content: { previous: null } },
      "a note with a member": { change: "note", spell: (line) => line.replace(',"extensions"', ',"member":null$&') },
      "a moment that does not exist": { content: { writtenAt: "2026-02-30T08:00:00Z" } },
      "a hash of 31 bytes": { content: { previous: encodeBase64Url(new Uint8Array(31).fill(9)) } },
      "the year 0": { content: { writtenAt: "0000-11-22T08:00:00Z" } },
      "a moment with an offset": { content: { writtenAt: "2026-11-22T08:00:00+00:00" } },
      "a signature with white space": { alter: (lines) => lines.replace('"signature":', '"signature": ') },
      "a signature of 63 bytes": { alter: (lines) => lines.replace(/.{4}"\}\n$/, '"}\n') },
      "no signature": { alter: (lines) => lines.replace(/\{"signature.*/, '{"signature":""}') },
    })),
    ...(await unusableKeys("recipient", await unusableRecipients())),
    ...(await unusableKeys("signingKey", unusableSigningKeys)),
  ];
}

/** Ids that nobody has written in the one way. */
function malformedVouching(): Readonly<Record<string, Partial<Step>>> {
  const [owner, reader] = [idOf("owner"), idOf("reader")];
  const vouch = (members: unknown) => ({ change: "vouch" as const, content: { members } });
  const shown = (number: unknown) => ({
    change: "vouch" as const,
    vouched: ["reader" as const],
    content: { shown: number },
  });
  return {
    "vouching for nobody": vouch([]),
    "vouching for somebody twice": vouch([owner, owner]),
    "vouching in another order": vouch([reader, owner]),
    "vouching by what is written with it": shown(2),
    "vouching by what comes later": shown(3),
    "vouching by entry 0": shown(0),
    "vouching by half an entry": shown(1.5),
    "vouching by a text": shown("1"),
    "vouching by nothing": shown(null),
    "vouching by nothing at all": shown(undefined),
    "vouching for no id": vouch(["owner"]),
    "vouching for a text": vouch(owner),
    "vouching for 65 members": vouch(
      Array.from({ length: 65 }, (_, index) => `usr_01hk153x00e5rbcwg8rxcn${1000 + index}`),
    ),
    "vouching with an admission": { ...vouch([owner]), content: { members: [owner], ...admittedBy("owner").content } },
  };
}

/** Entries that vouch for somebody the signer may not vouch for, or who is not in the list. */
async function forbiddenVouching(more: (name: string, ...entries: readonly Step[]) => Promise<Named>) {
  const vouch = (by: Person, ...vouched: readonly Person[]): Step => ({ change: "vouch", of: by, by, vouched });
  return Promise.all([
    more("an owner vouches for themself", vouch("owner", "owner", "manager")),
    more("an owner vouches for somebody who is not there", vouch("owner", "manager", "second reader")),
    more("a manager vouches for an owner", vouch("manager", "owner", "reader")),
    more("a manager vouches for a recovery key", vouch("manager", "reader", "recovery")),
    more("a manager vouches for themself", vouch("manager", "manager")),
    more(
      "a manager vouches for another one",
      { ...{ of: "second reader", by: "owner", member: { role: "manager" } } },
      vouch("manager", "second reader"),
    ),
    more("a reader vouches", vouch("reader", "developer")),
    more("a developer vouches", vouch("developer", "reader")),
    ...[
      ["who got other keys", { change: "replace", of: "reader", by: "manager", key: "reader, second key" }],
      ["who has other keys by themself", { change: "replace", of: "reader", by: "reader", key: "reader, second key" }],
      ["who got another role", { change: "replace", of: "reader", by: "owner", member: { role: "auditor" } }],
      ["who got another name", { change: "replace", of: "reader", by: "owner", member: { name: "R." } }],
      ["who is again what they were", { change: "replace", of: "reader", by: "owner" }],
    ].map(([name, step]) =>
      more(`an owner vouches for somebody ${name} since they were shown`, step as Step, {
        ...vouch("owner", "manager", "reader"),
        shown: steps.council.length,
      }),
    ),
    more(
      "an owner vouches for somebody who was removed and came back since they were shown",
      { change: "remove", of: "reader", by: "owner" },
      { of: "reader", by: "manager" },
      { ...vouch("owner", "reader"), shown: steps.council.length },
    ),
    more(
      "an owner vouches for somebody who was added since somebody was shown",
      { of: "second reader", by: "manager" },
      { ...vouch("owner", "second reader"), shown: steps.council.length },
    ),
    more(
      "a manager vouches for somebody who got other keys since they were shown, and before the entry before",
      { change: "replace", of: "reader", by: "manager", key: "reader, second key" },
      { change: "note", of: "owner", by: "owner" },
      { ...vouch("manager", "reader"), shown: steps.council.length },
    ),
    createList([...steps.recoverable, vouch("signing recovery", "hybrid reader")]).then(
      (list) => ["a recovery key vouches", list] as const,
    ),
  ]);
}

/** Entries with something else in the place of an admission, or where there is none. */
function malformedAdmissions(): Readonly<Record<string, Partial<Step>>> {
  const { admission } = admittedBy("owner").content;
  const with_ = (changes: object) => ({ content: { admission: { ...admission, ...changes } } });
  return {
    "without an admission": { spell: (line) => line.replace('"admission":null,', "") },
    "an admission that is a text": { content: { admission: admission.id } },
    "an admission with another prefix": with_({ id: admission.id.replace("adm", "acc") }),
    "an admission without its maker": { content: { admission: { id: admission.id } } },
    "an admission whose maker is no id": with_({ maker: "owner" }),
    "an admission with a member that is not known": with_({ note: "" }),
    "an admission in another order": { content: { admission: { maker: admission.maker, id: admission.id } } },
    "an admission of a removal": { change: "remove", of: "owner", ...admittedBy("owner") },
    "an admission of a note": { change: "note", ...admittedBy("owner") },
  };
}

/** Lists with a second member whose key nobody can use safely. */
function unusableKeys(of: "recipient" | "signingKey", keys: Readonly<Record<string, string>>) {
  const kind = of === "recipient" ? "recipient" : "signing key";
  const members = Object.entries(keys).map(([name, key]) => [`a ${kind}: ${name}`, { member: { [of]: key } }] as const);
  return withSecond(Object.fromEntries(members));
}

/** Entries in which something must be understood that nobody knows yet. */
const newer = { extensions: { "org.example.note": 1 }, critical: ["org.example.note"] };

async function newerLists(): Promise<readonly Named[]> {
  const [first] = council as readonly [Step]; // it is there
  return [
    ["a founder's critical extension", await createList([{ ...first, content: newer }])],
    ...(await withSecond({ "an owner's critical extension": { content: newer } })),
  ];
}

async function brokenLists(text: string): Promise<readonly Named[]> {
  const entries = text.match(/.+\n.+\n/g) ?? [];
  const [first = "", second = "", third = ""] = entries;
  const without = (index: number) => entries.toSpliced(index, 1).join("");
  return [
    ["two entries in another order", [first, third, second, ...entries.slice(3)].join("")],
    ["an entry twice", [first, second, second, ...entries.slice(2)].join("")],
    ["the whole list twice", text + text],
    ["the first entry is missing", without(0)],
    ["an entry in the middle is missing", without(2)],
    ...(await withSecond({
      "a number is left out": { content: { number: 3 } },
      "the number stays": { content: { number: 1, previous: null } },
      "an entry that names another before it": { content: { previous: await hashOf("another") } },
    })),
    ["a first entry that removes", await createList([{ ...(council[0] as Step), change: "remove" }])],
    ["a first entry that replaces", await createList([{ ...(council[0] as Step), change: "replace" }])],
    ["a first entry that names the organization", await createList([{ ...(council[0] as Step), change: "name" }])],
    ["a first entry that is a note", await createList([{ ...(council[0] as Step), change: "note" }])],
  ];
}

async function unsignedLists(text: string): Promise<readonly Named[]> {
  const zeros = encodeBase64Url(new Uint8Array(64));
  const [first, second] = council as readonly [Step, Step];
  const signatureOf = (lines: string) => encodeBase64Url(parseSignature(lines.split("\n")[1] ?? ""));
  return [
    ["a role that was changed", text.replace('"role":"manager"', '"role":"auditor"')],
    [
      "a critical extension that somebody else signed",
      await createList([{ ...first, content: newer, signWith: "stranger" }]),
    ],
    ["a first entry that somebody else signed", await createList([{ ...first, signWith: "stranger" }])],
    ["a first entry that names another as its signer", await createList([{ ...first, by: "stranger" }])],
    [
      "a first entry that its member signed in another's name",
      await createList([{ ...first, by: "stranger", signWith: "owner" }]),
    ],
    [
      "an old key after it was replaced",
      await createList([
        ...council.slice(0, 4),
        { change: "replace", of: "reader", by: "manager", key: "reader, second key" },
        { change: "remove", of: "reader", by: "reader" },
      ]),
    ],
    [
      "a member who was removed",
      await createList([
        ...council.slice(0, 2),
        { change: "remove", of: "manager", by: "owner" },
        { of: "reader", by: "manager" },
      ]),
    ],
    [
      "a program as the signer",
      await createList([
        first,
        second,
        { of: "program", by: "owner" },
        { change: "remove", of: "program", by: "program" },
      ]),
    ],
    [
      "a recovery key without a signing key as the signer",
      await createList([
        ...council.slice(0, 3),
        { change: "replace", of: "owner", by: "recovery", key: "reader, second key" },
      ]),
    ],
    ...(await withSecond({
      "a signature of zeros": { alter: (lines) => lines.replace(/"[\w-]{86}"/, `"${zeros}"`) },
      "the signature of another entry": { alter: (lines) => lines.replace(/"[\w-]{86}"/, `"${signatureOf(text)}"`) },
      "a stranger in the name of a member": { signWith: "stranger" },
      "a stranger": { by: "stranger" },
      "the new member's own key": { by: "owner", signWith: "reader" },
      "a member who signs the own admission": { by: "reader" },
      "a signature of another format": { signedAs: "sealpost-envelope/1" },
    })),
    ...(await weaklySigned()),
    [
      "a malformed entry after one that nobody signed",
      `${(await withSecond({ "": { signWith: "stranger" } }))[0]?.[1]}{}\n{}\n`,
    ],
  ];
}

/** The founder alone, with a signature that some libraries take. */
async function weaklySigned(): Promise<readonly Named[]> {
  const founder = await createList(council.slice(0, 1));
  return [
    ["a signature whose first half is of small order", await signWithSmallOrder(founder, "owner")],
    ["a signature whose second half is beyond the order", signBeyondOrder(founder)],
  ];
}

/** All but adding an owner, and making a member an owner. */
async function forbiddenToRecoveryKeys(): Promise<readonly Named[]> {
  const by = "signing recovery";
  const forbidden: Readonly<Record<string, Step>> = {
    "a recovery key adds a reader": { of: "second reader", by },
    "a recovery key adds a manager": { of: "manager", by },
    "a recovery key adds a program": { of: "stranger", by, member: { role: "program", signingKey: null } },
    "a recovery key adds a recovery key": { of: "recovery", by },
    "a recovery key makes an owner a manager": {
      ...{ change: "replace", of: "hybrid owner", by, member: { role: "manager" } },
    },
    "a recovery key replaces a reader's keys": {
      ...{ change: "replace", of: "hybrid reader", by, key: "reader, second key" },
    },
    "a recovery key replaces itself": { change: "replace", of: "signing recovery", by, key: "second reader" },
    "a recovery key renames itself": { change: "replace", of: "signing recovery", by, member: { name: "Other" } },
    "a recovery key makes itself an owner": {
      change: "replace",
      of: "signing recovery",
      by,
      member: { role: "owner" },
    },
    "a recovery key makes another one an owner": {
      ...{
        change: "replace",
        of: "hybrid recovery",
        by,
        key: "owner",
        member: { role: "owner", ...(await signingKey("owner")) },
      },
    },
    "a recovery key removes a reader": { change: "remove", of: "hybrid reader", by },
    "a recovery key removes another one": { change: "remove", of: "hybrid recovery", by },
    "a recovery key leaves": { change: "remove", of: "signing recovery", by },
  };
  const founder = [
    "a founder who is a recovery key",
    await createList([{ of: "signing recovery", by: "signing recovery" }]),
  ] as const;
  const lists = Object.entries(forbidden).map(
    async ([name, step]) => [name, await createList([...steps.recoverable, step])] as const,
  );
  return [founder, ...(await Promise.all(lists))];
}

/** Admissions that an entry may not use up, and notes and names of the organization by others than owners. */
async function forbiddenAdmissions(more: (name: string, ...entries: readonly Step[]) => Promise<Named>) {
  const reader: Step = { of: "second reader", by: "owner" };
  const ownKey: Step = { change: "replace", of: "reader", by: "reader", key: "reader, second key" };
  return Promise.all([
    more(
      "an admission that was used before",
      { ...reader, ...admittedBy("manager") },
      { of: "stranger", by: "owner", member: { role: "reader" }, ...admittedBy("owner") },
    ),
    more("an admission of somebody who is not there", { ...reader, ...admittedBy("stranger") }),
    more(
      "an admission of somebody who has left",
      { change: "remove", of: "manager", by: "owner" },
      { ...reader, ...admittedBy("manager") },
    ),
    more("an admission of a reader", { ...reader, ...admittedBy("reader") }),
    more("an admission of a program", { ...reader, ...admittedBy("program") }),
    more("a manager's admission of an owner", { ...reader, member: { role: "owner" }, ...admittedBy("manager") }),
    more("a manager's admission in an owner's place", {
      ...{ change: "replace", of: "owner", by: "owner", key: "second owner", ...admittedBy("manager") },
    }),
    more("an admission for a program", {
      ...{ of: "stranger", by: "owner", member: { role: "program", signingKey: null }, ...admittedBy("owner") },
    }),
    more("an admission for a recovery key", {
      ...{ of: "stranger", by: "owner", member: { role: "recovery" }, ...admittedBy("owner") },
    }),
    more("an admission for a program in a member's place", {
      ...{ change: "replace", of: "reader", by: "owner", member: { role: "program", signingKey: null } },
      ...admittedBy("owner"),
    }),
    more("an admission of the member whom it is about", {
      ...{ change: "replace", of: "manager", by: "owner", key: "second reader", ...admittedBy("manager") },
    }),
    more("an owner's admission, used for the own keys", { ...ownKey, ...admittedBy("owner") }),
    more("an admission of the own, used for the own keys", { ...ownKey, ...admittedBy("reader") }),
    more("a manager's note", { change: "note", of: "manager", by: "manager" }),
    more("a reader's note", { change: "note", of: "reader", by: "reader" }),
    more("a name for the organization by a manager", { change: "name", of: "manager", by: "manager" }),
    createList([...steps.recoverable, { change: "name", of: "signing recovery", by: "signing recovery" }]).then(
      (list) => ["a name for the organization by a recovery key", list] as const,
    ),
    createList([...steps.recoverable, { change: "note", of: "signing recovery", by: "signing recovery" }]).then(
      (list) => ["a recovery key's note", list] as const,
    ),
    createList([
      ...steps.recoverable,
      { of: "second owner", by: "hybrid owner", ...admittedBy("signing recovery") },
    ]).then((list) => ["a recovery key's admission of an owner", list] as const),
    createList([{ ...(council[0] as Step), ...admittedBy("owner") }]).then(
      (list) => ["a founder with an admission", list] as const,
    ),
    createList([council[0] as Step, ...recoveryKeys(9)]).then((list) => ["nine recovery keys", list] as const),
  ]);
}

async function forbiddenLists(): Promise<readonly Named[]> {
  const more = async (name: string, ...entries: readonly Step[]): Promise<Named> => [
    name,
    await createList([...council, ...entries]),
  ];
  const [first] = council as readonly [Step]; // it is there
  const keyOf = await findPersonalKey("reader");
  return Promise.all([
    createList([{ ...first, member: { role: "manager" } }]).then(
      (list) => ["a founder who is no owner", list] as const,
    ),
    more("a critical extension by a manager", { of: "second reader", by: "manager", content: newer }),
    more("a critical extension by a reader about themself", {
      ...{ change: "replace", of: "reader", by: "reader", key: "reader, second key", content: newer },
    }),
    more("a reader adds a member", { of: "second reader", by: "reader" }),
    more("a developer adds a member", { of: "second reader", by: "developer" }),
    more("a developer makes itself a reader", {
      change: "replace",
      of: "developer",
      by: "developer",
      member: { role: "reader" },
    }),
    more("a manager makes itself an owner", {
      change: "replace",
      of: "manager",
      by: "manager",
      member: { role: "owner" },
    }),
    more("a manager adds an owner", { of: "second owner", by: "manager" }),
    more("a manager makes a reader a manager", {
      change: "replace",
      of: "reader",
      by: "manager",
      member: { role: "manager" },
    }),
    more("a manager replaces an owner's key", {
      change: "replace",
      of: "owner",
      by: "manager",
      key: "reader, second key",
    }),
    more(
      "a manager removes an owner",
      { of: "second owner", by: "owner" },
      { change: "remove", of: "owner", by: "manager" },
    ),
    more("a manager removes the recovery key", { change: "remove", of: "recovery", by: "manager" }),
    more("a manager replaces the recovery key", {
      change: "replace",
      of: "recovery",
      by: "manager",
      key: "second reader",
    }),
    more("a manager adds a recovery key", { of: "hybrid recovery", by: "manager" }),
    ...(await forbiddenToRecoveryKeys()),
    ...(await forbiddenAdmissions(more)),
    ...(await forbiddenVouching(more)),
    more("a reader replaces another's key", { change: "replace", of: "developer", by: "reader", key: "second reader" }),
    more("a reader removes another", { change: "remove", of: "developer", by: "reader" }),
    more("the last owner leaves", { change: "remove", of: "owner", by: "owner" }),
    more("the last owner becomes a manager", {
      change: "replace",
      of: "owner",
      by: "owner",
      member: { role: "manager" },
    }),
    more("a member who is there is added", { of: "reader", by: "owner", key: "reader, second key" }),
    more("a member who is not there is replaced", { change: "replace", of: "second reader", by: "owner" }),
    more("a member who is not there is removed", { change: "remove", of: "second reader", by: "owner" }),
    more("two members with one recipient", {
      of: "second reader",
      by: "owner",
      member: { recipient: keyOf.recipient },
    }),
    more("two members with one signing key", {
      of: "second reader",
      by: "owner",
      member: { signingKey: keyOf.signingKey },
    }),
  ]);
}

/** Lists that are in order by themselves, but not those that are expected. */
async function foreignLists(text: string): Promise<readonly ListVector[]> {
  const whole = await createList(year);
  const head = await headOf(whole);
  const otherOrganization = "acc_01hk153x00e5rbcwg8rxcnh8w1";
  const other = await createList(council.map((step) => ({ ...step, content: { organizationId: otherOrganization } })));
  const fork = (name: Person) => createList([...council.slice(0, 5), { of: name, by: "manager" }]);
  const invented = await createList([
    { of: "stranger", by: "stranger" },
    { of: "owner", by: "stranger" },
  ]);
  const seen = { head: await headOf(text) };
  const same = { organizationId, trust: await signingKey("owner") };
  return [
    { ...same, name: "another organization's list", list: other, outcome: "other_organization" },
    {
      ...same,
      name: "one entry of another organization",
      list: text.slice(0, text.indexOf("\n", text.indexOf("\n") + 1) + 1) + (other.match(/.+\n.+\n/g)?.[1] ?? ""),
      outcome: "other_organization",
    },
    { ...same, name: "older than what was seen", trust: { head }, list: text, outcome: "old_list" },
    {
      ...same,
      name: "one entry less than what was seen",
      trust: { head },
      list:
        whole
          .match(/.+\n.+\n/g)
          ?.slice(0, -1)
          .join("") ?? "",
      outcome: "old_list",
    },
    {
      ...same,
      name: "older than what was seen, and another",
      trust: { head },
      list: await fork("second reader"),
      outcome: "old_list",
    },
    {
      ...same,
      name: "another last entry than the one that was seen",
      trust: seen,
      list: await fork("second reader"),
      outcome: "forked",
    },
    {
      ...same,
      name: "another than the one that was seen, and malformed",
      trust: seen,
      list: `${await fork("second reader")}{}\n{}\n`,
      outcome: "forked",
    },
    {
      ...same,
      name: "older than what was seen, and malformed",
      trust: { head },
      list: "{}\n{}\n",
      outcome: "old_list",
    },
    {
      ...same,
      name: "longer than what was seen, and another",
      trust: { head: await headOf(whole, 7) },
      list: await createList([
        ...council,
        { of: "second reader", by: "owner" },
        { change: "remove", of: "second reader", by: "owner" },
      ]),
      outcome: "forked",
    },
    {
      ...same,
      name: "a list without the key that was passed on",
      trust: await signingKey("stranger"),
      list: text,
      outcome: "not_vouched",
    },
    { ...same, name: "a list made up around the key that was passed on", list: invented, outcome: "not_vouched" },
  ];
}
