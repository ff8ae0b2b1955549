import {
  encodeBase64Url,
  type HybridPublicKey,
  type KeyLogHead,
  keyLogPageEntries,
  type PublicKey,
} from "@sealpost/wire";
import { newestFirst } from "../newest-key.ts";
import type { Body, CallOptions, Calls, Query } from "./call.ts";
import { type EnvelopeVersion, tagOf } from "./envelopes-client.ts";
import { eachOf } from "./paging.ts";
import { afterTag, toTag } from "./version-tag.ts";

const one = "GET /api/forms/{form_id}";
const listing = "GET /api/forms";
const creating = "POST /api/forms";
const notifying = "PUT /api/forms/{form_id}/notifications";
const rotating = "POST /api/forms/{form_id}/rotate-keys";
const closing = "POST /api/forms/{form_id}/keys/close";
/** Far more than a form ever gets. Nobody has checked them yet, so a server could send entries without end. */
const keyLogEntriesMax = 65_536;
const lineFeed = 10;

/**
 * The public keys of a pair of your own, the hybrid one (against quantum computers) only with the other; or whether the server
 * makes a hybrid pair as well as the RSA one.
 */
export interface KeysToRotate {
  readonly publicKey?: PublicKey;
  readonly hybridPublicKey?: HybridPublicKey;
  readonly hybrid?: boolean;
}

/** The versions below `below` take nothing more from `at` on, in milliseconds since the Unix epoch; `null`: without end. */
export type KeyClosing = Body<typeof closing>;

/** New keys; and, for a form that has an envelope, the next revision of it, which has the private key of the new version too. */
export interface RotationToAsk extends KeysToRotate {
  /** The version that this makes: 409, `key_version_not_next`, where another rotation came between. */
  readonly keyVersion?: number;
  readonly envelope?: Uint8Array;
  /** The revision that `envelope` follows; absent: it is another envelope, which begins with the new version. */
  readonly before?: EnvelopeVersion | undefined;
  /** Ends older versions in the same step, as `closeKeys`. */
  readonly closeKeyVersions?: KeyClosing;
  /** The entry of the new key in the form's key log, where it has one: `createKeyLogEntry` of `@sealpost/envelope`. */
  readonly keyLogEntry?: string;
  /** Whether an owner rotates a form that has an envelope without one. */
  readonly withoutEnvelope?: boolean;
}

/** `formId` is the id that `reserve` gave, for a `publicKey` of your own: it makes one form at most. `envelope`, an age file of `@sealpost/envelope` with the private key and that id, needs it. */
export type FormToCreate = Omit<Body<typeof creating>, keyof KeysToRotate | "envelope"> &
  KeysToRotate & { readonly envelope?: Uint8Array };

export function createFormsClient({ call, bytes }: Calls) {
  /** One page of forms, newest first. */
  const list = (query: Query<typeof listing> = {}, options?: CallOptions) => call(listing, { query }, options);
  return {
    list,
    /** All forms, newest first, fetched while they are consumed. */
    all: (options?: CallOptions) =>
      eachOf(
        (query) => list(query, options),
        (page) => page.forms,
      ),
    /** One form with all its settings and its `embedCode`. */
    get: async (formId: string, options?: CallOptions) =>
      (await call(one, { path: { form_id: formId } }, options)).form,
    /** Reserves an id for a form that is created with an envelope, or is to be recognized if its answer is lost: once, within an hour, by the same person. */
    reserve: (options?: CallOptions) => call("POST /api/forms/reservations", {}, options),
    /**
     * Creates a form. With the `publicKey` of a pair of your own the server never sees the private key; without it the
     * answer holds the only copy of it.
     */
    create: async (body: FormToCreate, options?: CallOptions) => {
      // The document allows the one public exponent that the server takes; it refuses any other.
      return (await call(creating, { body: toSent(body) as Body<typeof creating> }, options)).form;
    },
    /** Changes what is given and keeps the rest. */
    update: async (formId: string, body: Body<"PATCH /api/forms/{form_id}">, options?: CallOptions) =>
      (await call("PATCH /api/forms/{form_id}", { path: { form_id: formId }, body }, options)).form,
    /** Deletes the form and all its submissions, for good. */
    delete: async (formId: string, options?: CallOptions) => {
      const query = { confirm: "DELETE_FORM" } as const;
      return (await call("DELETE /api/forms/{form_id}", { path: { form_id: formId }, query }, options)).deleted;
    },
    /**
     * Hands the form, with everything in it, to another organization that the person owns; refused with `form_held` under legal hold, and with
     * `form_hand_over_webhook` where it has a webhook address and `webhook` does not say what becomes of it. Gives what did. Wants a session token.
     */
    handOver: async (formId: string, body: Body<"POST /api/forms/{form_id}/hand-over">, options?: CallOptions) =>
      (await call("POST /api/forms/{form_id}/hand-over", { path: { form_id: formId }, body }, options)).webhook,
    /**
     * Sets a legal hold on the form, or gives it another reason and date: until it is lifted nothing of the form is deleted, and
     * each attempt is refused with `form_held`. Wants a session token of an owner.
     */
    setHold: async (formId: string, body: Body<"PUT /api/forms/{form_id}/hold"> = {}, options?: CallOptions) =>
      (await call("PUT /api/forms/{form_id}/hold", { path: { form_id: formId }, body }, options)).hold,
    /** Lifts the form's legal hold. Wants a session token of an owner. */
    liftHold: async (formId: string, options?: CallOptions): Promise<void> => {
      await call("DELETE /api/forms/{form_id}/hold", { path: { form_id: formId } }, options);
    },
    /** Gives the form a new key pair, as with `create`. Submissions sealed to an older one stay accepted and need its private key. */
    rotateKeys: async (formId: string, body: RotationToAsk = {}, options?: CallOptions) => {
      const { before, ...others } = body;
      const headers = others.envelope === undefined ? {} : afterTag(tagOf(before));
      const input = { path: { form_id: formId }, body: toSent(others) as Body<typeof rotating>, headers };
      return (await call(rotating, input, options)).form;
    },
    /** The public keys of all versions, the newest first, whatever the order in which the server gives them. */
    keys: async (formId: string, options?: CallOptions) =>
      newestFirst((await call("GET /api/forms/{form_id}/keys", { path: { form_id: formId } }, options)).keys),
    /** Ends older versions of the form's key. Gives every version, with `closesAt`. */
    closeKeys: async (formId: string, body: KeyClosing, options?: CallOptions) =>
      newestFirst((await call(closing, { path: { form_id: formId }, body }, options)).keys),
    /** The bytes of the form's key log from an entry on, all of them, for `verifyKeyLog` of `@sealpost/wire`; nobody has checked them. */
    keyLog: async (formId: string, from = 1, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>> => {
      const pages: Uint8Array<ArrayBuffer>[] = [];
      let next = from;
      let entries: number;
      do {
        const input = { path: { form_id: formId }, query: { from: next } };
        const page = (await bytes("GET /api/forms/{form_id}/keys/log", input, options))?.bytes ?? new Uint8Array();
        pages.push(page);
        entries = Math.floor(page.filter((byte) => byte === lineFeed).length / 2);
        next += entries;
      } while (entries >= keyLogPageEntries && next < from + keyLogEntriesMax);
      return new Uint8Array(await new Blob(pages).arrayBuffer());
    },
    /** Adds an entry to the form's key log, `before` being its newest one, or begins it. Gives the new end, to be pinned. */
    addKeyLogEntry: async (formId: string, entry: string, before?: KeyLogHead, options?: CallOptions) => {
      const tag = before && toTag(before.number, before.hash);
      const input = { path: { form_id: formId }, body: { entry }, headers: afterTag(tag) };
      return (await call("POST /api/forms/{form_id}/keys/log", input, options)).head;
    },
    /** Gives the form's key log up: pages that pin it send nothing from then on. Wants a session token of an owner. */
    removeKeyLog: async (formId: string, options?: CallOptions): Promise<void> => {
      const input = { path: { form_id: formId }, query: { confirm: "REMOVE_KEY_LOG" } } as const;
      await call("DELETE /api/forms/{form_id}/keys/log", input, options);
    },
    /** Says that the private key of a version opened something. It is the caller's word: the service cannot look. */
    proveKey: async (formId: string, version: number, options?: CallOptions) => {
      const path = { form_id: formId, version: String(version) };
      return (await call("POST /api/forms/{form_id}/keys/{version}/proved", { path }, options)).key;
    },
    /** After how many days the form's submissions are deleted; null when they are kept. */
    retention: async (formId: string, options?: CallOptions) =>
      (await call("GET /api/forms/{form_id}/retention", { path: { form_id: formId } }, options)).days,
    /** Deletes submissions that are older than `days` days, now and from now on; null keeps them. */
    setRetention: async (formId: string, days: number | null, options?: CallOptions) => {
      const input = { path: { form_id: formId }, body: { days } };
      return (await call("PUT /api/forms/{form_id}/retention", input, options)).days;
    },
    /** Whether emails notify of the form (`mail`), and whether this instance sends any (`available`). */
    notifications: (formId: string, options?: CallOptions) =>
      call("GET /api/forms/{form_id}/notifications", { path: { form_id: formId } }, options),
    /** Switches emails about new submissions and a failing webhook on or off. */
    setNotifications: (formId: string, body: Body<typeof notifying>, options?: CallOptions) =>
      call(notifying, { path: { form_id: formId }, body }, options),
    stats: (formId: string, query: Query<"GET /api/forms/{form_id}/stats"> = {}, options?: CallOptions) =>
      call("GET /api/forms/{form_id}/stats", { path: { form_id: formId }, query }, options),
  };
}

/** The body to send, with bytes as base64url. */
function toSent<Members extends { readonly envelope?: Uint8Array }>(body: Members) {
  const { envelope, ...others } = body;
  return { ...others, ...(envelope && { envelope: encodeBase64Url(envelope) }) };
}
