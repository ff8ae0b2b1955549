import { decodeBase64 } from "@sealpost/wire";
import envelopesJson from "../../../wire/vectors/envelopes.json" with { type: "json" };
import keyCopiesJson from "../../../wire/vectors/key-copies.json" with { type: "json" };
import sheetsJson from "../../../wire/vectors/recovery-sheets.json" with { type: "json" };
import listsJson from "../../../wire/vectors/signed-lists.json" with { type: "json" };
import { toKnownKeyLog } from "../envelope-checks.ts";
import { openKeyCopy } from "../key-copy.ts";
import { type VerifiedList, verifyList } from "../list.ts";
import { formatNames } from "../names.ts";
import { openEnvelope } from "../open-envelope.ts";
import { joinShares, type ParsedShare, parseShare, parseShareCode, type RecoveryShare } from "../recovery-share.ts";
import { type ParsedSheet, parseSheet, parseSheetCode } from "../recovery-sheet.ts";
import type { SheetKind } from "../sheet-lines.ts";
import type { EnvelopeVector } from "./envelope-vectors.ts";
import type { KeyCopyVector } from "./key-copy-vectors.ts";
import type { ListVector } from "./list-vectors.ts";
import { createNameLine } from "./name-lines.ts";
import { findPersonalKey, idOf, organizationId, personNames } from "./people.ts";
import { showShare } from "./share-vectors.ts";
import type { SheetVectors, ShownShare } from "./sheet-vectors.ts";

// Our own generator wrote these files from these types; JSON only widens the texts.
export const lists = listsJson as unknown as readonly ListVector[];
export const envelopes = envelopesJson as unknown as readonly EnvelopeVector[];
export const keyCopies = keyCopiesJson as unknown as readonly KeyCopyVector[];
export const sheets = sheetsJson as unknown as SheetVectors;
/** Typed sheets and scanned codes, as vectors with names. */
export const sheetReadings: readonly SheetReading[] = [
  ...sheets.sheets.flatMap(({ kind, identity, lines, code }) => [
    { name: `sheet: typed ${lines[0]}`, kind, lines, result: { identity } },
    { name: `sheet: scanned ${lines[0]}`, kind, code, result: { identity } },
  ]),
  ...sheets.shares.sets.flatMap(({ needed, of, set, sheets: made }) =>
    made.flatMap(({ place, value, lines, code }) => {
      const result = { share: { place, needed, of, set, value } };
      return [
        { name: `share: typed ${lines[0]}`, kind: "share" as const, lines, result },
        { name: `share: scanned ${lines[0]}`, kind: "share" as const, code, result },
      ];
    }),
  ),
  ...sheets.typed.map((vector) => ({ ...vector, name: `sheet: ${vector.name}` })),
  ...sheets.refusedCodes.map((vector) => ({ ...vector, name: `code: ${vector.name}`, result: undefined })),
  {
    name: "code: of another kind",
    kind: "organization",
    code: sheets.sheets[0]?.code ?? "",
    result: { otherKind: "personal" },
  },
  {
    name: "code: a share as an organization's sheet",
    kind: "organization",
    code: sheets.shares.sets[0]?.sheets[0]?.code ?? "",
    result: { otherKind: "share" },
  },
];
/** Shares that are joined, as vectors with names. */
export const shareJoins = sheets.shares.joins.map((vector) => ({ ...vector, name: `join: ${vector.name}` }));

/** The functions that vectors try: ours, or one with a mistake in it. */
export interface Implementation {
  readonly verifyList: typeof verifyList;
  readonly openEnvelope: typeof openEnvelope;
  readonly openKeyCopy: typeof openKeyCopy;
  readonly parseSheet: typeof parseSheet;
  readonly parseSheetCode: typeof parseSheetCode;
  readonly parseShare: typeof parseShare;
  readonly parseShareCode: typeof parseShareCode;
  readonly joinShares: typeof joinShares;
}

export interface SheetReading {
  readonly name: string;
  readonly kind: SheetKind;
  /** As typed; or, as scanned, `code`. */
  readonly lines?: readonly string[];
  readonly code?: string;
  readonly result: ParsedSheet | ShownShare | undefined;
}

export const ours: Implementation = {
  ...{ verifyList, openEnvelope, openKeyCopy, parseSheet, parseSheetCode },
  ...{ parseShare, parseShareCode, joinShares },
};

/** The result of an implementation for a vector, in the vector's own words. */
export async function verifyListVector(implementation: Implementation, vector: ListVector): Promise<unknown> {
  const result = await implementation.verifyList(bytesOf(vector), vector);
  if ("reason" in result) return { outcome: result.reason };
  return { outcome: "verified", head: result.head, members: [...result.members.keys()].sort() };
}

export function expectedOfList({ outcome, head, members }: ListVector): unknown {
  return outcome === "verified" ? { outcome, head, members: [...(members ?? [])].sort() } : { outcome };
}

export async function openEnvelopeVector(implementation: Implementation, vector: EnvelopeVector): Promise<unknown> {
  const { identity } = await findPersonalKey(vector.reader);
  // One implementation may have given its own list to another, so the list is verified by the same.
  const list = await findList(vector.list, implementation);
  const file = decodeBase64(vector.envelope) ?? new Uint8Array();
  const keyLog = vector.keyLog && toKnownKeyLog(vector.keyLog);
  const result = await implementation.openEnvelope(file, identity, { ...vector, list, keyLog });
  if ("reason" in result) return { outcome: result.reason };
  return { outcome: "opened", head: result.head, outdated: result.outdated, isByFormer: result.isByFormer };
}

export function expectedOfEnvelope({ outcome, head, outdated, isByFormer }: EnvelopeVector): unknown {
  return outcome === "opened" ? { outcome, head, outdated, isByFormer } : { outcome };
}

export async function openKeyCopyVector(implementation: Implementation, vector: KeyCopyVector): Promise<unknown> {
  const file = decodeBase64(vector.copy) ?? new Uint8Array();
  const result = await implementation.openKeyCopy(file, vector.secret, vector.expected);
  return "reason" in result ? { outcome: result.reason } : { outcome: "opened", key: result };
}

export async function expectedOfKeyCopy({ outcome, key, extensions = {} }: KeyCopyVector): Promise<unknown> {
  return key === undefined ? { outcome } : { outcome, key: { ...(await findPersonalKey(key)), extensions } };
}

export async function readSheetVector(
  { parseSheet, parseSheetCode, parseShare, parseShareCode }: Implementation,
  { kind, lines, code = "" }: SheetReading,
): Promise<SheetReading["result"]> {
  if (kind !== "share") return lines === undefined ? parseSheetCode(kind, code) : parseSheet(kind, lines);
  const parsed: ParsedShare | undefined = lines === undefined ? await parseShareCode(code) : await parseShare(lines);
  return parsed && "share" in parsed ? { share: showShare(parsed.share) } : parsed;
}

/** The codes are read by ours: what joins them is looked at alone. */
export async function joinSharesVector(
  { joinShares }: Pick<Implementation, "joinShares">,
  { codes }: { readonly codes: readonly string[] },
): Promise<unknown> {
  const shares: RecoveryShare[] = [];
  for (const code of codes) {
    const parsed = await parseShareCode(code);
    if (parsed !== undefined && "share" in parsed) shares.push(parsed.share);
  }
  return joinShares(shares);
}

/** The file of names of everybody in the vectors. */
export async function namesOfAll(): Promise<Uint8Array<ArrayBuffer>> {
  const lines = await Promise.all(
    personNames.map((name) => createNameLine({ use: "member", organizationId, id: idOf(name) }, name)),
  );
  return new TextEncoder().encode(formatNames(organizationId, lines));
}

/** A list of signed-lists.json that is in order, with its names. */
export async function findList(name: string, implementation: Implementation = ours): Promise<VerifiedList> {
  const vector = lists.find((candidate) => candidate.name === name);
  if (vector === undefined) throw new Error(`There is no list called ${name}`);
  const list = await implementation.verifyList(bytesOf(vector), { ...vector, names: await namesOfAll() });
  if ("reason" in list) throw list;
  return list;
}

export function bytesOf({ list, listBase64 }: Pick<ListVector, "list" | "listBase64">): Uint8Array {
  return (listBase64 === undefined ? undefined : decodeBase64(listBase64)) ?? new TextEncoder().encode(list);
}
