import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createClient } from "@sealpost/sdk";
import { createId, type FormId, seal } from "@sealpost/wire";
import { Client } from "pg";
import { closeAtEnd, createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { createTestDatabase } from "../../packages/server/src/testing/test-database.ts";
import { startReceiver } from "../../packages/server/src/webhooks/testing/receiver.ts";
import { createCertificate } from "../../scripts/demo/certificate.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { spellings } from "../support/spellings.ts";

/** Data that a visitor's browser and proxy send along, and that nobody may ever find again. */
const metadata = {
  "x-forwarded-for": "203.0.113.77",
  "user-agent": "canary-agent-7f3a",
  referer: "https://canary-referrer.example/page?q=canary-query-91cc",
  cookie: "tracker=canary-cookie-55ab",
  "accept-language": "canary-language",
};
const metadataCanaries = [
  "203.0.113.77",
  "canary-agent-7f3a",
  "canary-referrer.example",
  "canary-query-91cc",
  "canary-cookie-55ab",
  "canary-language",
];
/** Personal data of every kind that is stripped by default, in one plain submission. */
const personal = {
  message:
    "Mail canary.person@example.com, card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00, from 192.0.2.146",
  first_name: "Canaria",
  phone: "+44 20 7946 0958",
  password: "canary-password-88",
};
const personalCanaries = [
  "canary.person@example.com",
  "4111 1111 1111 1111",
  "0532 0130 00",
  "192.0.2.146",
  "Canaria",
  "7946 0958",
  "canary-password-88",
];
const sealedCanary = "canary-sealed-word-3d21";

/** Everything that remains: database, logs, webhooks, answers. */
async function collect(t: TestContext, piiStrip: boolean): Promise<Buffer> {
  const folder = createTemporaryFolder(t);
  const database = await createTestDatabase(t, folder);
  const certificate = await createCertificate();
  writeFileSync(join(folder, "receiver.pem"), certificate.cert);
  let arrived = Promise.withResolvers<void>();
  const receiver = await startReceiver(t, {
    certificate,
    host: "127.0.0.1",
    // One success, then failures.
    answer: (_request, response, count) => {
      response.writeHead(count === 1 ? 204 : 400).end("canary-answer-of-the-receiver");
      if (count >= 3) arrived.resolve();
    },
  });
  const service = await startServiceProcess({
    ...database,
    SEALPOST_DATA: join(folder, "data"),
    SEALPOST_PORT: "0",
    SEALPOST_LOG_LEVEL: "debug",
    SEALPOST_TRUSTED_PROXIES: "127.0.0.0/8,::1/128",
    SEALPOST_SIGNUP: "open",
    SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
    NODE_EXTRA_CA_CERTS: join(folder, "receiver.pem"),
  });
  closeAtEnd(t, () => service.kill());
  const answers: string[] = [];
  /** Over plain `node:http`, which sends the very headers that it is given. */
  const post = async (path: string, body: string, type = "application/json"): Promise<number> => {
    const { status, text, headers } = await sendRequest(service.url + path, body, {
      ...metadata,
      "content-type": type,
    });
    answers.push(text, headers);
    return status;
  };

  const token = await signUpForToken(service);
  const client = createClient({ baseUrl: service.url, token });
  const { publicKey } = takeKeyPair();
  const settings = { webhookUrl: receiver.url, piiStrip };
  const plain = await client.forms.create({ name: "Plain", publicKey, settings: { ...settings, encryption: false } });
  const sealed = await client.forms.create({ name: "Sealed", publicKey, settings });

  arrived = Promise.withResolvers();
  const binding = { formId: sealed.id as FormId, keyVersion: 1, submissionId: createId("submission") }; // the service makes nothing else
  const payload = await seal({ message: sealedCanary }, binding, publicKey);
  const statuses = [
    await post(
      `/api/forms/${plain.id}/submissions`,
      JSON.stringify({ payload: { encrypted: false, version: "plain1", fields: personal } }),
    ),
    await post(`/f/${plain.id}`, new URLSearchParams(personal).toString(), "application/x-www-form-urlencoded"),
    await post(
      `/api/forms/${sealed.id}/submissions`,
      JSON.stringify({ id: binding.submissionId, keyVersion: 1, payload }),
    ),
    // Refused ones leave nothing either.
    await post(
      `/api/forms/${sealed.id}/submissions`,
      JSON.stringify({ payload: { encrypted: false, version: "plain1", fields: personal } }),
    ),
    await post(`/api/forms/${plain.id}/submissions`, `{"payload": ${JSON.stringify(personal)}`),
    await post(
      "/api/auth/sign-in/email",
      JSON.stringify({ email: "owner@example.com", password: "canary-password-88" }),
    ),
  ];
  assert.deepEqual(statuses, [201, 303, 201, 400, 400, 403]);
  await arrived.promise;
  for (const form of [plain, sealed]) {
    answers.push(
      JSON.stringify(await client.submissions.list(form.id)),
      JSON.stringify(await client.webhooks.logs(form.id)),
    );
    for await (const line of client.submissions.export(form.id)) answers.push(JSON.stringify(line));
  }
  assert.ok(/canary-answer-of-the-receiver/.test(answers.join()) === false, "nothing of a receiver's answer is kept");
  return Buffer.concat([
    ...readFolder(join(folder, "data")),
    ...(await dump(database.SEALPOST_DATABASE_URL)),
    Buffer.from(service.output()),
    Buffer.from(answers.join("\n")),
    ...receiver.requests.flatMap(({ headers, body }) => [Buffer.from(JSON.stringify(headers)), body]),
  ]);
}

test("an address, a user agent, a referrer and stripped data that came with submissions are found nowhere afterwards", async (t) => {
  const left = await collect(t, true);
  assert.ok(left.includes("Plain"), "a control: what is kept in clear is found by this search");
  for (const word of [...metadataCanaries, ...personalCanaries, sealedCanary]) {
    for (const spelling of spellings(word)) assert.equal(left.includes(spelling), false, spelling);
  }
});

test("a control: without stripping the same search finds the personal data, and still nothing else", async (t) => {
  const left = await collect(t, false);
  for (const word of personalCanaries) assert.ok(left.includes(word), word);
  for (const word of [...metadataCanaries, sealedCanary]) {
    for (const spelling of spellings(word)) assert.equal(left.includes(spelling), false, spelling);
  }
});

function readFolder(folder: string): Buffer[] {
  return readdirSync(folder).map((name) => readFileSync(join(folder, name)));
}

/** Every row of every table, as text and as bytes. */
async function dump(url: string | undefined): Promise<Buffer[]> {
  if (url === undefined) return [];
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows: tables } = await client.query<{ tablename: string }>(
    "select tablename from pg_tables where schemaname = 'public'",
  );
  const parts: Buffer[] = [];
  for (const { tablename } of tables) {
    const { rows } = await client.query<Record<string, unknown>>(`select * from "${tablename}"`);
    for (const row of rows) {
      for (const value of Object.values(row)) parts.push(Buffer.isBuffer(value) ? value : Buffer.from(String(value)));
    }
  }
  await client.end();
  return parts;
}

function sendRequest(
  url: string,
  body: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string; headers: string }> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(
      url,
      { method: "POST", headers: { ...headers, "content-length": Buffer.byteLength(body) } },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer); // no encoding is set
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          headers: JSON.stringify(response.headers),
        });
      },
    );
    sending.on("error", reject).end(body);
  });
}
