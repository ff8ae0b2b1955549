import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient, createKeyFile, generateKeyPair, keyFileName } from "@sealpost/sdk";
import { fillForm } from "../seed/fill.ts";
import { loadForm } from "../seed/submit.ts";
import { type DevForm, type DevState, readDevState, writeDevState } from "./state.ts";

const email = "dev@example.com";
const password = "correct horse battery";

interface Plan {
  readonly name: string;
  readonly isSealed: boolean;
  readonly webhookPath?: string;
  /** How many of all submissions go here. */
  readonly share: number;
  /** How many of them are deleted again, into the bin. */
  readonly binned?: number;
}

/** One form for each state that a page can be in: with and without sealing, webhook, failing webhook, bin, submissions. */
const plans: readonly Plan[] = [
  { name: "Contact", isSealed: true, share: 0.5, binned: 4 },
  { name: "Ask the works council", isSealed: true, webhookPath: "/council", share: 0.25 },
  { name: "Newsletter (not sealed)", isSealed: false, webhookPath: "/newsletter", share: 0.2 },
  { name: "Its webhook fails", isSealed: true, webhookPath: "/fails", share: 0.05 },
  { name: "Nothing yet", isSealed: true, share: 0 },
];

export interface DevAccountOptions {
  readonly folder: string;
  readonly url: string;
  readonly receiverUrl: string;
  /** The token of the instance without an account. */
  readonly setupToken: string;
  readonly submissions: number;
  /** The receiver must know a form's secret and key before its first submission is delivered. */
  readonly onForm: (form: DevForm) => Promise<void>;
}

/** The account of `npm run dev` on an empty instance, with forms in every state and submissions in them. */
export async function createDevAccount(options: DevAccountOptions): Promise<DevState> {
  const { folder, url, submissions } = options;
  const client = createClient({ baseUrl: url, token: await signUp(url, options.setupToken) });
  const { key } = await client.apiKeys.create({ name: "npm run dev" });
  const forms: DevForm[] = [];
  for (const plan of plans) {
    const form = await createForm(client, plan, options);
    forms.push(form);
    await options.onForm(form);
    const count = Math.round(submissions * plan.share);
    const ids = await fillForm({ url, form: await loadForm(url, form.id), count });
    await client.submissions.moveToBin(form.id, ids.slice(0, Math.min(plan.binned ?? 0, count)));
  }
  const state: DevState = { url, email, password, apiKey: key.key, forms };
  writeDevState(folder, state);
  return state;
}

/** The data of an earlier start, `undefined` if it was not completed. Webhooks are moved to the receiver's current address. */
export async function reuseDevAccount(
  folder: string,
  { url, receiverUrl }: Pick<DevAccountOptions, "url" | "receiverUrl">,
): Promise<DevState | undefined> {
  const state = readDevState(folder);
  if (state === undefined || state.url === url) return state;
  const client = createClient({ baseUrl: url, token: state.apiKey });
  for (const { id, webhookPath } of state.forms) {
    if (webhookPath !== undefined)
      await client.forms.update(id, { settings: { webhookUrl: receiverUrl + webhookPath } });
  }
  const moved = { ...state, url };
  writeDevState(folder, moved);
  return moved;
}

async function createForm(client: Client, plan: Plan, { folder, receiverUrl }: DevAccountOptions): Promise<DevForm> {
  const { name, isSealed, webhookPath } = plan;
  const { publicKey, privateKey } = await generateKeyPair();
  const settings = {
    encryption: isSealed,
    ...(webhookPath === undefined ? {} : { webhookUrl: receiverUrl + webhookPath }),
  };
  const { id } = await client.forms.create({ name, publicKey, settings });
  const keyFile = isSealed ? keyFileName(name, 1) : undefined;
  if (keyFile !== undefined) {
    const content = await createKeyFile({
      formId: id,
      formName: name,
      keyVersion: 1,
      createdAt: Date.now(),
      privateKey,
    });
    writeFileSync(join(folder, keyFile), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  }
  const webhookSecret = webhookPath === undefined ? undefined : (await client.webhooks.secret(id)).secret;
  return {
    id,
    name,
    ...(keyFile === undefined ? {} : { keyFile }),
    ...(webhookPath === undefined ? {} : { webhookPath }),
    ...(webhookSecret === undefined ? {} : { webhookSecret }),
  };
}

async function signUp(url: string, setupToken: string): Promise<string> {
  const created = await fetch(`${url}/api/auth/sign-up/email`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Dev", email, password, setupToken }),
  });
  if (!created.ok) throw new Error(`The demo account was not made: ${created.status} ${await created.text()}`);
  const cookie = created.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const issued = await fetch(`${url}/api/auth/token`, { headers: { cookie, "sec-fetch-site": "same-origin" } });
  return ((await issued.json()) as { token: string }).token; // contract, section 3.1
}
