import { createClient, generateKeyPair } from "@sealpost/sdk";
import { hybridBytesLeast } from "../../packages/server/src/forms/form-settings.ts";

/** Values that no schema can describe; `hooks.py` puts them into requests. */
export interface Known {
  /** By the name of a path's last parameter: values for all parameters of such a path, which belong together. */
  readonly ids: IdsByName;
  /** More of them, for what deletes. */
  readonly spare: IdsByName;
  /** By path. */
  readonly cursors: Readonly<Record<string, string>>;
  /** Two forms that nothing else touches, and what fits them alone. */
  readonly plainForm: string;
  readonly sealedForm: string;
  /** A submission of the plain form, where an export can resume. */
  readonly after: string;
  /** Base64 of as many bytes as the modulus of the sealed form's key. */
  readonly sealedKey: string;
  /** The least `submissionBytesMax` of a form with encryption and a hybrid key. */
  readonly hybridBytesLeast: number;
  readonly webhookUrls: readonly string[];
  readonly origins: readonly string[];
}

type Ids = Readonly<Record<string, string>>;
type IdsByName = Readonly<Record<"form_id" | "submission_id" | "delivery_id" | "key_id", readonly Ids[]>>;

const plainBody = JSON.stringify({ payload: { encrypted: false, version: "plain1", fields: { message: "hello" } } });

/** Fills an account with forms, submissions, deliveries and API keys. */
export async function createContent(url: string, token: string, webhookUrl: string): Promise<Known> {
  const client = createClient({ baseUrl: url, token });
  const { publicKey } = await generateKeyPair(); // one for all: making one takes a second

  async function submit(formId: string): Promise<string> {
    const headers = { "content-type": "application/json" };
    const path = `${url}/api/forms/${formId}/submissions`;
    const response = await fetch(path, { method: "POST", headers, body: plainBody });
    const { submission } = (await response.json()) as { submission: { id: string } }; // or the next line fails
    return submission.id;
  }

  async function createIds(name: string, { forms, keys }: { forms: number; keys: number }): Promise<IdsByName> {
    const ids = { form_id: [] as Ids[], submission_id: [] as Ids[], delivery_id: [] as Ids[], key_id: [] as Ids[] };
    for (let number = 0; number < forms; number++) {
      const settings = { encryption: number % 2 === 0, webhookUrl };
      const { id: form_id } = await client.forms.create({ name: `${name} ${number}`, publicKey, settings });
      ids.form_id.push({ form_id });
      for (let count = 0; count < 4; count++) {
        if (!settings.encryption) ids.submission_id.push({ form_id, submission_id: await submit(form_id) });
      }
      for (let count = 0; count < 2; count++)
        ids.delivery_id.push({ form_id, delivery_id: (await client.webhooks.test(form_id)).id });
    }
    for (let number = 0; number < keys; number++) {
      const { key } = await client.apiKeys.create({ name: `${name} ${number}` });
      ids.key_id.push({ key_id: key.id });
    }
    return ids;
  }

  /** The cursor of a list's second page. */
  async function loadCursor(path: string): Promise<string> {
    const response = await fetch(`${url}${path}?limit=1`, { headers: { authorization: `Bearer ${token}` } });
    const { nextCursor } = (await response.json()) as { nextCursor: string | null }; // a page of a list
    if (nextCursor === null) throw new Error(`${path} has no second page`);
    return nextCursor;
  }

  const ids = await createIds("Form", { forms: 16, keys: 20 });
  const spare = await createIds("Spare", { forms: 48, keys: 60 });
  const own = await createIds("Own", { forms: 2, keys: 0 });
  const [sealedForm = "", plainForm = ""] = own.form_id.map(({ form_id }) => form_id);
  const [after = "", , ...binned] = own.submission_id.map(({ submission_id }) => submission_id ?? "");
  await client.submissions.moveToBin(plainForm, binned);
  return {
    ids,
    spare,
    sealedForm,
    plainForm,
    cursors: {
      "/api/forms": await loadCursor("/api/forms"),
      "/api/audit-log": await loadCursor("/api/audit-log"),
      "/api/forms/{form_id}/submissions": await loadCursor(`/api/forms/${plainForm}/submissions`),
      "/api/forms/{form_id}/submissions/bin": await loadCursor(`/api/forms/${plainForm}/submissions/bin`),
      "/api/forms/{form_id}/webhook/logs": await loadCursor(`/api/forms/${plainForm}/webhook/logs`),
    },
    after,
    sealedKey: Buffer.alloc((publicKey.n.length * 3) / 4, 1).toString("base64"),
    hybridBytesLeast,
    webhookUrls: [webhookUrl, "https://hooks.example.com/sealpost?form=1", "https://receiver.example:8443/"],
    origins: ["*", "https://example.com", "http://localhost:3000", "https://*.example.com"],
  };
}
