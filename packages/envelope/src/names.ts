import { encodeBase64Url, type Unchecked } from "@sealpost/wire";
import { asCommitment, type Commitment, parseCommitment } from "./commitment.ts";
import { parseName } from "./member.ts";
import { catchRefusal, check, RefusalError } from "./refusal.ts";
import { decodeText, hashOf, parse32Bytes, parseLine } from "./text.ts";

/** A name that a signed list commits to: a member's, by the id, or the organization's own. */
export type NameOwner =
  | { readonly use: "member"; readonly organizationId: string; readonly id: string }
  | { readonly use: "organization"; readonly organizationId: string };

/** A line of the file of names. It proves itself: nobody signs it. */
export interface NameLine {
  readonly commitment: Commitment;
  /** Base64url of 32 random bytes. */
  readonly salt: string;
  readonly name: string;
}

/** The same as services take it and give it: the commitment is a text. */
export interface NameText extends Pick<NameLine, "salt" | "name"> {
  readonly commitment: string;
}

const format = "sealpost-names/1";
export const nameLinesMax = 4096;
const lineBytesMax = 640;
/** Every line with its line feed. */
const fileBytesMax = (nameLinesMax + 1) * (lineBytesMax + 1);

/** The commitment to a name, with a salt that is drawn for it. A name that lists refuse is a `RefusalError`. */
export function commitName(owner: NameOwner, name: string): Promise<NameLine> {
  return commitNameWith(owner, name, encodeBase64Url(crypto.getRandomValues(new Uint8Array(32))));
}

/** The same with a salt that is not drawn; for vectors. */
export async function commitNameWith(owner: NameOwner, name: string, salt: string): Promise<NameLine> {
  return { commitment: await computeCommitment(owner, { salt, name: parseName(name) }), salt, name };
}

export async function computeCommitment(
  owner: NameOwner,
  { salt, name }: Pick<NameLine, "salt" | "name">,
): Promise<Commitment> {
  const id = owner.use === "member" ? owner.id : owner.organizationId;
  const lines = ["sealpost-name/1", owner.use, owner.organizationId, id, salt, name];
  return asCommitment(await hashOf(lines.join("\n")));
}

/** Whether a line has the form of one, and its salt and name give its commitment for this owner. For a service that takes lines. */
export async function isNameLineOf(owner: NameOwner, line: NameLine | NameText): Promise<boolean> {
  const parsed = await catchRefusal(Promise.resolve().then(() => parseNameLine({ ...line })));
  return !(parsed instanceof RefusalError) && (await computeCommitment(owner, parsed)) === parsed.commitment;
}

/** The file of names of an organization, with these lines in any order. */
export function formatNames(organizationId: string, lines: readonly (NameLine | NameText)[]): string {
  // Each begins with the commitment, whose letters are of ASCII: the order of texts is that of bytes.
  const written = lines.map(({ commitment, salt, name }) => JSON.stringify({ commitment, salt, name })).sort();
  return [firstLine(organizationId), ...written].map((line) => `${line}\n`).join("");
}

/** A file of names with more lines, for lists that are continued here; one that is not in the format has none. */
export function addNames(
  organizationId: string,
  bytes: Uint8Array,
  lines: readonly NameText[],
): Uint8Array<ArrayBuffer> {
  const all = new Map([...findLines(bytes, organizationId), ...lines].map((line) => [String(line.commitment), line]));
  return new TextEncoder().encode(formatNames(organizationId, [...all.values()]));
}

/** The lines of a file of names, unproven; none of a file that is not in the format. */
export function findLines(bytes: Uint8Array, organizationId: string): readonly NameLine[] {
  try {
    return parseFile(bytes, organizationId);
  } catch (error) {
    if (error instanceof RefusalError) return [];
    throw error;
  }
}

/** A file of names as it was received. */
export interface NamesFile {
  /** The name that an owner's commitment is to. `undefined`: it is missing, or its line does not prove it. */
  find(owner: NameOwner, commitment: Commitment): Promise<string | undefined>;
}

/** A file that is not in the format has no name. */
export function readNames(bytes: Uint8Array, organizationId: string): NamesFile {
  return toNamesFile(findLines(bytes, organizationId));
}

/** The same of lines that are known, as those of an entry that was just written. */
export function toNamesFile(lines: readonly (NameLine | NameText)[]): NamesFile {
  const known = new Map(lines.map((line) => [String(line.commitment), line]));
  return {
    async find(owner, commitment) {
      const line = known.get(String(commitment));
      return line && (await computeCommitment(owner, line)) === commitment ? line.name : undefined;
    },
  };
}

function parseFile(bytes: Uint8Array, organizationId: string): readonly NameLine[] {
  check(bytes.length <= fileBytesMax, "malformed");
  const [first, ...lines] = decodeText(bytes).split("\n");
  check(lines.pop() === "" && lines.length <= nameLinesMax && first === firstLine(organizationId), "malformed");
  for (const line of lines) check(new TextEncoder().encode(line).length <= lineBytesMax, "malformed");
  const parsed = lines.map((line) => parseLine(line, parseNameLine));
  // Each commitment once: the same one twice does not ascend.
  const isAscending = parsed.every(
    (line, index) => index === 0 || String(parsed[index - 1]?.commitment) < String(line.commitment),
  );
  check(isAscending, "malformed");
  return parsed;
}

function parseNameLine({ commitment, salt, name }: Unchecked): NameLine {
  return { commitment: parseCommitment(commitment), salt: parse32Bytes(salt), name: parseName(name) };
}

const firstLine = (organizationId: string) => JSON.stringify({ format, organizationId });
