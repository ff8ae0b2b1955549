import {
  fingerprint,
  type HybridPublicKey,
  hybridFingerprint,
  isHybridPublicKey,
  isPublicKey,
  type PublicKey,
  type SubmissionId,
} from "@sealpost/wire";
import type { ErrorCode } from "./messages.ts";
import type { Options } from "./options.ts";
import { ownMembers, parseJson } from "./own-members.ts";

/**
 * What the service made of a request: a value without a code, or why there is none. `rate_limited`, `full`: it took nothing, and
 * may after `seconds` (which no other code has). `offline`, `unavailable`: it may have taken what was sent. Any other code: it took nothing.
 */
export type Answer<Value> =
  | { readonly code: undefined; readonly seconds: undefined; readonly value: Value }
  | { readonly code: ErrorCode; readonly seconds: number | undefined; readonly value: undefined };

// Each has all three members of its own: what an answer lacks is read through no prototype.
export const accepted = <Value>(value: Value): Answer<Value> => ({ code: undefined, seconds: undefined, value });
export const refused = (code: ErrorCode, seconds?: number): Answer<never> => ({ code, seconds, value: undefined });

/** Whether the service may have taken what was sent, although it did not say so. */
export function isDoubtful({ code }: Answer<unknown>): boolean {
  return code === "offline" || code === "unavailable";
}

export interface PublicForm {
  /** The one to seal to. */
  readonly key: PublicKey | HybridPublicKey;
  readonly keyVersion: number;
  readonly piiStrip: boolean;
  /** As the service says them; the second script refuses what it does not know. */
  readonly piiTypes?: Options["piiTypes"] | null;
  readonly country?: Options["country"] | null;
}

/** An answer before it is checked: any of it may be missing, or something else. */
interface Unchecked {
  /** The bytes of a key log, which is no JSON. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly submission?: { readonly id?: unknown } | null;
  readonly retryAfter?: unknown;
  /** There is no room: the service says so, since its codes for that grow in number, and a page keeps its script for years. */
  readonly full?: unknown;
  readonly form?: {
    readonly id?: unknown;
    readonly publicKey?: unknown;
    readonly keyVersion?: unknown;
    readonly keyFingerprint?: unknown;
    readonly hybridPublicKey?: unknown;
    readonly hybridKeyFingerprint?: unknown;
    readonly settings?: (Pick<PublicForm, "piiTypes" | "country"> & { readonly piiStrip?: unknown }) | null;
  } | null;
}

/** For how long an answer of the service, or one of its scripts, is waited for. */
export const answerMilliseconds = 30_000;
const refusals: Readonly<Record<number, ErrorCode>> = ownMembers({
  403: "origin_refused",
  404: "not_found",
  410: "key_refused",
  413: "too_large",
} as const);

/** Nothing that the browser has kept. The service lets nobody else keep what it says of a form. */
export const fresh = ownMembers<RequestInit>({ cache: "reload" });

/**
 * GET /api/forms/{id}/public. Everything in the answer is checked; fingerprints are computed here, from the keys themselves.
 *
 * Which of the offered keys is sealed to, the page's pins and the offer alone decide, never what the browser has or what could be loaded:
 * the hybrid key where it is accepted, else the RSA key. A pin names a key, not a strength: a pinned RSA fingerprint accepts that RSA key
 * alone, a hybrid one the hybrid key alone.
 *
 * Where no key is accepted, it is asked for again without what the browser keeps, which may be from before a rotation, and then the service
 * hears of the pins: if they are of former keys, the form's owner does not know yet that visitors are refused.
 */
export async function loadPublicForm(
  endpoint: string,
  formId: string,
  pins: readonly string[] | undefined,
  init?: RequestInit | false,
): Promise<Answer<PublicForm>> {
  const answer = await request(endpoint, formId, "public", init);
  if (answer.code) return answer;
  const { id, publicKey, keyVersion, keyFingerprint, hybridPublicKey, hybridKeyFingerprint, settings } =
    answer.value.form ?? ownMembers<NonNullable<Unchecked["form"]>>({});
  if (
    isPublicKey(publicKey) &&
    id === formId &&
    Number.isSafeInteger(keyVersion) && // which lets nothing but numbers through
    typeof settings?.piiStrip === "boolean" &&
    keyFingerprint === (await fingerprint(publicKey)) &&
    (hybridPublicKey === undefined || isHybridPublicKey(hybridPublicKey)) &&
    hybridKeyFingerprint === (hybridPublicKey && (await hybridFingerprint(hybridPublicKey)))
  ) {
    const accepts = (name: unknown) => pins?.includes(name as string) !== false;
    const key = (accepts(hybridKeyFingerprint) && hybridPublicKey) || (accepts(keyFingerprint) && publicKey);
    if (key) return accepted(ownMembers({ ...settings, key, keyVersion }) as PublicForm); // each member was checked, or is what the second script checks
    if (!init) return loadPublicForm(endpoint, formId, pins, fresh);
    request(endpoint, formId, "keys/refused", toPost(JSON.stringify({ fingerprints: pins })));
  }
  return refused("key_refused");
}

/**
 * POST /api/forms/{id}/submissions. The same `body` may be sent any number of times: it counts once, by its id. The service says that it was
 * a success once the submission is safe, so no more than the status is needed.
 */
export async function postSubmission(
  endpoint: string,
  formId: string,
  id: SubmissionId,
  body: Uint8Array<ArrayBuffer>,
): Promise<Answer<SubmissionId>> {
  /** Slowest connection that counts as alive: for a body of 680 KB an answer is waited for three minutes and a half. */
  const bytesPerMillisecond = 4;
  const answer = await request(
    endpoint,
    formId,
    "submissions",
    toPost(body),
    answerMilliseconds + body.length / bytesPerMillisecond,
    JSON.stringify({ submission: { id } }),
  );
  if (answer.code) return answer;
  // An acknowledgement names what it acknowledges.
  return answer.value.submission?.id === id ? accepted(id) : refused("unavailable");
}

function toPost(body: BodyInit): RequestInit {
  return ownMembers({ method: "POST", body, headers: ownMembers({ "content-type": "application/json" }) });
}

/**
 * One request, from any page to the service (`mode` is "cors" by default), without anything that says who asks. `lost`: the answer that a
 * success stands for when the connection ends before all of it is here.
 */
export async function request(
  endpoint: string,
  formId: string,
  resource: string,
  init?: RequestInit | false,
  milliseconds = answerMilliseconds,
  lost?: string,
  read?: (response: Response) => Promise<Unchecked>,
): Promise<Answer<Unchecked>> {
  const signal = AbortSignal.timeout(milliseconds); // where a page has replaced it, there is no connection to wait for
  try {
    const response = await fetch(
      `${endpoint}/api/forms/${formId}/${resource}`,
      ownMembers<RequestInit>({
        ...init,
        referrerPolicy: "no-referrer",
        signal,
        redirect: "error",
        credentials: "omit",
      }),
    );
    return classify(
      response.status,
      await (SEALPOST_KEY_LOG && read
        ? read(response)
        : response
            .text()
            .catch(() => response.ok && lost)
            .then((text) => parseJson(text as string))
      ) // what is no text is no JSON either
        .catch(() => undefined),
    );
  } catch {
    return refused("offline");
  }
}

function classify(status: number, answer: unknown): Answer<Unchecked> {
  const value = answer as Unchecked | null | undefined; // any of its members may be missing, or something else
  const isFull = value?.full; // only a 429 or a 503 of the service has it
  if (status === 429 || isFull) {
    const waitSecondsMax = 3600; // in here, where the build writes it out: a constant of the file costs bytes
    const seconds = Math.ceil(value?.retryAfter as number) || 60; // Math.ceil makes NaN of what is no number
    return refused(isFull ? "full" : "rate_limited", Math.min(Math.max(seconds, 1), waitSecondsMax));
  }
  // A success that is no JSON is not the service's own: a hotel's sign-in page, say.
  if (status < 300 && typeof value === "object" && value) return accepted(value);
  return refused(refusals[status] ?? (status >= 400 && status < 500 ? "refused" : "unavailable"));
}
