import { type FormId, formatTime, isId, type KeyLogHead, noExtensions, type Unchecked } from "@sealpost/wire";
import { decryptWith, encryptTo } from "./age-file.ts";
import { type Bytes, countStanzas } from "./age-header.ts";
import type { EnvelopeHead } from "./envelope-checks.ts";
import { keysMax } from "./envelope-content.ts";
import type { ListHead } from "./list.ts";
import { parseOrganizationId } from "./list-entry.ts";
import { parseId } from "./member.ts";
import { catchRefusal, check, type RefusalError } from "./refusal.ts";
import { importSigningKey, signLine, splitSigned, verifyLine } from "./signature.ts";
import {
  checkCritical,
  decodeText,
  parse32Bytes,
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
}

export const headsFormat = "sealpost-device-heads/1";
/** As many as fit; of more the new device sees its own first. */
export const deviceListsMax = 64;
export const deviceEnvelopesMax = 400;
export const deviceKeyLogsMax = 400;
export const deviceHeadsBytesMax = 262_144;
/** Room for what age, the signature and the other members add. */
const overheadBytes = 8_192;

/** Signed with the personal key and sealed for the new device. */
export async function sealDeviceHeads(
  { lists, envelopes, keyLogs }: DeviceHeads,
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
    lists: takeFitting(lists.map(toPlainList), deviceListsMax, room),
    keyLogs: takeFitting(keyLogs.map(toPlainLog), deviceKeyLogsMax, room),
    envelopes: takeFitting(envelopes.map(toPlainEnvelope), deviceEnvelopesMax, room),
  };
  const content = parseContent({
    format: headsFormat,
    ...{ requestId: to.requestId, personId: to.personId, writtenAt: formatTime(now) },
    ...seen,
    ...noExtensions,
  });
  const signed = await signLine(headsFormat, JSON.stringify(content), await importSigningKey(to.signingSeed));
  return encryptTo([to.recipient], signed);
}

/** Refused unless they are signed with this key, for this request and person. */
export function openDeviceHeads(
  file: Bytes,
  identity: string,
  expected: { readonly requestId: string; readonly personId: string; readonly signingKey: string },
): Promise<DeviceHeads | RefusalError<"malformed" | "not_a_reader" | "not_signed" | "unknown_extension">> {
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
  await verifyLine(headsFormat, line, signature, signingKey);
  check(content.requestId === requestId && content.personId === personId, "not_signed");
  checkCritical(content);
  const { lists, envelopes, keyLogs } = content;
  return { lists, envelopes, keyLogs };
}

function parseContent(value: Unchecked) {
  const { format, requestId, personId, writtenAt, lists, envelopes, keyLogs } = value;
  return {
    format: parseText(format, /^sealpost-device-heads\/1$/),
    requestId: parseId(requestId),
    personId: parseId(personId),
    writtenAt: parseTime(writtenAt),
    lists: parseItems(lists, deviceListsMax, (item) => ({
      organizationId: parseOrganizationId(item.organizationId),
      ...parseHead(item),
    })),
    envelopes: parseItems(envelopes, deviceEnvelopesMax, parseEnvelopeHead),
    keyLogs: parseItems(keyLogs, deviceKeyLogsMax, (item) => ({
      formId: parseFormId(item.formId),
      ...parseHead(item),
    })),
    ...parseExtensions(value),
  };
}

function parseFormId(value: unknown): FormId {
  check(isId("form", value), "malformed");
  return value;
}

function parseEnvelopeHead({ formId, revision, hash, list, keys }: Unchecked): EnvelopeHead {
  return {
    formId: parseFormId(formId),
    revision: parseCount(revision),
    hash: parse32Bytes(hash),
    list: parseHead(list),
    keys: parseItems(keys, keysMax, ({ version, fingerprint, hybridFingerprint }) => ({
      version: parseCount(version),
      fingerprint: parse32Bytes(fingerprint),
      hybridFingerprint: hybridFingerprint === null ? null : parse32Bytes(hybridFingerprint),
    })),
  };
}

/** The first of them, as many as there is room for. */
function takeFitting<Item>(items: readonly Item[], lengthMax: number, room: { bytes: number }): readonly Item[] {
  const fitting: Item[] = [];
  for (const item of items.slice(0, lengthMax)) {
    const bytes = JSON.stringify(item).length + 1; // ids and hashes: each letter is a byte
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

function toPlainEnvelope({ formId, revision, hash, list, keys }: EnvelopeHead): EnvelopeHead {
  return {
    ...{ formId, revision, hash },
    list: { number: list.number, hash: list.hash },
    keys: keys.map(({ version, fingerprint, hybridFingerprint }) => ({ version, fingerprint, hybridFingerprint })),
  };
}

function parseItems<Item>(value: unknown, lengthMax: number, parse: (item: Unchecked) => Item): readonly Item[] {
  check(Array.isArray(value) && value.length <= lengthMax, "malformed");
  return value.map((item) => parse(parseObject(item)));
}
