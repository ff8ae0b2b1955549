import {
  type Fields,
  type FormId,
  hybridVersion,
  isId,
  plainVersion,
  type SealedVersion,
  type SubmissionId,
  sealedVersion,
} from "@sealpost/wire";
import type { StoredPayload } from "../database/stored-payload.ts";
import { excerpt } from "../problems/excerpt.ts";

export interface Submission {
  readonly formId: FormId;
  readonly id: SubmissionId;
  readonly keyVersion: number;
  readonly payload: StoredPayload;
  /** When the visitor's browser says it was made; never used for order or counts. */
  readonly timestamp: number;
  readonly receivedAt: number;
  /** Tells a retry of a plain submission whose fields were stripped, and whose sender has named its id (`digestPosted`). */
  readonly postedDigest?: string | undefined;
}

/** A submission as posted, checked as far as one can without knowing the form. */
export interface PostedSubmission {
  readonly id: SubmissionId | undefined;
  readonly keyVersion: number | undefined;
  readonly payload: StoredPayload;
  readonly timestamp: number | undefined;
}

export type FieldErrors = Readonly<Record<string, string>>;

const timestampMax = 8_640_000_000_000_000;
/** One byte of ciphertext and the tag; in `sp2` a commitment before them. SPECIFICATION.md, section 3. */
const dataBytesMin = { [sealedVersion]: 17, [hybridVersion]: 49 } as const satisfies Record<SealedVersion, number>;
export const depthMax = 32;
/** Most members in the fields of a plain submission: names, values of lists, and what is in them. */
export const membersMax = 1000;
const nameLengthMax = 256;
const unknownMax = 20;

/** Where the integers of a column end. */
export const keyVersionMax = 2 ** 31 - 1;

/** Parses the body of `POST …/submissions` (contract, section 8.3): the submission, or every error by its field path. */
export function parsePostedSubmission(body: unknown): PostedSubmission | { readonly errors: FieldErrors } {
  if (!isObject(body)) return { errors: { body: "Must be an object" } };
  // Without a prototype: a caller may name a member `__proto__`.
  const errors: Record<string, string> = Object.create(null);
  refuseUnknown(body, "", ["id", "payload", "keyVersion", "timestamp"], errors);
  const { id, keyVersion, timestamp } = body;
  const payload = parsePayload(body.payload, errors);
  const isSealed = payload !== undefined && payload.version !== plainVersion;
  if (id === undefined ? isSealed : !isId("submission", id))
    errors.id = "Must be a submission id: sub_ and 26 characters";
  if (keyVersion === undefined ? isSealed : !isInteger(keyVersion, 1, keyVersionMax))
    errors.keyVersion = "Must be a key version, counted from 1";
  if (timestamp !== undefined && !isInteger(timestamp, 0, timestampMax))
    errors.timestamp = "Must be milliseconds since the Unix epoch";
  if (payload === undefined || Object.keys(errors).length > 0) return { errors };
  // Each was checked above; a failed check has left an error.
  return {
    id: id as SubmissionId | undefined,
    keyVersion: keyVersion as number | undefined,
    payload,
    timestamp: timestamp as number | undefined,
  };
}

function parsePayload(payload: unknown, errors: Record<string, string>): StoredPayload | undefined {
  if (!isObject(payload)) return issue(errors, "payload", "Must be an object");
  const { encrypted, version } = payload;
  if (encrypted === true && (version === sealedVersion || version === hybridVersion))
    return parseSealed(version, payload, errors);
  if (encrypted === false && version === plainVersion) return parsePlain(payload, errors);
  if (typeof encrypted !== "boolean") return issue(errors, "payload.encrypted", "Must be a boolean");
  return issue(
    errors,
    "payload.version",
    `Must be ${encrypted ? `${sealedVersion} or ${hybridVersion}` : plainVersion}`,
  );
}

function parseSealed(
  version: SealedVersion,
  payload: Record<string, unknown>,
  errors: Record<string, string>,
): StoredPayload | undefined {
  refuseUnknown(payload, "payload.", ["encrypted", "version", "data", "key", "iv"], errors);
  const data = parseBytes(payload.data, "payload.data", errors);
  const key = parseBytes(payload.key, "payload.key", errors);
  const iv = parseBytes(payload.iv, "payload.iv", errors);
  if (data !== undefined && data.length < dataBytesMin[version])
    errors["payload.data"] = `Must hold at least ${dataBytesMin[version]} bytes`;
  if (iv !== undefined && iv.length !== 12) errors["payload.iv"] = "Must hold 12 bytes";
  return data && key && iv && { version, data, key, iv };
}

function parseBytes(value: unknown, path: string, errors: Record<string, string>): Uint8Array | undefined {
  const bytes = typeof value === "string" ? decodeStrictly(value) : undefined;
  return bytes ?? issue(errors, path, "Must be base64 with padding and without white space");
}

/** `decodeBase64` of wire says the same of every text (a test holds them together); this is several times as fast. */
export function decodeStrictly(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

function parsePlain(payload: Record<string, unknown>, errors: Record<string, string>): StoredPayload | undefined {
  refuseUnknown(payload, "payload.", ["encrypted", "version", "fields"], errors);
  const { fields } = payload;
  if (!isObject(fields)) return issue(errors, "payload.fields", "Must be an object");
  const found = { members: 0, hasHalves: false };
  const message = checkFields(fields, 1, found);
  if (message !== undefined) return issue(errors, "payload.fields", message);
  // JSON values only: it came out of JSON.parse.
  return { version: plainVersion, fields: (found.hasHalves ? mendTexts(fields) : fields) as Fields };
}

/**
 * U+FFFD in the place of each half of a surrogate pair, as sealers write it (SPECIFICATION.md, section 4): PHP and Rust read
 * no JSON with a half, not even as its escape, so one cut emoji would make a whole delivery unreadable (RFC 8259, section
 * 8.2). Names that become alike are one, and the last counts.
 */
function mendTexts(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(mendTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), mendTexts(member)]));
}

/** The error of fields of a plain submission that are too deep, too many or too long, or `undefined`. */
export function findFieldsError(fields: object): string | undefined {
  return checkFields(fields, 1, { members: 0, hasHalves: false });
}

interface FoundInFields {
  members: number;
  /** Whether a name or a text holds half a surrogate pair. */
  hasHalves: boolean;
}

function checkFields(value: unknown, depth: number, found: FoundInFields): string | undefined {
  // JSON has no infinity, but 1e999 is read as one, and would be kept as null.
  if (typeof value === "number" && !Number.isFinite(value)) return "Numbers must be finite";
  if (typeof value === "string" && !value.isWellFormed()) found.hasHalves = true;
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > depthMax) return `Must be at most ${depthMax} levels deep`;
  // Not `Object.entries`, which lists them all before the first is counted.
  for (const name in value) {
    found.members += 1;
    if (found.members > membersMax) return `Must have at most ${membersMax} members`;
    if (name.length > nameLengthMax) return `Names must have at most ${nameLengthMax} characters`;
    if (!name.isWellFormed()) found.hasHalves = true;
    const message = checkFields(value[name as keyof typeof value], depth + 1, found); // one of its own names
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Names the first few: an answer that names every error of a hostile body would be larger than the body. */
function refuseUnknown(
  value: Record<string, unknown>,
  path: string,
  known: readonly string[],
  errors: Record<string, string>,
): void {
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  for (const name of unknown.slice(0, unknownMax)) errors[`${path}${excerpt(name)}`] = "Is not known here";
}

function issue(errors: Record<string, string>, path: string, message: string): undefined {
  errors[path] = message;
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isInteger(value: unknown, min: number, max: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}

/**
 * The bytes that a submission counts as: those of its body, or of a plain one's fields where these are longer as the JSON that
 * is stored and delivered. A byte of a multipart form can become six, and `1e20` 21 digits.
 */
export function countedBytes(payload: StoredPayload, bodyBytes: number): number {
  if (payload.version !== plainVersion) return bodyBytes;
  return Math.max(bodyBytes, Buffer.byteLength(JSON.stringify(payload.fields)));
}
