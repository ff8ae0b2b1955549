import { type FormId, formatTime, isId, type KeyLogHead, noExtensions, type Unchecked } from "@sealpost/wire";
import { decryptWith, encryptTo } from "./age-file.ts";
import { type Bytes, countStanzas } from "./age-header.ts";
import { writtenHeadsBytesMax } from "./device-heads-form.ts";
import type { EnvelopeHead, SeenKey } from "./envelope-checks.ts";
import { firstVersionOf, keysMax, readersMax, revisionMax, versionMax } from "./envelope-content.ts";
import type { ListHead } from "./list.ts";
import { entryNumberMax, parseOrganizationId } from "./list-entry.ts";
import { parseId, parseName, parseRole } from "./member.ts";
import { catchRefusal, check, type RefusalError } from "./refusal.ts";
import { importSigningKey, signLine, splitSigned, verifyLine } from "./signature.ts";
import type { ConfirmedMember } from "./standing.ts";
import {
  checkCritical,
  decodeText,
  parse32Bytes,
  parseArray,
  parseCount,
  parseExtensions,
  parseHead,
  parseLine,
  parseObject,
  parseText,
  parseTime,
} from "./text.ts";

/** The heads that a device has seen, for another one of the same person: what older lists, envelopes and key logs are recognized by. */
export interface DeviceHeads {
  readonly lists: readonly (ListHead & { readonly organizationId: string })[];
  readonly envelopes: readonly EnvelopeHead[];
  readonly keyLogs: readonly (KeyLogHead & { readonly formId: FormId })[];
  /** Members that the person has confirmed. */
  readonly confirmed: readonly ConfirmedInList[];
  /** To which organizations forms belong, of those too that have no envelope. */
  readonly forms: readonly FormOwner[];
}

export type ConfirmedInList = ConfirmedMember & { readonly organizationId: string };

export interface FormOwner {
  readonly formId: FormId;
  readonly organizationId: string;
}

/** How many of each the open device has seen and not handed over, for want of room. */
export type LeftOutHeads = Readonly<Record<keyof DeviceHeads, number>>;

export interface OpenedHeads {
  readonly heads: DeviceHeads;
  readonly leftOut: LeftOutHeads;
}

export const headsFormat = "sealpost-device-heads/1";
/** A reader takes so many of each, in a file of so many bytes. */
export const deviceHeadsMax = 10_000;
export const deviceHeadsBytesMax = 16 * 1024 * 1024;
const leftOutMax = 2_147_483_647;
/** Room for what age, the signature and the other members add. */
const overheadBytes = 8_192;

/** Signed with the personal key and sealed for the new device. */
export async function sealDeviceHeads(
  { lists, envelopes, keyLogs, confirmed, forms }: DeviceHeads,
  to: {
    /** The new device's, which has drawn what it follows from. */
    readonly commitment: string;
    readonly personId: string;
    readonly recipient: string;
    readonly signingSeed: string;
  },
  now: number = Date.now(),
): Promise<Bytes> {
  const room = { bytes: writtenHeadsBytesMax - overheadBytes };
  // Without its list nothing of an organization is recognized; envelopes are the largest by far.
  const seen = {
    lists: takeFitting(lists.map(toPlainList), room),
    forms: takeFitting(forms.map(toPlainForm), room),
    confirmed: takeFitting(confirmed.map(toPlainMember), room),
    keyLogs: takeFitting(keyLogs.map(toPlainLog), room),
    envelopes: takeFitting(toNewestFirst(envelopes).map(toPlainEnvelope), room),
  };
  const content = parseContent({
    format: headsFormat,
    ...{ commitment: to.commitment, personId: to.personId, writtenAt: formatTime(now) },
    lists: seen.lists.toSorted(compareLists),
    envelopes: seen.envelopes.toSorted(compareEnvelopes),
    keyLogs: seen.keyLogs.toSorted(compareForms),
    confirmed: seen.confirmed.toSorted(compareMembers),
    forms: seen.forms.toSorted(compareForms),
    leftOut: {
      lists: lists.length - seen.lists.length,
      envelopes: envelopes.length - seen.envelopes.length,
      keyLogs: keyLogs.length - seen.keyLogs.length,
      confirmed: confirmed.length - seen.confirmed.length,
      forms: forms.length - seen.forms.length,
    },
    ...noExtensions,
  });
  const signed = await signLine(headsFormat, JSON.stringify(content), await importSigningKey(to.signingSeed));
  return encryptTo([to.recipient], signed);
}

/** Refused unless they are for the new device with this commitment and for this person, and signed with this key. */
export function openDeviceHeads(
  file: Bytes,
  identity: string,
  expected: { readonly commitment: string; readonly personId: string; readonly signingKey: string },
): Promise<
  OpenedHeads | RefusalError<"malformed" | "not_a_reader" | "other_key" | "not_signed" | "unknown_extension">
> {
  return catchRefusal(open(file, identity, expected));
}

async function open(
  file: Bytes,
  identity: string,
  {
    commitment,
    personId,
    signingKey,
  }: { readonly commitment: string; readonly personId: string; readonly signingKey: string },
): Promise<OpenedHeads> {
  check(file.length <= deviceHeadsBytesMax && countStanzas(file, 1) === 1, "malformed");
  // The bound of the content line is that of its file.
  const { line, signature } = splitSigned(decodeText(await decryptWith(identity, file)), deviceHeadsBytesMax);
  const content = parseLine(line, parseContent);
  check(content.commitment === commitment && content.personId === personId, "other_key");
  await verifyLine(headsFormat, line, signature, signingKey);
  checkCritical(content);
  const { lists, envelopes, keyLogs, confirmed, forms, leftOut } = content;
  return { heads: { lists, envelopes, keyLogs, confirmed, forms }, leftOut };
}

function parseContent(value: Unchecked) {
  const { format, commitment, personId, writtenAt, lists, envelopes, keyLogs, confirmed, forms, leftOut } = value;
  return {
    format: parseText(format, /^sealpost-device-heads\/1$/),
    commitment: parse32Bytes(commitment),
    personId: parseId(personId),
    writtenAt: parseTime(writtenAt),
    lists: parseAscending(lists, deviceHeadsMax, compareLists, (item) => ({
      organizationId: parseOrganizationId(item.organizationId),
      ...parseHead(item),
    })),
    envelopes: parseAscending(envelopes, deviceHeadsMax, compareEnvelopes, parseEnvelopeHead),
    keyLogs: parseAscending(keyLogs, deviceHeadsMax, compareForms, (item) => ({
      formId: parseFormId(item.formId),
      ...parseHead(item),
    })),
    confirmed: parseAscending(confirmed, deviceHeadsMax, compareMembers, parseConfirmed),
    forms: parseAscending(forms, deviceHeadsMax, compareForms, (item) => ({
      formId: parseFormId(item.formId),
      organizationId: parseOrganizationId(item.organizationId),
    })),
    leftOut: parseLeftOut(parseObject(leftOut)),
    ...parseExtensions(value),
  };
}

function parseFormId(value: unknown): FormId {
  check(isId("form", value), "malformed");
  return value;
}

function parseEnvelopeHead({
  organizationId,
  formId,
  formName,
  firstVersion,
  revision,
  hash,
  list,
  keyLog,
  readers,
  keys,
}: Unchecked): EnvelopeHead {
  check(firstVersionOf(parseCount(firstVersion, versionMax)) === firstVersion, "malformed");
  return {
    organizationId: parseOrganizationId(organizationId),
    formId: parseFormId(formId),
    formName: parseName(formName),
    firstVersion,
    revision: parseCount(revision, revisionMax),
    hash: parse32Bytes(hash),
    list: parseHead(list),
    keyLog: keyLog === null ? null : parseHead(keyLog),
    readers: parseAscending(parseArray(readers, readersMax), readersMax, compareIds, ({ id, by, isDoubtful }) => ({
      id: parseId(id),
      by: by === null ? null : parseId(by),
      isDoubtful: parseFlag(isDoubtful),
    })),
    keys: parseAscending(keys, keysMax, compareVersions, (key) => ({
      version: parseCount(key.version, versionMax),
      fingerprint: parse32Bytes(key.fingerprint),
      hybridFingerprint: key.hybridFingerprint === null ? null : parse32Bytes(key.hybridFingerprint),
      seedHash: key.seedHash === null ? null : parse32Bytes(key.seedHash),
      ...parseStanding(key),
    })),
  };
}

/** How a key was seen: as published, and perhaps unproven; or never so and, in this revision, ahead of its time. */
function parseStanding(key: Unchecked): Pick<SeenKey, "isPublished" | "isAhead" | "isUnproven"> {
  const [isPublished, isAhead] = [parseFlag(key.isPublished), parseFlag(key.isAhead)];
  const isUnproven = parseFlag(key.isUnproven);
  check(!(isPublished && isAhead) && (isPublished || !isUnproven), "malformed");
  return { isPublished, isAhead, isUnproven };
}

function parseConfirmed({ organizationId, id, role, fingerprint, signingKey, entry }: Unchecked): ConfirmedInList {
  return {
    organizationId: parseOrganizationId(organizationId),
    id: parseId(id),
    role: parseRole(role),
    fingerprint: parse32Bytes(fingerprint),
    signingKey: signingKey === null ? null : parse32Bytes(signingKey),
    entry: parseCount(entry, entryNumberMax),
  };
}

function parseLeftOut({ lists, envelopes, keyLogs, confirmed, forms }: Unchecked): LeftOutHeads {
  return {
    lists: parseNumber(lists),
    envelopes: parseNumber(envelopes),
    keyLogs: parseNumber(keyLogs),
    confirmed: parseNumber(confirmed),
    forms: parseNumber(forms),
  };
}

/** From 0 on. */
function parseNumber(value: unknown): number {
  return value === 0 ? 0 : parseCount(value, leftOutMax);
}

function parseFlag(value: unknown): boolean {
  check(typeof value === "boolean", "malformed");
  return value;
}

type Compare<Item> = (one: Item, other: Item) => number;
/** Ids have letters of ASCII alone, whose order is that of their bytes. */
const compareTexts: Compare<string> = (one, other) => Number(one > other) - Number(one < other);
const compareLists: Compare<{ readonly organizationId: string }> = (one, other) =>
  compareTexts(one.organizationId, other.organizationId);
const compareForms: Compare<{ readonly formId: string }> = (one, other) => compareTexts(one.formId, other.formId);
const compareIds: Compare<{ readonly id: string }> = (one, other) => compareTexts(one.id, other.id);
const compareVersions: Compare<{ readonly version: number }> = (one, other) => one.version - other.version;
/** A form may have several, each for other versions. */
const compareEnvelopes: Compare<EnvelopeHead> = (one, other) =>
  compareForms(one, other) || one.firstVersion - other.firstVersion;

const compareMembers: Compare<ConfirmedInList> = (one, other) => compareLists(one, other) || compareIds(one, other);

/** The last envelope of each form, which has the newest key, then the others; both begin with the forms that were made last, as their ids say. */
function toNewestFirst(envelopes: readonly EnvelopeHead[]): readonly EnvelopeHead[] {
  const isLast = (head: EnvelopeHead) =>
    !envelopes.some(({ formId, firstVersion }) => formId === head.formId && firstVersion > head.firstVersion);
  const newest = envelopes.toSorted((one, other) => compareEnvelopes(other, one));
  return [...newest.filter(isLast), ...newest.filter((head) => !isLast(head))];
}

/** The first of them, as many as there is room for. */
function takeFitting<Item>(items: readonly Item[], room: { bytes: number }): readonly Item[] {
  const fitting: Item[] = [];
  for (const item of items.slice(0, deviceHeadsMax)) {
    const bytes = new TextEncoder().encode(JSON.stringify(item)).length + 1;
    if (bytes > room.bytes) break;
    room.bytes -= bytes;
    fitting.push(item);
  }
  return fitting;
}

const toPlainList = ({ organizationId, number, hash }: DeviceHeads["lists"][number]) => ({
  organizationId,
  number,
  hash,
});
const toPlainForm = ({ formId, organizationId }: FormOwner): FormOwner => ({ formId, organizationId });
const toPlainLog = ({ formId, number, hash }: DeviceHeads["keyLogs"][number]) => ({ formId, number, hash });

function toPlainMember({ organizationId, id, role, fingerprint, signingKey, entry }: ConfirmedInList): ConfirmedInList {
  return { organizationId, id, role, fingerprint, signingKey, entry };
}

function toPlainEnvelope(head: EnvelopeHead): EnvelopeHead {
  const { organizationId, formId, formName, firstVersion, revision, hash, list, keyLog, readers, keys } = head;
  return {
    ...{ organizationId, formId, formName, firstVersion, revision, hash },
    list: { number: list.number, hash: list.hash },
    keyLog: keyLog && { number: keyLog.number, hash: keyLog.hash },
    readers: readers.map(({ id, by, isDoubtful = false }) => ({ id, by, isDoubtful })),
    keys: keys.map(({ version, fingerprint, hybridFingerprint, seedHash, ...standing }) => ({
      ...{ version, fingerprint, hybridFingerprint, seedHash, isPublished: standing.isPublished },
      ...{ isAhead: standing.isAhead ?? false, isUnproven: standing.isUnproven ?? false },
    })),
  };
}

/** Each once, in this order. */
function parseAscending<Item>(
  value: unknown,
  lengthMax: number,
  compare: Compare<Item>,
  parse: (item: Unchecked) => Item,
): readonly Item[] {
  check(Array.isArray(value) && value.length <= lengthMax, "malformed");
  const items = value.map((item) => parse(parseObject(item)));
  const isAscending = items.every((item, index) => index === 0 || compare(items[index - 1] as Item, item) < 0); // there
  check(isAscending, "malformed");
  return items;
}
