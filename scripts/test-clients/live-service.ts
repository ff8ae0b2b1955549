import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, createKeyFile } from "@sealpost/sdk";
import { createId, type Fields, type FormId, seal } from "@sealpost/wire";
import { createTestService, testPassword } from "../../packages/server/src/testing/test-service.ts";
import { takeKeyPair } from "../../tests/support/key-pairs.ts";
import { createMadeUpEnvelope } from "../../tests/support/made-up-envelope.ts";
import { createCertificate } from "../demo/certificate.ts";
import { createReadingForm } from "./reading-form.ts";
import { startReceiver } from "./receiver.ts";

/** Environment variables for the tests of a client package. The forms are theirs alone, and has an envelope that nobody can open. */
export interface LiveEnvironment extends Readonly<Record<string, string>> {
  readonly SEALPOST_URL: string;
  readonly SEALPOST_TOKEN: string;
  /** For what an API key cannot do. It is valid for a quarter of an hour. */
  readonly SEALPOST_SESSION_TOKEN: string;
  readonly SEALPOST_FORM_ID: string;
  /** A key file with the form's private key. */
  readonly SEALPOST_PRIVATE_KEY_FILE: string;
  /** JSON: an object, submission id → fields, of all that the form has received, the oldest first. */
  readonly SEALPOST_SUBMISSIONS_FILE: string;
  readonly SEALPOST_WEBHOOK_SECRET: string;
  /** JSON of the webhook of the first submission: `headers` by lower-case name, and `body` in base64. */
  readonly SEALPOST_WEBHOOK_FILE: string;
  /** A form of another organization, with an envelope that a program reads (reading-form.ts). */
  readonly SEALPOST_ENVELOPE_FORM_ID: string;
  readonly SEALPOST_ENVELOPE_TOKEN: string;
  readonly SEALPOST_ENVELOPE_SECRET: string;
  /** JSON: its two webhooks, as the one above. */
  readonly SEALPOST_ENVELOPE_WEBHOOKS_FILE: string;
  /** The program's identity file, and the head of the list of members. */
  readonly SEALPOST_IDENTITY_FILE: string;
  readonly SEALPOST_LIST: string;
}

export interface LiveService {
  /** A form with sealed submissions: more than one page of the API has. */
  prepareForm(name: string): Promise<LiveEnvironment>;
  stop(): Promise<void>;
}

/** More than the 100 of a page. */
const submissionCount = 103;

/** A service of these sources on loopback, with an account, and a receiver of webhooks. */
export async function startLiveService(): Promise<LiveService> {
  const closers: (() => unknown)[] = [];
  const folder = mkdtempSync(join(tmpdir(), "sealpost-clients-"));
  closers.push(() => rmSync(folder, { recursive: true }));
  const certificate = await createCertificate();
  const receiver = await startReceiver(certificate);
  closers.push(() => receiver.stop());
  const service = await createTestService(
    { after: (close) => closers.push(close as () => unknown) },
    { environment: { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,::1/128" }, deliveries: { ca: certificate.cert } },
  );
  const email = "clients@example.com";
  const { token } = await service.signUp(email);
  const { apiKeys } = createClient({ baseUrl: service.url, token });
  const { key: apiKey } = (await apiKeys.create({ name: "Client packages" })).key;

  /** The token of a new session. One of the start would be over, in a quarter of an hour, before the last language had its turn. */
  async function signIn(): Promise<string> {
    const body = { email, password: testPassword };
    const { headers } = await service.request("POST", "/api/auth/sign-in/email", { body });
    const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const issued = await service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } });
    if (issued.status !== 200) throw new Error(`Signing in was answered with ${issued.status}`);
    return issued.body.token;
  }

  let forms = 0;
  async function prepareForm(what: string): Promise<LiveEnvironment> {
    const name = `${what} ${++forms}`;
    const sessionToken = await signIn();
    const client = createClient({ baseUrl: service.url, token: sessionToken });
    const { publicKey, privateKey } = takeKeyPair();
    const form = await client.forms.create({ name, publicKey, settings: { webhookUrl: receiver.url } });
    const formId = form.id as FormId; // the service makes nothing else
    const send = async (place: number): Promise<readonly [string, Fields]> => {
      const [id, fields] = [createId("submission"), createFields(place)];
      const payload = await seal(fields, { formId, keyVersion: 1, submissionId: id }, publicKey);
      const path = `/api/forms/${formId}/submissions`;
      const { status } = await service.request("POST", path, { body: { id, payload, keyVersion: 1 } });
      if (status !== 201) throw new Error(`The submission was answered with ${status}`);
      return [id, fields];
    };
    await client.envelopes.put(formId, 1, Buffer.from(createMadeUpEnvelope(), "base64url"), undefined);
    const submissions = [await send(0)];
    const webhook = await receiver.nextOf(formId);
    await client.forms.update(formId, { settings: { webhookUrl: null } });
    for (let place = 1; place < submissionCount; place++) submissions.push(await send(place));
    const keyFile = await createKeyFile({ formId, formName: name, keyVersion: 1, createdAt: Date.now(), privateKey });
    const write = (kind: string, value: unknown) => {
      const path = join(folder, `${formId}.${kind}.json`);
      writeFileSync(path, JSON.stringify(value), { mode: 0o600 });
      return path;
    };
    const reading = await createReadingForm(service, receiver, `envelopes-${forms}@example.com`);
    const { identity, list, token, secret, webhooks, formId: readFormId } = reading;
    const identityFile = join(folder, `${formId}.identity.txt`);
    writeFileSync(identityFile, identity, { mode: 0o600 });
    return {
      SEALPOST_URL: service.url,
      SEALPOST_TOKEN: apiKey,
      SEALPOST_SESSION_TOKEN: sessionToken,
      SEALPOST_FORM_ID: formId,
      SEALPOST_PRIVATE_KEY_FILE: write("key", keyFile),
      SEALPOST_SUBMISSIONS_FILE: write("submissions", Object.fromEntries(submissions)),
      SEALPOST_WEBHOOK_SECRET: (await client.webhooks.secret(formId)).secret,
      SEALPOST_WEBHOOK_FILE: write("webhook", webhook),
      SEALPOST_ENVELOPE_FORM_ID: readFormId,
      SEALPOST_ENVELOPE_TOKEN: token,
      SEALPOST_ENVELOPE_SECRET: secret,
      SEALPOST_ENVELOPE_WEBHOOKS_FILE: write("envelope-webhooks", webhooks),
      SEALPOST_IDENTITY_FILE: identityFile,
      SEALPOST_LIST: list,
    };
  }

  async function stop(): Promise<void> {
    for (const close of closers.reverse()) await close();
  }

  return { prepareForm, stop };
}

function createFields(place: number): Fields {
  return { name: "Zoë 😀 Ωμέγα", topics: ["a", "b"], place };
}
