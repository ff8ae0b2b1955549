import { fingerprint, isId, type PublicKey, parsePublicKey, type SubmissionId } from "@sealpost/wire";
import type { ErrorCode } from "./messages.ts";

/**
 * What the service made of a request. `refused`: it answered and took nothing. `later`: the same, but it will take it after
 * `seconds`. `doubtful`: no answer, or none that says anything: it may have taken what was sent.
 */
export type Answer<Value> =
  | { readonly kind: "taken"; readonly value: Value }
  | { readonly kind: "refused"; readonly code: ErrorCode }
  | { readonly kind: "later"; readonly code: "rate_limited"; readonly seconds: number }
  | { readonly kind: "doubtful"; readonly code: "offline" | "unavailable" };

export interface PublicForm {
  readonly publicKey: PublicKey;
  readonly keyVersion: number;
  readonly fingerprint: string;
  readonly piiStrip: boolean;
}

const answerMilliseconds = 30_000;
const waitSecondsMax = 3600;

/** GET /api/forms/{id}/public. Everything in the answer is checked; the fingerprint is computed here, from the key itself. */
export async function loadPublicForm(endpoint: string, formId: string): Promise<Answer<PublicForm>> {
  const answer = await request(`${endpoint}/api/forms/${formId}/public`, {});
  return answer.kind === "taken" ? parsePublicForm(answer.value, formId) : answer;
}

/** POST /api/forms/{id}/submissions. The same `body` may be sent any number of times: it counts once, by its id. */
export async function postSubmission(
  endpoint: string,
  formId: string,
  id: SubmissionId,
  body: string,
): Promise<Answer<SubmissionId>> {
  const answer = await request(`${endpoint}/api/forms/${formId}/submissions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  if (answer.kind !== "taken") return answer;
  const acknowledged = member(answer.value, "success") === true && member(answer.value, "submission", "id") === id;
  return acknowledged ? { kind: "taken", value: id } : { kind: "doubtful", code: "unavailable" };
}

async function parsePublicForm(value: unknown, formId: string): Promise<Answer<PublicForm>> {
  const keyVersion = member(value, "form", "keyVersion");
  const piiStrip = member(value, "form", "settings", "piiStrip");
  const publicKey = parsePublicKey(member(value, "form", "publicKey"));
  if (
    typeof publicKey === "string" ||
    member(value, "form", "id") !== formId ||
    !isId("form", formId) ||
    typeof keyVersion !== "number" ||
    !Number.isSafeInteger(keyVersion) ||
    keyVersion < 1 ||
    typeof piiStrip !== "boolean"
  )
    return { kind: "refused", code: "key_refused" };
  const computed = await fingerprint(publicKey);
  return member(value, "form", "keyFingerprint") === computed
    ? { kind: "taken", value: { publicKey, keyVersion, fingerprint: computed, piiStrip } }
    : { kind: "refused", code: "key_refused" };
}

async function request(url: string, init: RequestInit): Promise<Answer<unknown>> {
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), answerMilliseconds);
  try {
    const response = await fetch(url, {
      ...init,
      mode: "cors",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      redirect: "error",
      signal: aborter.signal,
    });
    return judge(response.status, await response.json().catch(() => undefined));
  } catch {
    return { kind: "doubtful", code: "offline" };
  } finally {
    clearTimeout(timer);
  }
}

function judge(status: number, body: unknown): Answer<unknown> {
  // An answer that is no JSON is not the service's own: a hotel's sign-in page, say.
  if ((status === 200 || status === 201) && body !== undefined) return { kind: "taken", value: body };
  if (status === 429) {
    const seconds = Number(member(body, "retryAfter"));
    return {
      kind: "later",
      code: "rate_limited",
      seconds: Math.min(seconds > 0 ? Math.ceil(seconds) : 60, waitSecondsMax),
    };
  }
  if (status < 400 || status >= 500 || status === 408 || status === 425)
    return { kind: "doubtful", code: "unavailable" };
  return { kind: "refused", code: refusals[status] ?? "refused" };
}

const refusals: Readonly<Record<number, ErrorCode>> = { 403: "origin_refused", 404: "not_found", 413: "too_large" };

/** The own member at `path`, or `undefined` where the value is not made that way. */
function member(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, name) ? Reflect.get(inner, name) : undefined,
    value,
  );
}
