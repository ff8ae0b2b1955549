import {
  createListEntry,
  formatPersonalKey,
  generatePersonalKey,
  generateReadingKey,
  importSigningKey,
  type NewMember,
} from "@sealpost/envelope";
import { createClient } from "@sealpost/sdk";
import { createEnvelopeWriter, formatListHead } from "@sealpost/sdk/envelopes";
import { createId, type PublicKey, seal } from "@sealpost/wire";
import type { TestService } from "../../packages/server/src/testing/test-service.ts";
import type { ReceivedRequest, Receiver } from "./receiver.ts";

/** A form with an envelope that a program reads, and two webhooks of it: the first sealed to its first key, the second after a rotation. */
export interface ReadingForm {
  readonly formId: string;
  /** An API key that reads submissions and forms. */
  readonly token: string;
  readonly secret: string;
  /** The content of the program's identity file. */
  readonly identity: string;
  /** The head of the list of members, NUMBER-HASH. */
  readonly list: string;
  readonly webhooks: readonly ReceivedRequest[];
}

/** In an organization of its own, which this address makes. */
export async function createReadingForm(service: TestService, receiver: Receiver, email: string): Promise<ReadingForm> {
  const account = await service.signUp(email);
  const client = createClient({ baseUrl: service.url, token: account.token });
  const [key, program] = await Promise.all([generatePersonalKey(), generateReadingKey()]);
  const signer = { id: account.id, signingKey: await importSigningKey(key.signingSeed) };
  const { recipient, signingKey } = key;
  const owner: NewMember = { id: account.id, name: "Owner", role: "owner", recipient, signingKey };
  const first = await createListEntry(undefined, account.id, { change: "add", member: owner }, signer);
  await client.memberList.add(first, undefined);
  const values = new Map<string, unknown>();
  const heads = {
    isLasting: false,
    find: async (name: string) => values.get(name),
    change: async (name: string, change: (before: unknown) => unknown) => {
      const after = change(values.get(name));
      if (after !== undefined) values.set(name, after);
    },
  };
  const writer = await createEnvelopeWriter({ client, identity: formatPersonalKey(key, Date.now()), heads });
  const before = await writer.loadList();
  const member: NewMember = {
    ...{ id: createId("account"), name: "Receiver", role: "program" },
    ...{ recipient: program.recipient, signingKey: null },
  };
  await client.memberList.add(
    await createListEntry(before, account.id, { change: "add", member }, signer),
    before.head,
  );
  const settings = { webhookUrl: receiver.url };
  const { formId } = await writer.createForm({ name: "In an envelope", settings, hybrid: true, readers: [member.id] });
  const webhooks: ReceivedRequest[] = [];
  for (const keyVersion of [1, 2]) {
    if (keyVersion > 1) await writer.rotateForm(formId);
    const published = (await client.forms.keys(formId)).find(({ version }) => version === keyVersion);
    const id = createId("submission");
    // The API's document allows more than the service gives.
    const publicKey = published?.publicKey as PublicKey;
    const payload = await seal(
      { name: `Zoë, version ${keyVersion}` },
      { formId, keyVersion, submissionId: id },
      publicKey,
    );
    const body = { id, payload, keyVersion };
    const { status } = await service.request("POST", `/api/forms/${formId}/submissions`, { body });
    if (status !== 201) throw new Error(`The submission was answered with ${status}`);
    webhooks.push(await receiver.nextOf(id));
  }
  const permissions = ["submissions:read", "forms:read"] as const;
  const { key: apiKey } = (await client.apiKeys.create({ name: "Receiver", permissions: [...permissions] })).key;
  const { secret } = await client.webhooks.secret(formId);
  const list = formatListHead((await writer.loadList()).head);
  return { formId, token: apiKey, secret, identity: `${program.identity}\n`, list, webhooks };
}
