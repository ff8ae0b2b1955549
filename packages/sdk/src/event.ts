import {
  type Fields,
  type FormId,
  type HybridPublicKey,
  type PlainPayload,
  type PublicKey,
  parseHybridPublicKey,
  type SubmissionId,
} from "@sealpost/wire";
import type { FormSettings } from "./api-types.ts";
import { formSettings } from "./form-settings.ts";

/** A sealed payload as it came: its version may be one that this library is too old to open. */
export interface ReceivedSealedPayload {
  readonly encrypted: true;
  readonly version: string;
  readonly data: string;
  readonly key: string;
  readonly iv: string;
}

/** Times are milliseconds since the Unix epoch; `timestamp` is the visitor's clock and `receivedAt` the server's. */
export interface ReceivedSubmission {
  readonly id: SubmissionId;
  readonly payload: ReceivedSealedPayload | PlainPayload;
  /** The version of the form's key pair that the payload is sealed to; always there for a sealed payload. */
  readonly keyVersion?: number;
  readonly timestamp: number;
  readonly receivedAt: number;
}

interface Envelope {
  /** When it happened, in milliseconds since the Unix epoch. */
  readonly timestamp: number;
  readonly form: { readonly id: FormId; readonly name: string };
  /** Sent by the "send a test" button: sample data, nothing happened. */
  readonly test?: true;
}

export interface SubmissionCreated extends Envelope {
  readonly event: "submission.created";
  readonly submission: ReceivedSubmission;
}
export interface SubmissionDeleted extends Envelope {
  readonly event: "submission.deleted";
  readonly submission: { readonly id: SubmissionId };
}
/** The settings that changed. A list may have values that this version does not know. */
export type ChangedSettings = {
  readonly [Name in keyof FormSettings]?: FormSettings[Name] extends infer Value
    ? Value extends readonly string[]
      ? readonly string[]
      : Value
    : never;
};
export interface FormUpdated extends Envelope {
  readonly event: "form.updated";
  /** The changed members, with their new values. */
  readonly changes: {
    readonly name?: string;
    readonly settings?: ChangedSettings;
  };
}
export interface FormKeysRotated extends Envelope {
  readonly event: "form.keys_rotated";
  readonly keys: {
    readonly keyVersion: number;
    readonly previousKeyVersion: number;
    readonly publicKey: PublicKey;
    /** Only where the new version has a hybrid key. */
    readonly hybridPublicKey?: HybridPublicKey;
    readonly rotatedAt: number;
  };
}
/** An event of a kind that this version does not know: newer servers may send more kinds. Answer 204, as to any other. */
export interface UnknownEvent {
  readonly event: "unknown";
  /** The kind, as the body's member `event` names it. */
  readonly name: string;
  /** The whole body, unchecked. */
  readonly body: { readonly [member: string]: unknown };
  readonly test?: true;
}
export type WebhookEvent = SubmissionCreated | SubmissionDeleted | FormUpdated | FormKeysRotated | UnknownEvent;

const knownEvents: readonly unknown[] = [
  "submission.created",
  "submission.deleted",
  "form.updated",
  "form.keys_rotated",
] satisfies readonly Exclude<WebhookEvent, UnknownEvent>["event"][];

/**
 * The event in a verified body, or the sentence that says what is wrong with it. Members that this version does not know
 * are left out, so that a newer server's additions break nothing. Never throws.
 */
export function parseEvent(body: Uint8Array): WebhookEvent | string {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return "The body is not JSON in UTF-8";
  }
  if (!isObject(value)) return "The body is not an event";
  if (isText(value.event) && value.event !== "" && !knownEvents.includes(value.event))
    return { event: "unknown", name: value.event, body: value, ...testMark(value) };
  if (!isObject(value.form)) return "The body is not an event of a form";
  const { event, timestamp, form } = value;
  if (!isText(form.id) || !isText(form.name) || !isWhole(timestamp)) return "The event lacks its form or its timestamp";
  const envelope: Envelope = {
    timestamp,
    form: { id: form.id as FormId, name: form.name }, // the signature vouches that the id is one of the server's
    ...testMark(value),
  };
  switch (event) {
    case "submission.created": {
      const submission = parseSubmission(value.submission);
      return submission === undefined ? "The event's submission is malformed" : { event, ...envelope, submission };
    }
    case "submission.deleted": {
      if (!isObject(value.submission) || !isText(value.submission.id)) return "The event's submission is malformed";
      return { event, ...envelope, submission: { id: value.submission.id as SubmissionId } }; // vouched for as above
    }
    case "form.updated": {
      const changes = parseChanges(value.changes);
      return changes === undefined ? "The event's changes are malformed" : { event, ...envelope, changes };
    }
    case "form.keys_rotated": {
      const keys = parseKeys(value.keys);
      return keys === undefined ? "The event's keys are malformed" : { event, ...envelope, keys };
    }
    default:
      return "The body does not say which event it is";
  }
}

function testMark({ test }: Record<string, unknown>): { readonly test?: true } {
  return test === true ? { test } : {};
}

function parseSubmission(value: unknown): ReceivedSubmission | undefined {
  if (!isObject(value) || !isText(value.id) || !isWhole(value.timestamp) || !isWhole(value.receivedAt))
    return undefined;
  const payload = parsePayload(value.payload);
  const keyVersion = isWhole(value.keyVersion) && value.keyVersion > 0 ? value.keyVersion : undefined;
  if (payload === undefined || (payload.encrypted && keyVersion === undefined)) return undefined;
  return {
    id: value.id as SubmissionId, // the signature vouches that the id is one of the server's
    payload,
    ...(keyVersion === undefined ? {} : { keyVersion }),
    timestamp: value.timestamp,
    receivedAt: value.receivedAt,
  };
}

/** A sealed payload of any version, or a plain one; `undefined` for anything else. */
export function parsePayload(value: unknown): ReceivedSubmission["payload"] | undefined {
  if (!isObject(value)) return undefined;
  const { encrypted, version, data, key, iv, fields } = value;
  if (encrypted === true && isText(version) && isText(data) && isText(key) && isText(iv))
    return { encrypted, version, data, key, iv };
  if (encrypted === false && version === "plain1" && isObject(fields))
    return { encrypted, version, fields: fields as Fields }; // JSON.parse yields nothing but JSON values
  return undefined;
}

function parseChanges(value: unknown): FormUpdated["changes"] | undefined {
  if (!isObject(value)) return undefined;
  const { name, settings } = value;
  if (name !== undefined && !isText(name)) return undefined;
  if (settings !== undefined && !isObject(settings)) return undefined;
  return {
    ...(name === undefined ? {} : { name }),
    ...(settings === undefined ? {} : { settings: parseSettings(settings) }),
  };
}

const isOfType = {
  boolean: (value: unknown) => typeof value === "boolean",
  integer: isWhole,
  string: isText,
  array: (value: unknown) => Array.isArray(value) && value.every(isText),
  null: (value: unknown) => value === null,
};

/** Settings that this version does not know, and values of another type than theirs, are left out. */
function parseSettings(settings: Readonly<Record<string, unknown>>): ChangedSettings {
  return Object.fromEntries(
    Object.entries(formSettings).flatMap(([name, { types }]) => {
      const value = Object.hasOwn(settings, name) ? settings[name] : undefined;
      return types.some((type) => isOfType[type](value)) ? [[name, value]] : [];
    }),
  ); // each member was checked by the table, whose keys are the type's
}

function parseKeys(value: unknown): FormKeysRotated["keys"] | undefined {
  if (!isObject(value) || !isObject(value.publicKey)) return undefined;
  const { keyVersion, previousKeyVersion, rotatedAt } = value;
  const { kty, n, e } = value.publicKey;
  if (!isWhole(keyVersion) || !isWhole(previousKeyVersion) || !isWhole(rotatedAt)) return undefined;
  if (kty !== "RSA" || !isText(n) || !isText(e)) return undefined;
  const hybrid = parseHybridPublicKey(value.hybridPublicKey);
  return {
    keyVersion,
    previousKeyVersion,
    publicKey: { kty, n, e },
    // One that this version does not know is left out, as any member of a newer server.
    ...(typeof hybrid === "string" ? {} : { hybridPublicKey: hybrid }),
    rotatedAt,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
