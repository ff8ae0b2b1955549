import {
  createId,
  createWebhookSecret,
  type Fields,
  type FormId,
  type HybridPublicKey,
  type KeyPair,
  type PlainPayload,
  type SealedPayload,
  type SubmissionId,
  seal,
  sealHybrid,
  signStandard,
} from "@sealpost/wire";

/** Deliveries like a server's, made with the same `wire` that the server uses. Only tests import this. */
export interface Delivery {
  readonly headers: Record<string, string>;
  readonly body: string;
}

export const secret = createWebhookSecret();
/** The receiver's clock in tests: 2026-01-02T03:04:05Z. */
export const now = Date.UTC(2026, 0, 2, 3, 4, 5);
export const form = { id: createId("form"), name: "Kontakt – Zoë" };

/** Signs `body` (a text, or an object for JSON) as a delivery; `signed.at` is the attempt's time in milliseconds. */
export async function sign(
  body: unknown,
  signed: { readonly secrets?: readonly string[]; readonly at?: number; readonly id?: string } = {},
): Promise<Delivery> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const id = signed.id ?? createId("delivery");
  const timestamp = Math.floor((signed.at ?? now) / 1000);
  const bytes = new TextEncoder().encode(text);
  const signatures = (signed.secrets ?? [secret]).map((key) => signStandard(key, id, timestamp, bytes));
  return {
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": (await Promise.all(signatures)).join(" "),
    },
    body: text,
  };
}

/** The body of a `submission.created` whose `fields` are sealed to `keyPair`. */
export async function createdSealed(fields: Fields, keyPair: KeyPair, keyVersion = 1, formId: FormId = form.id) {
  const submissionId = createId("submission");
  const payload = await seal(fields, { formId, keyVersion, submissionId }, keyPair.publicKey);
  return created(payload, keyVersion, submissionId);
}

/** The same sealed to a hybrid key. */
export async function createdHybrid(fields: Fields, key: HybridPublicKey, keyVersion = 1, formId: FormId = form.id) {
  const submissionId = createId("submission");
  const payload = await sealHybrid(fields, { formId, keyVersion, submissionId }, key);
  return created(payload, keyVersion, submissionId);
}

/** The body of a `submission.created` around any payload. */
export function created(
  payload: SealedPayload<"sp1" | "sp2"> | PlainPayload,
  keyVersion?: number,
  id: SubmissionId = createId("submission"),
) {
  const submission = { id, payload, keyVersion, timestamp: now - 2000, receivedAt: now - 1000 };
  return { event: "submission.created", timestamp: now - 1000, form, submission };
}
