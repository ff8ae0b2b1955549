/**
 * Writes `packages/server/src/api-document/examples.json`: for each operation of the OpenAPI document a request body and the
 * answer that a real service gave. Ids, keys and times are the same at each run (`settle.ts`): a second one changes nothing.
 * With `--check` it writes nothing and fails if the file is stale.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { TestContext } from "node:test";
import {
  answerAdmission,
  createAdmission,
  createKeyLogEntry,
  createListEntry,
  formatNames,
  generatePersonalKey,
  importSigningKey,
  RefusalError,
  signHead,
  verifyList,
  verifyNextEntry,
} from "@sealpost/envelope";
import { createId, fingerprint, generateKeyPair, seal } from "@sealpost/wire";
import type { OpenApiDocument } from "../packages/server/src/api-document/document-types.ts";
import { createOperator } from "../packages/server/src/operators/testing/test-operator.ts";
import { createCopy, createKeyAndSheet } from "../packages/server/src/personal-keys/testing/key-bench.ts";
import { createTickingClock } from "../packages/server/src/testing/fake-clock.ts";
import { createTestService, type TestAccount } from "../packages/server/src/testing/test-service.ts";
import { createAuthority, startReceiver } from "../packages/server/src/webhooks/testing/receiver.ts";
import { createMadeUpEnvelope } from "../tests/support/made-up-envelope.ts";
import { settleExamples } from "./api-examples/settle.ts";

interface Example {
  readonly body?: unknown;
  readonly answer?: unknown;
}

const startedAt = Date.now();
const closers: (() => unknown)[] = [];
const scope = { after: (close: () => unknown) => closers.push(close) } as unknown as TestContext; // all that is used of it
const authority = await createAuthority();
const receiver = await startReceiver(scope, { certificate: authority.good });
const service = await createTestService(scope, {
  environment: { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,::1/128" },
  deliveries: { ca: authority.ca },
  // No two readings are equal, so lists by time have one order.
  clock: createTickingClock(),
});
const account = await service.signUp("you@example.com");
const { publicKey } = await generateKeyPair();
const examples: Record<string, Example> = {};
const idOf = new Map<string, string>();
const { paths } = (await service.request("GET", "/api/openapi.json")).body as OpenApiDocument; // what this is about
for (const [path, operations] of Object.entries(paths))
  for (const [method, { operationId }] of Object.entries(operations))
    idOf.set(`${method.toUpperCase()} ${path}`, operationId);

/** Calls the operation, and keeps what was sent and answered. Text in braces of the path is a parameter's value after `=`. */
async function call(
  operation: string,
  values: Readonly<Record<string, string>> = {},
  body?: unknown,
  by: Pick<TestAccount, "request"> = account,
) {
  const [method = "", template = ""] = operation.split(" ");
  const operationId = idOf.get(`${method} ${template.split("?")[0]}`);
  if (operationId === undefined) throw new Error(`${operation} is not in the document`);
  const path = template.replace(/\{(\w+)\}/g, (_match, name: string) => values[name] ?? "");
  const answer = await by.request(method, path, body);
  if (answer.status >= 300) throw new Error(`${operation}: ${answer.status} ${JSON.stringify(answer.body)}`);
  examples[operationId] = {
    ...(body !== undefined && { body }),
    ...(typeof answer.body === "object" && { answer: answer.body }),
  };
  return answer.body;
}

const { form } = await call(
  "POST /api/forms",
  {},
  {
    name: "Contact",
    publicKey,
    settings: { webhookUrl: receiver.url, allowedOrigins: ["https://www.example.org"] },
  },
);
const inForm = { form_id: form.id as `form_${string}` }; // what the service calls it
const submissionIds: string[] = [];
for (let count = 0; count < 3; count++) {
  const submissionId = createId("submission");
  const place = { formId: inForm.form_id, keyVersion: 1, submissionId };
  const payload = await seal({ email: "ada@example.com", message: "Hello" }, place, publicKey);
  const body = { id: submissionId, keyVersion: 1, payload, timestamp: Date.now() };
  await call("POST /api/forms/{form_id}/submissions", inForm, body);
  submissionIds.push(submissionId);
}
const [submission_id = "", second = ""] = submissionIds;
const inSubmission = { ...inForm, submission_id };
await call("GET /api/forms/{form_id}/public", inForm);
await call("PATCH /api/forms/{form_id}", inForm, { name: "Contact us", settings: { piiStrip: true, country: "DE" } });
await call("GET /api/forms/{form_id}", inForm);
await call("GET /api/forms");
await call("GET /api/forms/{form_id}/stats?period=day", inForm);
await call("GET /api/forms/{form_id}/submissions?limit=1", inForm);
await call("GET /api/forms/{form_id}/submissions/{submission_id}", inSubmission);
await call("GET /api/forms/{form_id}/submissions/export", inForm);
await call("GET /api/forms/{form_id}/webhook-secret", inForm);
await call("POST /api/forms/{form_id}/webhook-secret/rotate", inForm, { revokePrevious: false });
await call("POST /api/forms/{form_id}/webhook/test", inForm);
const { logs } = await call("GET /api/forms/{form_id}/webhook/logs?limit=1", inForm);
const inDelivery = { ...inForm, delivery_id: logs[0].id };
await call("GET /api/forms/{form_id}/webhook/logs/{delivery_id}", inDelivery);
await call("POST /api/forms/{form_id}/webhook/logs/{delivery_id}/resend", inDelivery);
const next = await generateKeyPair();
await call("POST /api/forms/{form_id}/rotate-keys", inForm, { publicKey: next.publicKey });
await call("POST /api/forms/{form_id}/keys/close", inForm, { below: 2, at: Date.UTC(2100, 0, 1) });
await call("GET /api/forms/{form_id}/keys", inForm);
await call("POST /api/forms/{form_id}/keys/{version}/proved", { ...inForm, version: "2" });
await call("GET /api/usage");
await call("POST /api/usage/take-over");
await call("PUT /api/forms/{form_id}/retention", inForm, { days: 365 });
await call("GET /api/forms/{form_id}/retention", inForm);
await call("PUT /api/forms/{form_id}/hold", inForm, { reason: "Case 7 O 12/26", until: Date.UTC(2100, 0, 1) });
await call("DELETE /api/forms/{form_id}/hold", inForm);
await call("PUT /api/forms/{form_id}/notifications", inForm, { mail: true });
await call("GET /api/forms/{form_id}/notifications", inForm);
await call("PUT /api/notifications", {}, { mail: true });
await call("GET /api/notifications");
const { key } = await call(
  "POST /api/api-keys",
  {},
  { name: "website", permissions: ["forms:read", "submissions:read"] },
);
await call("GET /api/api-keys");
await call("DELETE /api/api-keys/{key_id}", { key_id: key.id });
await call("POST /api/forms/{form_id}/submissions/bin", inForm, { ids: [submission_id] });
await call("GET /api/forms/{form_id}/submissions/bin", inForm);
await call("POST /api/forms/{form_id}/submissions/bin/restore", inForm, { ids: [submission_id] });
await call("DELETE /api/forms/{form_id}/submissions/bin?confirm=EMPTY_BIN", inForm);
await call("DELETE /api/forms/{form_id}/submissions/{submission_id}", inSubmission);
await call("POST /api/forms/{form_id}/submissions/delete", inForm, { ids: [second] });
await call("DELETE /api/forms/{form_id}/submissions?confirm=DELETE_SUBMISSIONS", inForm);
const bringIn = await showEnvelopes();
await showOrganizations();
await showInstance();
await call("GET /api/audit-log?limit=2");
await call("GET /api/audit-log/export");
await showShortening();
await call("DELETE /api/forms/{form_id}?confirm=DELETE_FORM", inForm);

/** The log's first entry, as if it were old enough to go. */
async function showShortening(): Promise<void> {
  const { database } = service;
  const first = database.updateTable("audit_entry").where("account_id", "=", account.id).where("sequence", "=", 1);
  const { hash } = await first.set({ occurred_at: 0 }).returning("hash").executeTakeFirstOrThrow();
  await call("POST /api/audit-log/shorten", {}, { until: { sequence: 1, hash } });
}

/** The same account, which says which version it has seen. */
function having(headers: Readonly<Record<string, string>>): Pick<TestAccount, "request"> {
  const { token } = account;
  return { request: (method, path, body) => service.request(method, path, { token, body, headers }) };
}

/** Gives what brings a member into the list. */
async function showEnvelopes(): Promise<(guest: TestAccount) => Promise<void>> {
  const { recipient, signingKey, signingSeed } = await generatePersonalKey();
  const signer = { id: account.id, signingKey: await importSigningKey(signingSeed) };
  const member = { id: account.id, name: "Ada Example", role: "owner", recipient, signingKey } as const;
  const { entry, names } = await createListEntry(undefined, account.id, { change: "add", member }, signer);
  const first = having({ "if-none-match": "*" });
  await call("POST /api/member-list", {}, { entry, names }, first);
  const founded = await verifyNextEntry(undefined, account.id, new TextEncoder().encode(entry));
  if (founded instanceof RefusalError) throw founded;
  const { head } = founded.list;
  const lost = await createListEntry(founded.list, account.id, { change: "note" }, signer);
  const afterHead = having({ "if-match": `"${head.number}-${head.hash}"` });
  await call("POST /api/member-list/lost", {}, { entries: [lost.entry] }, afterHead);
  await call("GET /api/member-list");
  await call("GET /api/member-list/names");
  await call("POST /api/forms/reservations");
  const inEnvelope = { ...inForm, lowest_version: "1" };
  const path = "/api/forms/{form_id}/envelopes";
  // By its outer form alone: a whole one would be pages long.
  const envelope = createMadeUpEnvelope();
  await call(`PUT ${path}/{lowest_version}`, inEnvelope, { envelope }, first);
  await call(`GET ${path}`, inForm);
  await call(`GET ${path}/{lowest_version}`, inEnvelope);
  await call(`GET ${path}/{lowest_version}/revisions`, inEnvelope);
  await call(`DELETE ${path}`, inForm);
  await call(`POST ${path}/restore`, inForm);
  await call(`DELETE ${path}`, inForm);
  const key = { version: 2, fingerprint: await fingerprint(next.publicKey), hybridFingerprint: null, replyKey: null };
  const content = { formId: inForm.form_id, key, owners: [signingKey], managers: [] };
  const logged = await createKeyLogEntry(undefined, content, { publicKey: signingKey, signingKey: signer.signingKey });
  await call("POST /api/forms/{form_id}/keys/log", inForm, { entry: logged }, first);
  await call("GET /api/forms/{form_id}/keys/log?from=1", inForm);
  await call("POST /api/forms/{form_id}/keys/refused", inForm, { fingerprints: [key.fingerprint] });
  await call("DELETE /api/forms/{form_id}/keys/log?confirm=REMOVE_KEY_LOG", inForm);
  const trust = { signingKey };
  const file = new TextEncoder().encode(formatNames(account.id, names));
  const expected = { organizationId: account.id, trust, names: file };
  const list = await verifyList(new TextEncoder().encode(entry), expected);
  if (list instanceof RefusalError) throw list;
  return async (guest) => {
    const { halves, signingSeed, copy } = await createKeyAndSheet();
    await guest.request("POST", "/api/account/personal-key", { ...halves, copies: [copy] });
    const person = { person: guest.id, email: "guest@example.com", name: "Gus Example", role: "reader" } as const;
    const { id, terms, link } = await createAdmission({ list, signer, ...person });
    const inAdmission = { admission_id: id };
    await call("POST /api/admissions", {}, { terms });
    await call("GET /api/account/admissions", {}, undefined, guest);
    await call("GET /api/account/admissions/{admission_id}", inAdmission, undefined, guest);
    const answer = await answerAdmission(terms, link, guest.id, { ...halves, signingSeed });
    await call("POST /api/account/admissions/{admission_id}/answer", inAdmission, { answer }, guest);
    await call("GET /api/admissions");
    await call("GET /api/admissions/{admission_id}", inAdmission);
    await call("POST /api/admissions/{admission_id}/refusal", inAdmission);
    await call("DELETE /api/admissions/{admission_id}", inAdmission);
    const seen = { organizationId: account.id, list: list.head, signedBy: guest.id };
    const head = { signedHead: await signHead(seen, signingSeed) };
    const inOrganization = { organization_id: account.id };
    await call("PUT /api/account/signed-heads/{organization_id}", inOrganization, head, guest);
    await call("GET /api/account/signed-heads", {}, undefined, guest);
  };
}

/** The open device is another session of the same person. */
async function showDevices(halves: { readonly recipient: string; readonly signingKey: string }): Promise<void> {
  const path = "/api/account/device-requests";
  const [commitment, nonce] = ["A".repeat(43), "A".repeat(22)];
  const { request } = await call(`POST ${path}`, {}, { commitment });
  const inRequest = { request_id: request.id };
  const opened = await signInElsewhere();
  await call(`PUT ${path}/{request_id}/challenge`, inRequest, { ...halves, nonce, proof: null }, opened);
  await call(`PUT ${path}/{request_id}/reveal`, inRequest, { recipient: halves.recipient, nonce });
  const answer = { copy: createCopy("device").file, heads: createCopy("device").file };
  await call(`PUT ${path}/{request_id}/answer`, inRequest, answer, opened);
  await call(`GET ${path}`);
  await call(`DELETE ${path}/{request_id}`, inRequest);
}

async function signInElsewhere(): Promise<Pick<TestAccount, "request">> {
  const body = { email: "you@example.com", password: "correct horse battery" };
  const { headers } = await service.request("POST", "/api/auth/sign-in/email", { body });
  const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const session = await service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } });
  const { token } = session.body;
  return { request: (method, path, sent) => service.request(method, path, { token, body: sent }) };
}

/** The member's own requests are theirs; they have left at the end. */
async function showOrganizations(): Promise<void> {
  const guest = await service.signUp("guest@example.com");
  const tokenOf = ({ url }: { url: string }) => url.split("#")[1] ?? "";
  const invite = (forms: readonly string[]) =>
    call("POST /api/invitations", {}, { email: "guest@example.com", role: "reader", forms });
  const token = tokenOf(await invite([]));
  await call("POST /api/invitations/find", {}, { token });
  await call("POST /api/invitations/accept", {}, { token }, guest);
  await call("POST /api/organizations/{organization_id}/switch", { organization_id: account.id }, undefined, guest);
  await call("GET /api/organizations", {}, undefined, guest);
  await call("GET /api/members");
  await call("PATCH /api/members/{member_id}", { member_id: guest.id }, { role: "auditor" });
  await call("POST /api/members/leave", {}, undefined, guest);
  await call("POST /api/invitations/accept", {}, { token: tokenOf(await invite([inForm.form_id])) }, guest);
  await bringIn(guest);
  await call("DELETE /api/members/{member_id}", { member_id: guest.id });
  await invite([inForm.form_id]);
  const { invitations } = await call("GET /api/invitations");
  await call("DELETE /api/invitations/{invitation_id}", { invitation_id: invitations[0].id });
  await call("PATCH /api/account", {}, { name: "Ada Example" });
  const { sessions } = await call("GET /api/sessions", {}, undefined, guest);
  await call("POST /api/sessions/end-others", {}, undefined, guest);
  const own = await call("GET /api/account");
  // Here no emails are sent.
  const move = { email: "ada@example.org", expiresAt: Date.now() + 86_400_000 };
  examples.moveAccount = { body: { email: move.email }, answer: { account: { ...own.account, move } } };
  const { halves, copy } = await createKeyAndSheet();
  await call("POST /api/account/personal-key", {}, { ...halves, copies: [copy] });
  const { copy: added } = await call("POST /api/account/key-copies", {}, createCopy("passphrase", "Passphrase"));
  await call("GET /api/account/key-copies/{copy_id}", { copy_id: added.id });
  await call("DELETE /api/account/key-copies/{copy_id}", { copy_id: added.id });
  await call("POST /api/account/key-copies/{copy_id}/restore", { copy_id: added.id });
  await call("GET /api/account/personal-key");
  await showDevices(halves);
  const other = await createKeyAndSheet();
  const inPlace = { replaces: halves.signingKey, formerCopy: createCopy("device").file };
  await call("PUT /api/account/personal-key", {}, { ...other.halves, copies: [other.copy], ...inPlace });
  const { signingKey } = halves;
  await call("POST /api/account/personal-key/restore", {}, { signingKey, replaces: other.halves.signingKey });
  await call("GET /api/account/export");
  await call("GET /api/account/deletion");
  await call("DELETE /api/account/deletion");
  await call("DELETE /api/account/address");
  await call("POST /api/organization/deletion?confirm=DELETE_ORGANIZATION");
  await call("DELETE /api/organization/deletion");
  await call("PUT /api/organization/second-factor", {}, { requiredFrom: null });
  await call("PUT /api/organization/recovery", {}, { requireRecovery: true });
  await call("PUT /api/organization/recovery", {}, { requireRecovery: false });
  await call("DELETE /api/sessions/{session_id}", { session_id: sessions[0].id }, undefined, guest);
  await call(
    "POST /api/account/deletion?confirm=DELETE_ACCOUNT",
    {},
    undefined,
    await service.signUp("leaving@example.com"),
  );
  await call("PATCH /api/organization", {}, { name: "Example practice" });
  const { organization } = await call("POST /api/organizations", {}, { name: "Another practice" });
  const { body } = await account.request("POST", "/api/forms", { name: "Handed over", publicKey });
  await call("POST /api/forms/{form_id}/hand-over", { form_id: body.form.id }, { organizationId: organization.id });
}

/** By an operator of the instance, whose email to a member did not arrive. */
async function showInstance(): Promise<void> {
  const operator = await createOperator(service);
  const { accounts } = await call("GET /api/instance/accounts?search=guest", {}, undefined, operator);
  const [{ id: account_id }] = accounts;
  await service.database
    .insertInto("mail")
    .values({
      ...{ id: "c6d9a06a5a9e4b06b1a3a0a0f0c2f4d1", kind: "submissions", account_id, form_id: null, details: "{}" },
      ...{ created_at: 0, expires_at: 0, due_at: 0, attempts: 1, finished_at: Date.now(), failed_at: Date.now() },
      ...{ failed_to: '["guest@example.com"]', failure: "550 5.1.1 No such user" },
    })
    .execute();
  await call("GET /api/instance", {}, undefined, operator);
  await call("GET /api/instance/organizations?sort=storage&limit=1", {}, undefined, operator);
  const plan = { plan: "pro" };
  await call("PATCH /api/instance/organizations/{organization_id}", { organization_id: account.id }, plan, operator);
  await call("PATCH /api/instance/accounts/{account_id}", { account_id }, { disabled: true }, operator);
  await call("DELETE /api/instance/accounts/{account_id}/sessions", { account_id }, undefined, operator);
  await call("DELETE /api/instance/accounts/{account_id}/api-keys", { account_id }, undefined, operator);
  const invited = { email: "new@example.com" };
  const { invitation } = await call("POST /api/instance/invitations", {}, invited, operator);
  await call("GET /api/instance/invitations", {}, undefined, operator);
  await call("DELETE /api/instance/invitations/{invitation_id}", { invitation_id: invitation.id }, undefined, operator);
  const { emails } = await call("GET /api/instance/emails", {}, undefined, operator);
  await call("POST /api/instance/emails/{mail_id}/retry", { mail_id: emails[0].id }, undefined, operator);
  await call("GET /api/instance/log?limit=2", {}, undefined, operator);
}

const text = JSON.stringify(examples)
  .replaceAll(receiver.url, "https://hooks.example.org/sealpost")
  .replaceAll(service.url, "https://forms.example.com")
  .replaceAll(service.folder, "/var/lib/sealpost")
  .replaceAll(/\d+ MiB may still be stored/g, "20480 MiB may still be stored")
  .replaceAll(/(?<=\/sealpost-)\d+\.\d+\.\d+(?=-)/g, "1.0.0");
const root = join(import.meta.dirname, "..");
const file = join(root, "packages/server/src/api-document/examples.json");
const written = format(JSON.stringify(settleExamples(JSON.parse(text), startedAt), null, 1));
const missing = [...idOf].filter(([, operationId]) => !(operationId in examples));
for (const close of closers.reverse()) await close();
if (missing.length > 0) console.error(`No example of ${missing.map(([name]) => name).join(", ")}`);
const isCheck = process.argv.includes("--check");
const [before, after] = [readFileSync(file, "utf8"), written].map((content) => content.split("\n"));
const changed = after?.find((line, index) => line !== before?.[index]);
const isStale = isCheck && changed !== undefined;
if (isStale)
  console.error(
    `${relative(root, file)} is stale: npm run generate:examples writes it again, with ${changed.trim().slice(0, 200)}`,
  );
if (!isCheck) writeFileSync(file, written);
process.exitCode = isStale || missing.length > 0 ? 1 : 0;

/** As every other file is formatted. */
function format(json: string): string {
  const biome = join(root, "node_modules/.bin/biome");
  return execFileSync(biome, ["format", "--stdin-file-path=examples.json"], {
    cwd: root,
    input: json,
    encoding: "utf8",
  });
}
