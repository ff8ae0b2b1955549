import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { verifyService, verifyStandard } from "@sealpost/wire";
import { createWebhookService } from "../deliveries/testing/webhook-service.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { switchTo } from "../organizations/testing/test-organization.ts";
import type { TestAccount } from "../testing/test-service.ts";
import type { ReceivedRequest } from "./testing/receiver.ts";
import { secretsMax } from "./webhook-secrets.ts";

/** The secret of the webhook where the form goes to another organization; null: without an address. */
const handOvers = { "a secret that is kept": "kept", "another secret": "new", "no address": null };
/** Requests of that organization before it sets another address. */
const rotations = {
  nothing: [],
  "a rotation": [{}],
  "as many rotations as there may be": Array.from({ length: secretsMax }, () => ({})),
  "a rotation that ends the earlier ones": [{ revokePrevious: true }],
};

for (const [webhook, secret] of Object.entries(handOvers))
  for (const [name, bodies] of Object.entries(rotations))
    test(`however many secrets are valid, none that an organization before knows signs for another address: handed over with ${webhook}, then ${name}`, async (t) => {
      const { account, receiver, next } = await start(t, () => false);
      for (let valid = 1; valid <= secretsMax; valid++) {
        const { form, secrets: known } = await createRotated(account, receiver.url, valid);
        await handOver(account, form, next, secret === null ? null : { url: receiver.url, secret });
        const own = [];
        for (const body of bodies) {
          const rotated = await account.request("POST", `${form}/webhook-secret/rotate`, body);
          if (rotated.status === 200) own.push(rotated.body.secret);
          else assert.equal(rotated.body.code, "too_many_webhook_secrets");
        }
        const url = `${receiver.url}/${valid}`;
        assert.equal((await account.request("PATCH", form, { settings: { webhookUrl: url } })).status, 200);
        const { body } = await account.request("GET", `${form}/webhook-secret`);
        assert.ok(!known.includes(body.secret));
        assert.equal((await account.request("POST", `${form}/webhook/test`)).body.success, false);
        const sent = receiver.requests.filter(({ path }) => path === new URL(url).pathname);
        assert.ok(sent.length > 0);
        for (const request of sent)
          for (const one of known) assert.deepEqual(await listSignedWith(one, request), [], `${valid} were valid`);
        // Its own secrets are tried, each of them.
        for (const one of new Set([...own, body.secret])) {
          const signed = await Promise.all(sent.map((request) => listSignedWith(one, request)));
          assert.ok(signed.flat().includes("x-service-signature"), `${valid} were valid`);
        }
      }
    });

test("with as many secrets as there may be a form is handed over with another one, and the one that its receiver has accepted signs on", async (t) => {
  let accepted = "";
  const { account, receiver, next } = await start(t, async (request) =>
    (await listSignedWith(accepted, request)).includes("x-service-signature"),
  );
  for (let place = 0; place < secretsMax; place++) {
    const { form, secrets } = await createRotated(account, receiver.url, secretsMax);
    accepted = secrets[place] ?? "";
    const isAccepted = async () => (await account.request("POST", `${form}/webhook/test`)).body.success;
    assert.equal(await isAccepted(), true);
    await handOver(account, form, next, { url: receiver.url, secret: "new" });
    assert.equal(await isAccepted(), true, `secret ${place}`);
    const { body } = await account.request("GET", `${form}/webhook-secret`);
    assert.equal(body.earlierSecretsExpireAt.length, secretsMax - 1);
    accepted = body.secret;
    assert.equal(await isAccepted(), true);
  }
});

async function start(t: TestContext, isAccepted: (request: ReceivedRequest) => boolean | Promise<boolean>) {
  const { account, receiver } = await createWebhookService(t, {
    async answer(request, response) {
      response.writeHead((await isAccepted(request)) ? 204 : 401).end();
    },
  });
  const { body } = await account.request("POST", "/api/organizations", { name: "Next" });
  return { account, receiver, next: String(body.organization.id) };
}

/** A form in the account's first organization, with so many valid secrets, the oldest first. */
async function createRotated(account: TestAccount, webhookUrl: string, valid: number) {
  await switchTo(account, account.id);
  const form = `/api/forms/${await createForm(account, { webhookUrl })}`;
  const secrets: string[] = [(await account.request("GET", `${form}/webhook-secret`)).body.secret];
  while (secrets.length < valid)
    secrets.push((await account.request("POST", `${form}/webhook-secret/rotate`)).body.secret);
  return { form, secrets };
}

async function handOver(account: TestAccount, form: string, organizationId: string, webhook: object | null) {
  const { status, body } = await account.request("POST", `${form}/hand-over`, { organizationId, webhook });
  assert.equal(status, 200, JSON.stringify(body));
  await switchTo(account, organizationId);
}

/** The headers of a request that hold a signature by this secret. */
async function listSignedWith(secret: string, { headers, body }: ReceivedRequest): Promise<readonly string[]> {
  const bytes = Uint8Array.from(body);
  const signed = [];
  for (const name of ["x-service-signature", "x-service-signature-alternate"])
    if (await verifyService([secret], bytes, headers[name]?.toString())) signed.push(name);
  const [id, timestamp, signature] = ["id", "timestamp", "signature"].map((name) =>
    headers[`webhook-${name}`]?.toString(),
  );
  const now = Number(timestamp) * 1000;
  if ((await verifyStandard([secret], { id, timestamp, signature }, bytes, now)) === "valid")
    signed.push("webhook-signature");
  return signed;
}
