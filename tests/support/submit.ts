import assert from "node:assert/strict";
import {
  type Binding,
  createId,
  type Fields,
  type FormId,
  type HybridPublicKey,
  type Payload,
  type PublicKey,
  seal,
  sealHybrid,
} from "@sealpost/wire";

/** Seals and posts as a visitor's browser does. Gives the submission's id. */
export async function submit(
  service: { readonly url: string },
  form: { readonly id: string; readonly publicKey: PublicKey },
  fields: Fields,
  keyVersion = 1,
): Promise<string> {
  return submitSealed(service, form.id, keyVersion, (binding) => seal(fields, binding, form.publicKey));
}

/** The same, sealed to the version's hybrid key. */
export async function submitHybrid(
  service: { readonly url: string },
  form: { readonly id: string },
  fields: Fields,
  publicKey: HybridPublicKey,
  keyVersion = 1,
): Promise<string> {
  return submitSealed(service, form.id, keyVersion, (binding) => sealHybrid(fields, binding, publicKey));
}

async function submitSealed(
  service: { readonly url: string },
  id: string,
  keyVersion: number,
  sealFor: (binding: Binding) => Promise<Payload>,
): Promise<string> {
  const formId = id as FormId; // the service makes nothing else
  const submissionId = createId("submission");
  const payload = await sealFor({ formId, keyVersion, submissionId });
  const answer = await fetch(`${service.url}/api/forms/${formId}/submissions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: submissionId, keyVersion, payload, timestamp: Date.now() }),
  });
  assert.equal(answer.status, 201, await answer.text());
  return submissionId;
}
