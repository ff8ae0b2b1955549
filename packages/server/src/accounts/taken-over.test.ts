import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type AccountId, verifyService } from "@sealpost/wire";
import { sampleEvery } from "../../../../tests/support/sample.ts";
import { backUp } from "../backup/backup.ts";
import { restore } from "../backup/restore.ts";
import { parseConfig } from "../config/config.ts";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { createSingleRing } from "../instance/key-ring.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { loadSecrets } from "../instance/secret-file.ts";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import { createUnsubscribeLinks } from "../mail/unsubscribe-link.ts";
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from "../passkeys/testing/software-authenticator.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase, onEither } from "../testing/test-database.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";
import { administer } from "./administer.ts";
import { showCode } from "./testing/authenticator.ts";

/** Everything that is ever given out to who is, or pretends to be, the owner of an account. */
const credentials = [
  "session cookie",
  "session token",
  "API key",
  "passkey",
  "link to set a password",
  "link to verify the address",
  "sign-in that waits for a code",
  "earlier password",
  "known browser",
  "unsubscribe link",
  "webhook secret",
  "set-up token",
  "invitation",
  "member who was added",
] as const;
type Credential = (typeof credentials)[number];

/**
 * They let nobody in: an unsubscribe link ends notices, and receivers would refuse deliveries if the webhook secret changed by itself. A member is a person of their own, of whom the
 * owner was notified, and whom the owner sees in the list and removes.
 */
const always: readonly Credential[] = ["unsubscribe link", "webhook secret", "member who was added"];
/** It lets nobody in either, and has tries of its own for the password for which it was given. */
const known = "known browser";
const sessions: readonly Credential[] = ["session cookie", "session token"];
const links: readonly Credential[] = ["link to set a password", "link to verify the address"];
const waiting: Credential = "sign-in that waits for a code";

/** The credentials that still work after each way of taking an account back. All else is refused. */
const stillWorking = {
  "the owner changes the password": always,
  "a new password with an emailed link": always,
  "`account reset-password`": always,
  "`account end-sessions`": ["API key", "passkey", "earlier password", known, ...always],
  "`account revoke-keys`": [
    ...sessions,
    "passkey",
    ...links,
    waiting,
    "earlier password",
    known,
    "invitation",
    ...always,
  ],
  "`account disable`": [known, "webhook secret", "member who was added"],
  "`account disable`, then `enable`": ["API key", "passkey", "earlier password", known, ...always],
  "`account reset-second-factor`": [...sessions, "API key", ...links, "earlier password", known, ...always],
  "the second factor is turned on": ["API key", "passkey", "earlier password", known, ...always],
  "`restore`": ["API key", "passkey", "earlier password", known, ...always],
  "`restore --revoke-keys`": ["passkey", "earlier password", known, ...always],
} as const satisfies Record<string, readonly Credential[]>;
type Way = keyof typeof stillWorking;

const password = "correct horse battery";
const newPassword = "another horse battery";
const accomplices = ["added@example.com", "invited@example.com"] as const;
/** More sign-ins than one account is asked for here, and no more than that, because using them up costs a slow hash each. */
const signInRate = 8;

test("after each way of taking an account back exactly the credentials in the table still work", async (t) => {
  const bench = await createBench(t);
  for (const way of sampleEvery(Object.keys(stillWorking) as Way[], 3)) {
    const given = await bench.giveOut();
    const after = await bench.takeBack(way, given);
    const found = await bench.tryAll(after, given);
    const wanted: readonly Credential[] = stillWorking[way];
    assert.deepEqual(
      credentials.filter((name) => found[name]),
      credentials.filter((name) => wanted.includes(name)),
      way,
    );
  }
});

test("an operator's table of what still works is the one that is tested", onEither, () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/operator-to-owner.md"), "utf8");
  const section = page.split("## What still works afterwards")[1] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  const [heading, , ...rows] = lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  assert.deepEqual(heading, ["after", ...credentials]);
  const table = Object.entries<readonly Credential[]>(stillWorking).map(([way, working]) => [
    way,
    ...credentials.map((name) => (working.includes(name) ? "works" : "refused")),
  ]);
  assert.deepEqual(rows, table);
});

/** A thief's possible credentials of an account, and its owner's means to take it back. */
interface Given {
  readonly email: string;
  readonly cookie: string;
  readonly token: string;
  readonly apiKey: string;
  readonly passkey: SoftwareAuthenticator;
  readonly passwordLink: string;
  readonly verificationLink: string;
  readonly challenge: string;
  readonly knownBrowser: string;
  readonly unsubscribePath: string;
  readonly form: string;
  readonly webhookSecret: string;
  readonly setupToken: string;
  /** An invitation to the owner's organization. */
  readonly invitation: string;
  readonly organizationId: string;
  /** The secret of the owner's app, until another is set up. */
  readonly uri: string;
  readonly backupCodes: string[];
}

interface After {
  readonly service: TestService;
  /** The password that signs in now, with a backup code where that is needed; `undefined` when none does. */
  readonly password: string | undefined;
  /** Where the second factor was set up again. */
  readonly uri?: string;
  readonly backupCodes?: string[];
}

async function createBench(t: TestContext) {
  const smtp = await startSmtpServer(t);
  const authority = await createAuthority();
  const hooks: { readonly body: Uint8Array<ArrayBuffer>; readonly signature: string }[] = [];
  const arrivals = new EventTarget();
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer({ body, headers }, response) {
      hooks.push({ body: Uint8Array.from(body), signature: String(headers["x-service-signature"]) });
      response.writeHead(204).end();
      arrivals.dispatchEvent(new Event("hook"));
    },
  });
  const environment = {
    SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
    SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
    SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32,::1/128",
  };
  const start = (folder: string) =>
    createTestService(t, { folder, environment, signInRate, deliveries: { ca: authority.ca } });
  const configOf = async (folder: string) =>
    parseConfig({ ...environment, SEALPOST_DATA: folder, ...(await createTestDatabase(t, folder)) });

  const folder = createTemporaryFolder(t);
  const config = await configOf(folder);
  const service = await start(folder);
  const [secret = new Uint8Array()] = loadSecrets(config.secrets, folder);
  const unsubscribeLinks = createUnsubscribeLinks(createSecretBox(createSingleRing(secret)), () => "");
  const { setupToken = "" } = service;
  await service.signUp("operator@example.com");
  // Whom the thief invites: one who accepts at once, and one who waits.
  for (const email of accomplices) await service.signUp(email);
  await service.database.updateTable("person").set({ verification: "trusted" }).execute();
  const accompliceCookies = new Map<string, string>();
  let [accounts, clients] = [0, 0];

  async function post(on: TestService, path: string, body: object, cookie = "") {
    // Each from an address of its own: what is counted is the account.
    const client = `10.0.${++clients >> 8}.${clients & 255}`;
    const headers = { origin: on.url, "x-forwarded-for": client, ...(cookie !== "" && { cookie }) };
    const { status, body: answer, headers: received } = await on.request("POST", path, { body, headers });
    const cookies = received.getSetCookie().map((line) => line.split(";")[0] ?? "");
    const find = (name: string) => cookies.find((pair) => pair.startsWith(`sealpost_${name}`)) ?? "";
    return { status, body: answer, find };
  }

  async function signIn(on: TestService, email: string, by: string, backupCodes: string[]) {
    const begun = await post(on, "/api/auth/sign-in/email", { email, password: by });
    assert.equal(begun.status, 200, JSON.stringify(begun.body));
    if (begun.body.twoFactorRedirect !== true) return begun;
    const code = backupCodes.pop();
    const done = await post(on, "/api/auth/two-factor/verify-backup-code", { code }, begun.find("second_factor"));
    assert.equal(done.status, 200, JSON.stringify(done.body));
    return done;
  }

  /** A request of an accomplice, who signs in once for each service. */
  async function asAccomplice(on: TestService, email: (typeof accomplices)[number], path: string, body: object) {
    const key = `${on.url} ${email}`;
    const cookie = accompliceCookies.get(key) ?? (await signIn(on, email, password, [])).find("session");
    accompliceCookies.set(key, cookie);
    return post(on, path, body, cookie);
  }

  async function invite(token: string, email: (typeof accomplices)[number]): Promise<string> {
    const { status, body } = await service.request("POST", "/api/invitations", {
      token,
      body: { email, role: "owner" },
    });
    assert.equal(status, 200, JSON.stringify(body));
    return String(body.url).split("#")[1] ?? "";
  }

  async function readLink(email: string, subject: string): Promise<string> {
    for (;;) {
      const mail = await smtp.next(`"${subject}" to ${email}`);
      if (mail.to[0] !== email || mail.headers.get("subject") !== subject) continue;
      return /^http\S+#([\w-]+)$/m.exec(mail.text)?.[1] ?? assert.fail(mail.text);
    }
  }

  async function askForPasswordLink(email: string): Promise<string> {
    await post(service, "/api/auth/request-password-reset", { email });
    return readLink(email, "Set a new password");
  }

  async function turnOn(cookie: string) {
    const begun = await post(service, "/api/auth/two-factor/enable", { password }, cookie);
    assert.equal(begun.status, 200, JSON.stringify(begun.body));
    const { totpURI: uri, backupCodes } = begun.body as { totpURI: string; backupCodes: string[] };
    const done = await post(service, "/api/auth/two-factor/verify-totp", { code: showCode(uri) }, cookie);
    assert.equal(done.status, 200, JSON.stringify(done.body));
    return { uri, backupCodes, own: done.find("session") };
  }

  async function giveOut(): Promise<Given> {
    const email = `owner-${++accounts}@example.com`;
    const account = (await post(service, "/api/auth/sign-up/email", { email, password })).find("session");
    await readLink(email, "Verify your email address");
    // As one that is older than verification: others have no such link any more when the second factor is on.
    await service.database.updateTable("person").set({ verification: "trusted" }).where("email", "=", email).execute();
    const { uri, backupCodes, own } = await turnOn(account);
    assert.equal((await post(service, "/api/auth/verification/send", {}, own)).status, 200);
    const verificationLink = await readLink(email, "Verify your email address");

    const signedIn = await signIn(service, email, password, backupCodes);
    const cookie = signedIn.find("session");
    const headers = { cookie, origin: service.url };
    const token: string = (await service.request("GET", "/api/auth/token", { headers })).body.token;
    const { id } = await service.database
      .selectFrom("person")
      .select("id")
      .where("email", "=", email)
      .executeTakeFirstOrThrow();
    const thief = {
      ...{ id, token, cookie },
      request: (method: string, path: string, body?: unknown) => service.request(method, path, { token, body }),
    };
    const form = await createForm(thief, { encryption: false, webhookUrl: receiver.url });
    const begun = await post(service, "/api/auth/sign-in/email", { email, password });
    const accepting = { token: await invite(token, "added@example.com") };
    const accepted = await asAccomplice(service, "added@example.com", "/api/invitations/accept", accepting);
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    return {
      invitation: await invite(token, "invited@example.com"),
      organizationId: id,
      ...{ email, cookie, token, verificationLink, form, setupToken, uri, backupCodes },
      passkey: await addPasskey(cookie),
      apiKey: (await thief.request("POST", "/api/api-keys", { name: "Key" })).body.key.key,
      webhookSecret: (await thief.request("GET", `/api/forms/${form}/webhook-secret`)).body.secret,
      passwordLink: await askForPasswordLink(email),
      challenge: begun.find("second_factor"),
      knownBrowser: signedIn.find("browser_"),
      unsubscribePath: unsubscribeLinks.create({
        ...{ accountId: id as AccountId, personId: id as AccountId },
        ...{ formId: form, sentAt: Date.now() },
      }),
    };
  }

  async function addPasskey(cookie: string): Promise<SoftwareAuthenticator> {
    const authenticator = createSoftwareAuthenticator(service.url);
    const { body, find } = await post(service, "/api/auth/passkeys/begin", {}, cookie);
    const answer = authenticator.create(body.publicKey);
    const added = await post(service, "/api/auth/passkeys", answer, `${cookie}; ${find("passkey")}`);
    assert.equal(added.status, 200, JSON.stringify(added.body));
    return authenticator;
  }

  async function opensByPasskey(on: TestService, { passkey }: Given): Promise<boolean> {
    const { body, find } = await post(on, "/api/auth/passkeys/begin-sign-in", {});
    const answer = passkey.get(body.publicKey, { origin: on.url });
    return (await post(on, "/api/auth/passkeys/sign-in", answer, find("passkey"))).status === 200;
  }

  async function changePassword({ email, backupCodes }: Given): Promise<void> {
    const own = await signIn(service, email, password, backupCodes);
    const body = { currentPassword: password, newPassword };
    assert.equal((await post(service, "/api/auth/change-password", body, own.find("session"))).status, 200);
  }

  async function restoreFromBefore(given: Given, revokesKeys: boolean): Promise<TestService> {
    const { file } = await backUp({ config, to: createTemporaryFolder(t), now: Date.now(), onProgress: () => {} });
    // The restored instance does not know later changes.
    await changePassword(given);
    const target = createTemporaryFolder(t);
    const secretFile = config.secrets === undefined ? join(folder, "secret") : undefined;
    const options = { from: file, secretFile, revokesKeys, now: Date.now(), onProgress: () => {} };
    await restore({ config: await configOf(target), ...options });
    return start(target);
  }

  async function takeBack(way: Way, given: Given): Promise<After> {
    const { email, backupCodes } = given;
    switch (way) {
      case "the owner changes the password":
        await changePassword(given);
        return { service, password: newPassword };
      case "a new password with an emailed link": {
        const link = await askForPasswordLink(email);
        const done = await post(service, "/api/auth/reset-password", { token: link, newPassword });
        assert.equal(done.status, 200);
        return { service, password: newPassword };
      }
      case "`account reset-password`":
        await administer(config, (accounts) => accounts.resetPassword(email, newPassword, false));
        return { service, password: newPassword };
      case "`account end-sessions`":
        await administer(config, (accounts) => accounts.endSessions(email));
        return { service, password };
      case "`account revoke-keys`":
        await administer(config, (accounts) => accounts.revokeKeys(email));
        return { service, password };
      case "`account disable`":
        await administer(config, (accounts) => accounts.disable(email));
        return { service, password: undefined };
      case "`account disable`, then `enable`":
        await administer(config, (accounts) => accounts.disable(email));
        await administer(config, (accounts) => accounts.enable(email));
        return { service, password };
      case "`account reset-second-factor`":
        await administer(config, (accounts) => accounts.resetSecondFactor(email));
        return { service, password };
      case "the second factor is turned on": {
        const own = (await signIn(service, email, password, backupCodes)).find("session");
        const off = { password, code: backupCodes.pop() };
        assert.equal((await post(service, "/api/auth/two-factor/disable", off, own)).status, 200);
        return { service, password, ...(await turnOn((await signIn(service, email, password, [])).find("session"))) };
      }
      case "`restore`":
        return { service: await restoreFromBefore(given, false), password };
      case "`restore --revoke-keys`":
        return { service: await restoreFromBefore(given, true), password };
    }
  }

  async function isDelivered(on: TestService, { form, webhookSecret }: Given): Promise<boolean> {
    const before = hooks.length;
    const arrived = new Promise((resolve) => arrivals.addEventListener("hook", resolve, { once: true }));
    await postPlain(on, form);
    await arrived;
    const hook = hooks[before] ?? assert.fail();
    return verifyService([webhookSecret], hook.body, hook.signature);
  }

  async function isVouchedFor(on: TestService, token: string): Promise<boolean> {
    const body = { email: `new-${++accounts}@example.com`, name: "New", password, setupToken: token };
    const signedUp = await post(on, "/api/auth/sign-up/email", body);
    const headers = { cookie: signedUp.find("session"), origin: on.url };
    return (await on.request("GET", "/api/auth/get-session", { headers })).body.user.verification === "trusted";
  }

  /** Whether it has tries left when others have used up theirs. */
  async function hasOwnTries(on: TestService, email: string, browser: string): Promise<boolean> {
    const guess = async (cookie: string) =>
      (await post(on, "/api/auth/sign-in/email", { email, password: "guess number nine" }, cookie)).status;
    while ((await guess("")) !== 429);
    return (await guess(browser)) !== 429;
  }

  /** Those that change something come last. */
  async function tryAll(after: After, given: Given): Promise<Record<Credential, boolean>> {
    const on = after.service;
    const read = async (options: object) => (await on.request("GET", "/api/forms", options)).status === 200;
    const isTaken = async (path: string, body: object, cookie?: string) =>
      (await post(on, path, body, cookie)).status === 200;
    const { uri = given.uri, backupCodes = given.backupCodes } = after;
    // A link to verify counts in a session of its account alone.
    const own =
      after.password === undefined ? "" : (await signIn(on, given.email, after.password, backupCodes)).find("session");
    const next = { code: showCode(uri, Date.now() + 30_000) };
    const found = {
      "session cookie": await read({ headers: { cookie: given.cookie, "sec-fetch-site": "same-origin" } }),
      "session token": await read({ token: given.token }),
      "API key": await read({ token: given.apiKey }),
      passkey: await opensByPasskey(on, given),
      "link to verify the address": await isTaken(
        "/api/auth/verification/confirm",
        { token: given.verificationLink },
        own === "" ? given.cookie : own,
      ),
      "sign-in that waits for a code": await isTaken("/api/auth/two-factor/verify-totp", next, given.challenge),
      "earlier password": await isTaken("/api/auth/sign-in/email", { email: given.email, password }),
      "unsubscribe link": await isTaken(given.unsubscribePath, {}),
      "webhook secret": await isDelivered(on, given),
      "set-up token": await isVouchedFor(on, given.setupToken),
      invitation:
        (await asAccomplice(on, "invited@example.com", "/api/invitations/accept", { token: given.invitation }))
          .status === 200,
      "member who was added":
        (await asAccomplice(on, "added@example.com", `/api/organizations/${given.organizationId}/switch`, {}))
          .status === 200,
      "known browser": await hasOwnTries(on, given.email, given.knownBrowser),
    };
    const reset = { token: given.passwordLink, newPassword: "a third horse battery" };
    return { ...found, "link to set a password": await isTaken("/api/auth/reset-password", reset) };
  }

  return { giveOut, takeBack, tryAll };
}
