import { type FormId, formatTime, isId, type KeyLogHead, noExtensions, type Unchecked } from "@sealpost/wire";
import { decryptWith, encryptTo } from "./age-file.ts";
import { type Bytes, countStanzas } from "./age-header.ts";
import type { EnvelopeHead } from "./envelope-checks.ts";
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
}

export type ConfirmedInList = ConfirmedMember & { readonly organizationId: string };

export const headsFormat = "sealpost-device-heads/1";
/** As many as fit; of more the new device sees its own first. */
export const deviceListsMax = 64;
export const deviceEnvelopesMax = 400;
export const deviceKeyLogsMax = 400;
export const deviceConfirmedMax = 256;
export const deviceHeadsBytesMax = 262_144;
/** Room for what age, the signature and the other members add. */
const overheadBytes = 8_192;

/** Signed with the personal key and sealed for the new device. */
export async function sealDeviceHeads(
  { lists, envelopes, keyLogs, confirmed }: DeviceHeads,
  to: {
    readonly requestId: string;
    readonly personId: string;
    readonly recipient: string;
    readonly signingSeed: string;
  },
  now: number = Date.now(),
): Promise<Bytes> {
  const room = { bytes: deviceHeadsBytesMax - overheadBytes };
  const seen = {
    lists: takeFitting(lists.map(toPlainList), deviceListsMax, room).toSorted(compareLists),
    keyLogs: takeFitting(keyLogs.map(toPlainLog), deviceKeyLogsMax, room).toSorted(compareForms),
    confirmed: takeFitting(confirmed.map(toPlainMember), deviceConfirmedMax, room).toSorted(compareMembers),
    envelopes: takeFitting(toNewestFirst(envelopes).map(toPlainEnvelope), deviceEnvelopesMax, room),
  };
  const content = parseContent({
    format: headsFormat,
    ...{ requestId: to.requestId, personId: to.personId, writtenAt: formatTime(now) },
    lists: seen.lists,
    envelopes: seen.envelopes.toSorted(compareEnvelopes),
    keyLogs: seen.keyLogs,
    confirmed: seen.confirmed,
    ...noExtensions,
  });
  const signed = await signLine(headsFormat, JSON.stringify(content), await importSigningKey(to.signingSeed));
  return encryptTo([to.recipient], signed);
}

/** Refused unless they are for this request and person, and signed with this key. */
export function openDeviceHeads(
  file: Bytes,
  identity: string,
  expected: { readonly requestId: string; readonly personId: string; readonly signingKey: string },
): Promise<
  DeviceHeads | RefusalError<"malformed" | "not_a_reader" | "other_key" | "not_signed" | "unknown_extension">
> {
  return catchRefusal(open(file, identity, expected));
}

async function open(
  file: Bytes,
  identity: string,
  {
    requestId,
    personId,
    signingKey,
  }: { readonly requestId: string; readonly personId: string; readonly signingKey: string },
): Promise<DeviceHeads> {
  check(file.length <= deviceHeadsBytesMax && countStanzas(file, 1) === 1, "malformed");
  // The bound of the content line is that of its file.
  const { line, signature } = splitSigned(decodeText(await decryptWith(identity, file)), deviceHeadsBytesMax);
  const content = parseLine(line, parseContent);
  check(content.requestId === requestId && content.personId === personId, "other_key");
  await verifyLine(headsFormat, line, signature, signingKey);
  checkCritical(content);
  const { lists, envelopes, keyLogs, confirmed } = content;
  return { lists, envelopes, keyLogs, confirmed };
}

function parseContent(value: Unchecked) {
  const { format, requestId, personId, writtenAt, lists, envelopes, keyLogs, confirmed } = value;
  return {
    format: parseText(format, /^sealpost-device-heads\/1$/),
    requestId: parseId(requestId),
    personId: parseId(personId),
    writtenAt: parseTime(writtenAt),
    lists: parseAscending(lists, deviceListsMax, compareLists, (item) => ({
      organizationId: parseOrganizationId(item.organizationId),
      ...parseHead(item),
    })),
    envelopes: parseAscending(envelopes, deviceEnvelopesMax, compareEnvelopes, parseEnvelopeHead),
    keyLogs: parseAscending(keyLogs, deviceKeyLogsMax, compareForms, (item) => ({
      formId: parseFormId(item.formId),
      ...parseHead(item),
    })),
    confirmed: parseAscending(confirmed, deviceConfirmedMax, compareMembers, parseConfirmed),
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
    readers: parseAscending(parseArray(readers, readersMax), readersMax, compareIds, ({ id, by }) => ({
      id: parseId(id),
      by: by === null ? null : parseId(by),
    })),
    keys: parseAscending(keys, keysMax, compareVersions, (key) => ({
      version: parseCount(key.version, versionMax),
      fingerprint: parse32Bytes(key.fingerprint),
      hybridFingerprint: key.hybridFingerprint === null ? null : parse32Bytes(key.hybridFingerprint),
      seedHash: parse32Bytes(key.seedHash),
      isPublished: parseFlag(key.isPublished),
    })),
  };
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

/** The last envelope of each form, which has the newest key, then the others. */
function toNewestFirst(envelopes: readonly EnvelopeHead[]): readonly EnvelopeHead[] {
  const isLast = (head: EnvelopeHead) =>
    !envelopes.some(({ formId, firstVersion }) => formId === head.formId && firstVersion > head.firstVersion);
  return [...envelopes.filter(isLast), ...envelopes.filter((head) => !isLast(head)).toReversed()];
}

/** The first of them, as many as there is room for. */
function takeFitting<Item>(items: readonly Item[], lengthMax: number, room: { bytes: number }): readonly Item[] {
  const fitting: Item[] = [];
  for (const item of items.slice(0, lengthMax)) {
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
    readers: readers.map(({ id, by }) => ({ id, by })),
    keys: keys.map(({ version, fingerprint, hybridFingerprint, seedHash, isPublished }) => ({
      ...{ version, fingerprint, hybridFingerprint, seedHash, isPublished },
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
