import { noExtensions } from "@sealpost/wire";
import { headsFormat } from "../device-heads.ts";
import { envelopeFormat } from "../envelope-content.ts";
import type { ListHead } from "../list.ts";
import { listFormat } from "../list-entry.ts";
import type { HeadReason } from "../refusal.ts";
import { signLine } from "../signature.ts";
import { type ExpectedHead, headFormat } from "../signed-head.ts";
import { createList, headOf, steps } from "./list-maker.ts";
import { findPersonalKey, idOf, type KeyName, organizationId, type Person, toSigner } from "./people.ts";

/** One entry of vectors/signed-heads.json: a signed head as received, and whose it has to be. */
export interface HeadVector extends ExpectedHead {
  readonly name: string;
  readonly signedHead: string;
  readonly outcome: "verified" | HeadReason;
  /** For vectors that are verified. */
  readonly list?: ListHead;
}

/** A signed head to make, and deviations of careless and hostile writers. */
interface HeadParts {
  readonly by?: Person;
  /** Instead of the key of `by`. */
  readonly signWith?: KeyName;
  readonly content?: Readonly<Record<string, unknown>>;
  /** Another spelling of the line, which is signed. */
  readonly spell?: (line: string) => string;
  /** Changes both lines after the signature. */
  readonly alter?: (lines: string) => string;
  /** The format that the signature is for. */
  readonly signedAs?: string;
  /** Whose it has to be, where that is not `by`, with the own key. */
  readonly expected?: Partial<ExpectedHead>;
}

/** Something that must be understood, and that nobody knows yet. */
const newer = { extensions: { "org.example.note": 1 }, critical: ["org.example.note"] };

const otherOrganizationId = "acc_01hk153x00e5rbcwg8rxcnh8z1";

export async function headVectors(): Promise<readonly HeadVector[]> {
  const council = await createList(steps.council);
  const list = await headOf(council);
  const secondKey = await findPersonalKey("reader, second key");
  const other = { organizationId: otherOrganizationId };
  const verified: readonly (readonly [string, HeadParts])[] = [
    ["head: of a reader, who signs no entry", {}],
    ["head: of the first entry, by its founder", { by: "owner", content: { list: await headOf(council, 1) } }],
    ["head: as many bytes of extensions as there may be", { spell: (line) => filledTo(line, undefined) }],
    ["head: with an extension that nobody knows", { content: { extensions: { "org.example.note": 1 } } }],
    ["head: under another id of the person", { content: { signedBy: idOf("second reader") } }],
    [
      "head: with the key that has replaced another",
      { signWith: "reader, second key", expected: { signingKey: secondKey.signingKey } },
    ],
  ];
  const { hash } = list;
  const refused: readonly (readonly [string, HeadReason, HeadParts])[] = [
    ["head: a byte too many", "malformed", { spell: (line) => filledTo(line, 2049) }],
    ["head: a byte order mark", "malformed", { alter: (lines) => `\ufeff${lines}` }],
    ["head: line ends of Windows", "malformed", { alter: (lines) => lines.replaceAll("\n", "\r\n") }],
    ["head: a signature of 63 bytes", "malformed", { alter: (lines) => lines.replace(/.."\}\n$/, '"}\n') }],
    ["head: without extensions", "malformed", { spell: (line) => line.replace('"extensions":{},', "") }],
    ["head: the list as an entry has it", "malformed", { content: { list: { number: 6, hash, previous: hash } } }],
    ["head: as a signature of a device's heads", "not_signed", { signedAs: headsFormat }],
    ["head: as a signature of an envelope", "not_signed", { signedAs: envelopeFormat }],
    ["head: signed without a label", "not_signed", { signedAs: "" }],
    ["head: the content of a device's heads", "malformed", { content: { format: headsFormat }, signedAs: headsFormat }],
    ["head: three lines", "malformed", { alter: (lines) => `${lines}\n` }],
    ["head: without its last line feed", "malformed", { alter: (lines) => lines.slice(0, -1) }],
    ["head: the signature in the same line", "malformed", { alter: (lines) => lines.replace("\n", "") }],
    ["head: a signature with another member", "malformed", { alter: (lines) => lines.replace('"}\n', '","a":1}\n') }],
    ["head: an entry of a list", "malformed", { alter: () => council.split("\n").slice(0, 2).join("\n").concat("\n") }],
    ["head: of a format to come", "malformed", { content: { format: "sealpost-head/2" } }],
    ["head: with a member that nobody knows", "malformed", { content: { role: "owner" } }],
    ["head: with white space", "malformed", { spell: (line) => line.replace(",", ", ") }],
    ["head: of entry 0", "malformed", { content: { list: { number: 0, hash } } }],
    ["head: hash and number in another order", "malformed", { content: { list: { hash, number: 6 } } }],
    ["head: a hash of 31 bytes", "malformed", { content: { list: { number: 6, hash: hash.slice(0, -1) } } }],
    ["head: without a list", "malformed", { content: { list: null } }],
    ["head: signed on 30 February", "malformed", { content: { writtenAt: "2026-02-30T08:00:00Z" } }],
    ["head: by an id of another form", "malformed", { content: { signedBy: "Noor" } }],
    ["head: of an organization with a wrong id", "malformed", { content: { organizationId: "usr_1" } }],
    ["head: of another organization", "other_organization", { content: other }],
    [
      "head: of another organization, by somebody else",
      "other_organization",
      { content: other, by: "stranger", expected: await whoseIs("reader") },
    ],
    ["head: by another member", "not_signed", { by: "manager", expected: await whoseIs("reader") }],
    ["head: by another member, in the name of this one", "not_signed", { signWith: "manager" }],
    ["head: with the key that was replaced", "not_signed", { expected: { signingKey: secondKey.signingKey } }],
    ["head: signed as an entry of a list", "not_signed", { signedAs: listFormat }],
    ["head: with another number", "not_signed", { alter: (lines) => lines.replace('"number":6', '"number":5') }],
    ["head: with a critical extension", "unknown_extension", { content: newer }],
    ["head: with a critical extension, by another member", "not_signed", { content: newer, signWith: "manager" }],
    ["head: of the year 0", "malformed", { content: { writtenAt: "0000-11-23T08:00:00Z" } }],
    [
      "head: a signature of zeros",
      "not_signed",
      { alter: (lines) => lines.replace(/"signature":"[^"]+"/, `"signature":"${"A".repeat(86)}"`) },
    ],
  ];
  return Promise.all([
    ...verified.map(async ([name, parts]) => {
      const { list: seen = list } = parts.content ?? {};
      return { name, ...(await make(list, parts)), outcome: "verified", list: seen as ListHead } as const; // as just written
    }),
    ...refused.map(async ([name, outcome, parts]) => ({ name, ...(await make(list, parts)), outcome })),
  ]);
}

/** With extensions of so many bytes that the line has `bytes`; without a number, of as many as extensions may have. */
function filledTo(line: string, bytes: number | undefined): string {
  const before = line.replace('"extensions":{}', '"extensions":{"filling":""}');
  const most = 1024 - '{"filling":""}[]'.length;
  return before.replace(
    '"filling":""',
    `"filling":"${"x".repeat(bytes === undefined ? most : bytes - before.length)}"`,
  );
}

async function make(list: ListHead, parts: HeadParts): Promise<ExpectedHead & { readonly signedHead: string }> {
  const { by = "reader", signWith = by, content, expected } = parts;
  const { spell = (line: string) => line, alter = (lines: string) => lines, signedAs = headFormat } = parts;
  const written = { list, writtenAt: "2026-11-23T08:00:00Z", signedBy: idOf(by), ...noExtensions };
  const line = spell(JSON.stringify({ format: headFormat, organizationId, ...written, ...content }));
  const signedHead = alter(await signLine(signedAs, line, (await toSigner(by, signWith)).signingKey));
  return { signedHead, ...(await whoseIs(by)), ...expected };
}

async function whoseIs(person: Person): Promise<ExpectedHead> {
  const { signingKey } = await findPersonalKey(person);
  return { organizationId, signingKey };
}
