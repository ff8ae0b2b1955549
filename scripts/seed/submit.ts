import { createId, type Fields, type FormId, type Payload, type PublicKey, plainVersion, seal } from "@sealpost/wire";

/** The public endpoint's answer about a form. */
export interface SeedForm {
  readonly id: FormId;
  readonly publicKey: PublicKey;
  readonly keyVersion: number;
  readonly settings: { readonly encryption: boolean };
}

/** An answer of the service that no waiting changes; the message is the service's own. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** Rejects with `Refused`, or with fetch's own error where no service answers. */
export async function loadForm(url: string, formId: string): Promise<SeedForm> {
  const answer = await fetch(`${url}/api/forms/${formId}/public`);
  if (!answer.ok) throw await toRefused(answer);
  return ((await answer.json()) as { form: SeedForm }).form; // the contract's answer
}

/**
 * One submission as the embed makes it: sealed here with the form's key, or plain where the form is not sealed. Waits as long
 * as `Retry-After` says where the service takes no more now, and says so first.
 */
export async function submit(
  url: string,
  form: SeedForm,
  fields: Fields,
  onWait?: (seconds: number) => void,
): Promise<string> {
  const id = createId("submission");
  const { id: formId, keyVersion, publicKey } = form;
  const payload: Payload = form.settings.encryption
    ? await seal(fields, { formId, keyVersion, submissionId: id }, publicKey)
    : { encrypted: false, version: plainVersion, fields };
  const body = JSON.stringify({ id, keyVersion, payload, timestamp: Date.now() });
  for (;;) {
    const answer = await fetch(`${url}/api/forms/${formId}/submissions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    if (answer.ok) {
      await answer.arrayBuffer();
      return id;
    }
    const seconds = Number(answer.headers.get("retry-after"));
    if (answer.status !== 429 || !(seconds > 0)) throw await toRefused(answer);
    await answer.arrayBuffer();
    onWait?.(seconds);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

async function toRefused(answer: Response): Promise<Refused> {
  const text = await answer.text();
  let message = "";
  try {
    message = String((JSON.parse(text) as { message?: unknown }).message ?? ""); // any JSON: String takes what there is
  } catch {
    // Not Sealpost's own answer: the status says all that is known.
  }
  return new Refused(`The service answered ${answer.status}${message === "" ? "" : `: ${message}`}`);
}
