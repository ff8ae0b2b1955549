import type { Fields, FormId, Kem, SubmissionId } from "@sealpost/wire";
import type { Opened, OpenedContent } from "@sealpost/wire/open";
import {
  type FormKeysRotated,
  type FormUpdated,
  parseEvent,
  type ReceivedSealedPayload,
  type SubmissionCreated,
  type SubmissionDeleted,
  type UnknownEvent,
} from "./event.ts";
import { type OpeningKey, open } from "./open.ts";
import { type PrivateKeyInput, parseOpeningKey } from "./private-key.ts";
import { type NotVerified, notVerified, type RawRequest, verify } from "./verify.ts";
import { parseSecrets, type WebhookSecrets } from "./webhook-secrets.ts";

export interface ReceiverOptions {
  /** The webhook secret of the only form that posts here; or the secrets of each form by its id, of which each speaks for its own form alone. */
  readonly secrets: WebhookSecrets;
  /** The private keys of those forms, of all key versions still in use. Empty if all the forms have `encryption: false`. */
  readonly privateKeys: readonly PrivateKeyInput[];
  /**
   * Opens what none of `privateKeys` opens: with keys from the form's envelopes, which `createFormKeys` of `@sealpost/sdk/envelopes` fetches and opens
   * with the program's own identity, also after a rotation.
   */
  readonly envelopes?: KeySource;
  /**
   * Whether a submission that nobody sealed is taken although there are private keys: only if some of the forms have
   * `encryption: false`. The server can make up such a submission. True unless set if `privateKeys` is empty and there are no `envelopes`, else false.
   */
  readonly acceptPlain?: boolean;
  /** The clock, in milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/** Gives the private keys of a form, for a submission of this key version. */
export interface KeySource {
  keysFor(formId: string, keyVersion: number): Promise<readonly OpeningKey[]>;
}

/**
 * The fields of a submission, or why they could not be had. `sealed: false`: nobody sealed them, the server could read and
 * write them; they are only shown to who has no private keys or accepts plain submissions, else the reason is `not_sealed`.
 */
export type OpenedSubmission =
  | ({ readonly opened: true; readonly sealed: boolean } & OpenedContent)
  | (Extract<Opened, { opened: false }> & { readonly sealed: true })
  | { readonly opened: false; readonly sealed: false; readonly reason: "not_sealed"; readonly message: string };

export type ReceivedEvent =
  | (SubmissionCreated & { readonly opened: OpenedSubmission })
  | SubmissionDeleted
  | FormUpdated
  | FormKeysRotated
  | UnknownEvent;

export type Received =
  | NotVerified
  | { readonly verified: true; readonly deliveryId: string; readonly sentAt: number; readonly event: ReceivedEvent };

export interface Receiver {
  /**
   * Verifies a request and opens its submission. Never throws on what a stranger sent: branch on `verified`, then on
   * `event.event` (`unknown` is a kind of event that this version does not know yet). The same delivery may arrive more than once and in any order; `deliveryId` is the same each time.
   * Answer 401 unless `verified`, else 204 alike whether a submission could be opened or not (README, "What to answer"). Rejects only where `envelopes`
   * does: answer 503, and the delivery comes again.
   */
  receive(request: RawRequest): Promise<Received>;
}

/** A receiver of webhooks. Rejects with a TypeError that names the invalid option (never its value) when it could not do its work. */
export async function createReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { privateKeys, envelopes, now = Date.now } = options;
  const secrets = parseSecrets(options.secrets);
  if (!Array.isArray(privateKeys)) throw new TypeError("privateKeys must be a list, empty if no form is encrypted");
  if (options.acceptPlain !== undefined && typeof options.acceptPlain !== "boolean")
    throw new TypeError("acceptPlain must be true or false");
  if (envelopes !== undefined && typeof envelopes.keysFor !== "function")
    throw new TypeError("envelopes must be what createFormKeys gives");
  const keys = await Promise.all(privateKeys.map((input, index) => parseOpeningKey(input, `privateKeys[${index}]`)));
  const acceptPlain = options.acceptPlain ?? (keys.length === 0 && envelopes === undefined);
  const openWith = (event: SubmissionCreated, more: readonly OpeningKey[] = []) =>
    openSubmission(event.form.id, event.submission, [...keys, ...more], undefined, { acceptPlain });
  return {
    async receive(request) {
      const moment = now();
      const verification = await verify(secrets.all, request, moment);
      if (!verification.verified) return verification;
      const { deliveryId, sentAt, body } = verification;
      const event = parseEvent(body);
      if (typeof event === "string") return notVerified("malformed_body", event);
      const byForm = await verify(secrets.of(event), { headers: request.headers, body }, moment);
      if (!byForm.verified)
        return notVerified("wrong_form", "No signature fits under a secret of the form that the event names");
      if (event.event !== "submission.created") return { verified: true, deliveryId, sentAt, event };
      let opened = await openWith(event);
      if (envelopes !== undefined && !opened.opened && opened.reason === "no_key")
        opened = await openWith(event, await envelopes.keysFor(event.form.id, event.submission.keyVersion ?? 0));
      return { verified: true, deliveryId, sentAt, event: { ...event, opened } };
    },
  };
}

const notSealed = "Nobody sealed this submission: the server could read it, and could have made it up";

/** A submission as a webhook or the API shows it. */
export interface SubmissionToOpen {
  readonly id: string;
  readonly payload:
    | ReceivedSealedPayload
    | { readonly encrypted: false; readonly fields: { readonly [name: string]: unknown } };
  readonly keyVersion?: number | undefined;
}

/**
 * Opens a submission with whichever of `keys` fits, or says why not. `expectedFingerprint` (of the submission's key version,
 * from the form's list of keys) narrows the keys to that one. A plain payload is `not_sealed` to anyone who has keys, unless
 * `acceptPlain` is true; without keys its fields pass through with `sealed: false`, unless it is false. `kem` is for
 * runtimes that do not know hybrid keys.
 * Rejects with a TypeError when one of `keys` did not come from `parseOpeningKey`.
 */
export async function openSubmission(
  formId: string,
  { id, payload, keyVersion = 0 }: SubmissionToOpen,
  keys: readonly OpeningKey[],
  expectedFingerprint?: string,
  {
    acceptPlain = keys.length === 0,
    kem,
  }: { readonly acceptPlain?: boolean | undefined; readonly kem?: Kem | undefined } = {},
): Promise<OpenedSubmission> {
  // A key file in its text form fits nothing, and "no key available" would send its owner looking for another.
  const unready = keys.findIndex((key: Partial<OpeningKey>) => key.cryptoKey === undefined);
  if (unready >= 0)
    throw new TypeError(`keys[${unready}] is not ready for opening: give what parseOpeningKey made of it`);
  if (payload.encrypted === false) {
    if (!acceptPlain) return { opened: false, sealed: false, reason: "not_sealed", message: notSealed };
    // JSON.parse gave them, so the values are those of JSON.
    return { opened: true, sealed: false, fields: payload.fields as Fields };
  }
  // The ids only have to be the bytes that were bound when sealing; any others fail to open.
  const binding = { formId: formId as FormId, submissionId: id as SubmissionId, keyVersion };
  return { ...(await open({ payload, ...binding }, keys, expectedFingerprint, kem)), sealed: true };
}
