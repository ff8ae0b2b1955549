import assert from "node:assert/strict";
import { createAccountStateStore } from "../../packages/server/src/accounts/account-state-store.ts";
import { createToken, saveMove } from "../../packages/server/src/accounts/address-move-store.ts";
import { showCode } from "../../packages/server/src/accounts/testing/authenticator.ts";
import { startSmtpServer } from "../../packages/server/src/mail/testing/smtp-server.ts";
import { createTestBrowser, type TestBrowser } from "../../packages/server/src/oidc/testing/test-browser.ts";
import { startTestProvider, type TestProvider } from "../../packages/server/src/oidc/testing/test-provider.ts";
import { add } from "../../packages/server/src/passkeys/testing/passkey-bench.ts";
import { createSoftwareAuthenticator } from "../../packages/server/src/passkeys/testing/software-authenticator.ts";
import type { TestScope } from "../../packages/server/src/testing/temporary-folder.ts";
import { testPassword as password, type TestService } from "../../packages/server/src/testing/test-service.ts";
import type { PreparedRequest } from "../contract/operation-calls.ts";
import { listDocumentOperations, listRoutes } from "../contract/operations.ts";
import { holdRequest, type Refusal } from "./held-request.ts";
import {
  type Actor,
  createOtherBrowser,
  findSessionId,
  type Revocation,
  revocations,
  succeed,
  takeSecondFactor,
} from "./revocations.ts";
import { countTransactions, openRights, runAlone, sendWhole } from "./rights.ts";

/**
 * Routes that change something and are not in the OpenAPI document: those of the sign-in library, which take the cookie of a session, and
 * what is about them. Each has a row, or the tests of rights fail.
 */

/** Somebody who is about to lose the session of `browser`; another one of theirs is in the actor. */
interface Ground {
  readonly service: TestService;
  readonly provider: TestProvider;
  readonly actor: Actor;
  readonly browser: TestBrowser;
  /** Another browser, opened by the second factor once it is on: that ends the sessions before. */
  other?: TestBrowser;
}

interface Asked {
  /** Without it that of the route. */
  readonly path?: string;
  readonly body?: object;
}

interface AskingRow {
  /** Brings the account to where the request is done, and gives what is sent. */
  readonly ask: (ground: Ground) => Promise<Asked>;
  /** Why there is no transaction in which the right could be looked at. */
  readonly writesNothing?: string;
  /** Where it leads a browser that has lost its session; without it the answer is 401 or 403. */
  readonly refusedAt?: string;
}

/** Or why nobody's session is asked for. */
type Row = AskingRow | { readonly forAnybody: string };

const writesNothing = "the answer has a challenge and a cookie, and nothing is kept";

export const hiddenRows: Readonly<Record<string, Row>> = {
  "POST /api/auth/change-password": {
    ask: async () => ({ body: { currentPassword: password, newPassword: "yet another battery", revokeApiKeys: true } }),
  },
  "POST /api/auth/revoke-session": {
    ask: async ({ service, actor }) => {
      // A third one: the second belongs to who takes the right away.
      const third = await signIn(service, actor);
      const { body } = await third.post("/api/auth/get-session", {}, "GET");
      return { body: { token: body.session.token } };
    },
  },
  "POST /api/auth/revoke-other-sessions": { ask: async () => ({}) },
  "POST /api/auth/freshen-session": { ask: async () => ({ body: { password } }) },
  "POST /api/auth/two-factor/enable": { ask: async () => ({ body: { password } }) },
  "POST /api/auth/two-factor/verify-totp": {
    ask: async ({ browser }) => {
      const { body } = await browser.post("/api/auth/two-factor/enable", { password });
      return { body: { code: showCode(body.totpURI) } };
    },
  },
  "POST /api/auth/two-factor/verify-backup-code": {
    ask: async (ground) => ({ body: { code: takeCode(await turnOnSecondFactor(ground)) } }),
  },
  "POST /api/auth/two-factor/generate-backup-codes": {
    ask: async (ground) => ({ body: { password, code: takeCode(await turnOnSecondFactor(ground)) } }),
  },
  "POST /api/auth/two-factor/disable": {
    ask: async (ground) => ({ body: { password, code: takeCode(await turnOnSecondFactor(ground)) } }),
  },
  "POST /api/auth/two-factor/keep-backup-codes": {
    ask: async (ground) => {
      const code = takeCode(await turnOnSecondFactor(ground));
      const { body } = await ground.browser.post("/api/auth/two-factor/generate-backup-codes", { password, code });
      return { body: { proposal: body.proposal } };
    },
  },
  "POST /api/auth/verification/send": {
    ask: async ({ service, actor }) => {
      await setVerified(service, actor, false);
      return {};
    },
  },
  "POST /api/auth/verification/skip": { ask: async () => ({}) },
  "POST /api/auth/verification/confirm": {
    ask: async ({ service, actor }) => {
      const id = actor.account.id as never; // as the service answered it
      const token = await service.database
        .transaction()
        .execute((transaction) =>
          createAccountStateStore(service.database).createVerification(transaction, id, Date.now()),
        );
      return { body: { token } };
    },
  },
  "POST /api/auth/address/confirm": {
    ask: async ({ service, actor }) => {
      const personId = actor.account.id as never; // as above
      const tokens = { oldToken: createToken("old"), newToken: createToken("new") };
      const move = {
        personId,
        oldEmail: await findEmail(service, actor),
        newEmail: `${crypto.randomUUID()}@example.com`,
      };
      await service.database
        .transaction()
        .execute((transaction) => saveMove(transaction, { ...move, ...tokens }, Date.now()));
      return { body: { token: tokens.newToken } };
    },
  },
  "POST /api/auth/passkeys/begin": { ask: async () => ({}), writesNothing },
  "POST /api/auth/passkeys": {
    ask: async ({ browser, service }) => {
      const { body } = await browser.post("/api/auth/passkeys/begin");
      return { body: createSoftwareAuthenticator(service.url).create(body.publicKey) };
    },
  },
  "POST /api/auth/passkeys/begin-confirm": { ask: async () => ({}), writesNothing },
  "POST /api/auth/passkeys/confirm": {
    ask: async (ground) => {
      const { authenticator } = await addPasskey(ground);
      const { body } = await ground.browser.post("/api/auth/passkeys/begin-confirm");
      return { body: authenticator.get(body.publicKey) };
    },
  },
  "PATCH /api/auth/passkeys/{passkey_id}": {
    ask: async (ground) => ({
      path: `/api/auth/passkeys/${(await addPasskey(ground)).id}`,
      body: { name: "Another" },
    }),
  },
  "DELETE /api/auth/passkeys/{passkey_id}": {
    ask: async (ground) => ({ path: `/api/auth/passkeys/${(await addPasskey(ground)).id}` }),
  },
  "DELETE /api/auth/identities/{identity_id}": {
    ask: async (ground) => ({ path: `/api/auth/identities/${await linkIdentity(ground)}` }),
  },
  "POST /api/auth/oidc/link": {
    ask: async () => ({ body: {} }),
    writesNothing: "leads to the provider, and the way is in a cookie",
  },
  "POST /api/auth/oidc/confirm": {
    ask: async () => ({ body: {} }),
    writesNothing: "leads to the provider, and the way is in a cookie",
  },
  "POST /api/auth/oidc/sign-out-page": { ask: async () => ({}), writesNothing: "it only reads" },
  // A page that a browser comes to: it is led on in either case.
  "GET /api/auth/oidc/callback": {
    ask: async (ground) => {
      ground.provider.person = createPerson();
      return { path: await fetchAnswer(ground, "/api/auth/oidc/link") };
    },
    refusedAt: "/account?oidc=session_changed",
  },

  "POST /api/auth/sign-out": { forAnybody: "ends the session that asks, and answers the same without one" },
  "POST /api/auth/sign-in/email": { forAnybody: "a password is the right" },
  "POST /api/auth/sign-up/email": { forAnybody: "makes an account" },
  "POST /api/auth/request-password-reset": { forAnybody: "sends an email to whose address it is" },
  "POST /api/auth/reset-password": { forAnybody: "an emailed link is the right" },
  "POST /api/auth/address/refuse": { forAnybody: "an emailed link is the right" },
  "POST /api/auth/passkeys/begin-sign-in": { forAnybody: writesNothing },
  "POST /api/auth/passkeys/sign-in": { forAnybody: "a passkey is the right" },
  "POST /api/auth/oidc/sign-in": { forAnybody: "leads to the provider" },
  "POST /unsubscribe/{token}": { forAnybody: "an emailed link is the right" },
  "POST /f/{form_id}": { forAnybody: "a visitor's submission" },
};

export interface HiddenCase {
  /** The route, and what it is about where there are several of one. */
  readonly name: string;
  readonly row: AskingRow;
}

export const hiddenCases: readonly HiddenCase[] = [
  ...Object.entries(hiddenRows).flatMap(([name, row]) => ("ask" in row ? [{ name, row }] : [])),
  {
    name: "GET /api/auth/oidc/callback, which confirms",
    row: {
      ask: async (ground) => {
        await linkIdentity(ground);
        return { path: await fetchAnswer(ground, "/api/auth/oidc/confirm") };
      },
      refusedAt: "/account?oidc=session_changed",
    },
  },
];

/** Every way in which a session ends, with those that only an instance with email or an identity provider has. */
export const listHiddenRevocations = ({ findLink }: HiddenRights): readonly HiddenRevocation[] => [
  ...revocations.filter(({ takes }) => takes.session(ofLibrary)),
  {
    name: "the password is set by an emailed link",
    async by({ service }, actor) {
      const email = await findEmail(service, actor);
      const headers = { origin: service.url };
      const post = (path: string, body: object) => service.request("POST", `/api/auth/${path}`, { headers, body });
      await succeed(post("request-password-reset", { email }));
      const token = await findLink(email, "reset-password");
      await succeed(post("reset-password", { token, newPassword: "another horse battery" }));
    },
  },
  {
    name: "the linked sign-in that opened the session is taken away in another browser",
    async by({ service: { database } }, actor) {
      const id = crypto.randomUUID().replaceAll("-", "");
      const made = { id, person_id: actor.account.id, issuer: "https://idp.example", subject: id, name: "Ada" };
      const linked = { ...made, admitted_by: "link", linked_at: 0, used_at: null };
      await database.insertInto("identity").values(linked).execute();
      await database.updateTable("session").set({ identity_id: id }).where("id", "=", findSessionId(actor)).execute();
      await succeed(actor.byCookie("DELETE", `/api/auth/identities/${id}`));
    },
  },
];

/** As far as a way is chosen by what it takes: about a person. */
const ofLibrary = { name: "", operationId: "", method: "POST", path: "", access: "session" } as const;

export type HiddenRevocation = Pick<Revocation, "name" | "begin" | "by" | "isOfNoSecondFactor">;
export type HiddenRights = Awaited<ReturnType<typeof openHiddenRights>>;

/** A service with email and an identity provider: with all of its routes. */
export async function openHiddenRights(t: TestScope) {
  const [smtp, provider] = [await startSmtpServer(t), await startTestProvider(t)];
  const rights = await openRights(t, {
    ...provider.environment,
    SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
  });
  await provider.admit(rights.service.url);
  return {
    ...{ rights, provider },
    /** The token of the next emailed link that leads to this page. */
    async findLink(email: string, page: string): Promise<string> {
      for (;;) {
        const { to, text } = await smtp.next(`a link to ${page} for ${email}`);
        const token = new RegExp(`/${page}#([\\w-]+)`).exec(text)?.[1];
        if (to.includes(email) && token !== undefined) return token;
      }
    },
  };
}

/** Routes that change something and are not in the document, without a row; and rows without a route. */
export function listUnmatched({ rights: { service } }: HiddenRights): readonly string[] {
  const documented = new Set(listDocumentOperations(service.app.swagger()).map(({ name }) => name));
  const routes = listRoutes(service.app).filter((name) => !documented.has(name));
  const changing = routes.filter((name) => !name.startsWith("GET "));
  return [
    ...changing.filter((name) => !(name in hiddenRows)).map((name) => `${name} has no row`),
    ...Object.keys(hiddenRows).flatMap((name) => (routes.includes(name) ? [] : [`${name} is no route`])),
  ];
}

export interface HiddenRequest {
  readonly hasSecondFactor: boolean;
  readonly actor: Actor;
  readonly prepared: PreparedRequest;
}

/** Somebody who may do it, and the request by the session that they are about to lose. */
export async function prepareHidden({ rights, provider }: HiddenRights, one: HiddenCase): Promise<HiddenRequest> {
  const { service, scene } = rights;
  const actor = await rights.createActor();
  await takeSecondFactor(scene, actor);
  await setVerified(service, actor, true);
  const browser = await signIn(service, actor);
  const ground: Ground = { service, provider, actor, browser };
  const [method = "", route = ""] = one.name.split(/[ ,]/);
  const { path = route, body = {} } = await one.row.ask(ground);
  const other = ground.other ?? (await signIn(service, actor));
  const cookie = browser.cookiesOf(service.url);
  const { body: issued } = await browser.post("/api/auth/token", {}, "GET");
  const isRead = method === "GET";
  const isEmpty = isRead || method === "DELETE";
  const ofPage = { origin: service.url, ...(!isEmpty && { "content-type": "application/json" }) };
  return {
    hasSecondFactor: ground.other !== undefined,
    actor: {
      ...actor,
      account: { ...actor.account, cookie, token: issued.token },
      ...createOtherBrowser(service, other.cookiesOf(service.url)),
    },
    prepared: {
      ...{ method, path },
      headers: { cookie, ...(isRead ? { "sec-fetch-site": "same-origin" } : ofPage) },
      ...(!isEmpty && { body: JSON.stringify(body) }),
    },
  };
}

async function signIn(service: TestService, actor: Actor, backupCodes: string[] = []): Promise<TestBrowser> {
  const browser = createTestBrowser(service);
  const signedIn = await browser.post("/api/auth/sign-in/email", { email: await findEmail(service, actor), password });
  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body));
  if (signedIn.body.twoFactorRedirect !== true) return browser;
  const verified = await browser.post("/api/auth/two-factor/verify-backup-code", { code: takeCode(backupCodes) });
  assert.equal(verified.status, 200, JSON.stringify(verified.body));
  return browser;
}

async function findEmail({ database }: TestService, { account }: Actor): Promise<string> {
  const person = database.selectFrom("person").select("email").where("id", "=", account.id);
  return (await person.executeTakeFirstOrThrow()).email;
}

async function setVerified({ database }: TestService, { account }: Actor, isVerified: boolean): Promise<void> {
  const email_verified = Number(isVerified) as never; // PostgreSQL's boolean, SQLite's number
  const verification = isVerified ? "trusted" : "needed";
  await database.updateTable("person").set({ verification, email_verified }).where("id", "=", account.id).execute();
}

/** By the browser of the ground, which gets another session with it. The codes on paper that are left. */
async function turnOnSecondFactor(ground: Ground): Promise<string[]> {
  const { service, actor, browser } = ground;
  const { body } = await browser.post("/api/auth/two-factor/enable", { password });
  const verified = await browser.post("/api/auth/two-factor/verify-totp", { code: showCode(body.totpURI) });
  assert.equal(verified.status, 200, JSON.stringify(verified.body));
  const backupCodes: string[] = [...body.backupCodes];
  ground.other = await signIn(service, actor, backupCodes);
  return backupCodes;
}

function takeCode(backupCodes: string[]): string {
  return backupCodes.pop() ?? assert.fail("no code left");
}

async function addPasskey({ browser, service }: Ground) {
  const authenticator = createSoftwareAuthenticator(service.url);
  const { status, body } = await add(browser, authenticator);
  assert.equal(status, 200, JSON.stringify(body));
  const id: string = body.passkey.id;
  return { authenticator, id };
}

/** A person of the provider whom nobody has linked. */
function createPerson() {
  const sub = crypto.randomUUID();
  return { sub, email: `${sub}@example.com`, email_verified: true, name: "Ada" };
}

async function linkIdentity({ browser, provider }: Ground): Promise<string> {
  provider.person = createPerson();
  await browser.signIn({}, "/api/auth/oidc/link");
  const { body } = await browser.post("/api/auth/identities", {}, "GET");
  return body.identities[0]?.id ?? assert.fail("nothing was linked");
}

/** Where the provider sends the browser back to, which has not followed. */
async function fetchAnswer({ browser, service }: Ground, way: string): Promise<string> {
  const { href } = await browser.fetchAnswer({}, way);
  return href.slice(service.url.length);
}

/** How often each case begins a transaction while nobody takes its right away. */
const counts = new WeakMap<HiddenRights, Map<string, Promise<number>>>();

/**
 * The cases that were done all the same, after the right was taken away before the body or before one of their transactions. `turn`: each
 * case at one of these moments, another one for each turn.
 */
export async function runHidden(
  hidden: HiddenRights,
  revocation: HiddenRevocation,
  cases: readonly HiddenCase[],
  turn?: number,
): Promise<readonly string[]> {
  const done: string[] = [];
  for (const [index, one] of cases.entries()) {
    const transactions = Array.from({ length: await countOf(hidden, one) }, (_, before) => before + 1);
    const all: readonly Moment[] = [...(one.name.startsWith("GET ") ? [] : ["body" as const]), ...transactions];
    const moments = turn === undefined ? all : all.filter((_, moment) => moment === (index + turn) % all.length);
    for (const moment of moments) {
      const answer = await runCase(hidden, revocation, one, moment);
      if (answer !== undefined && !isRefused(one, answer))
        done.push(`${one.name} before ${moment}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }
  return done;
}

/** Before which the right is taken away: the body, or the transaction with this number. */
type Moment = "body" | number;

/** `undefined`: the right can't be taken away from this person in this way. */
async function runCase(
  hidden: HiddenRights,
  revocation: HiddenRevocation,
  one: HiddenCase,
  moment: Moment,
): Promise<Refusal | undefined> {
  const { service, scene } = hidden.rights;
  const { actor, prepared, hasSecondFactor } = await prepareHidden(hidden, one);
  if (hasSecondFactor && revocation.isOfNoSecondFactor) return undefined;
  await revocation.begin?.(scene, actor, []);
  const revoke = () => revocation.by(scene, actor);
  if (moment !== "body") return runAlone(hidden.rights, prepared, revoke, moment);
  const held = await holdRequest(service.app.server, service.url, prepared);
  await revoke();
  return held.finish();
}

/** A control at the same time: with its right, the request is done. */
export async function countOf(hidden: HiddenRights, one: HiddenCase): Promise<number> {
  const known = counts.get(hidden) ?? new Map<string, Promise<number>>();
  counts.set(hidden, known);
  const counted = known.get(one.name) ?? count(hidden, one);
  known.set(one.name, counted);
  return counted;
}

async function count(hidden: HiddenRights, one: HiddenCase): Promise<number> {
  const { prepared } = await prepareHidden(hidden, one);
  const counted = countTransactions(hidden.rights);
  const answer = await sendWhole(hidden.rights.service, prepared, counted.id);
  const isDone = answer.status === 200 || (answer.status === 303 && !isRefused(one, answer));
  assert.ok(isDone, `control, ${one.name}: ${answer.status} ${answer.location} ${JSON.stringify(answer.body)}`);
  assert.equal(counted.count() === 0, one.row.writesNothing !== undefined, `${one.name} begins ${counted.count()}`);
  return counted.count();
}

function isRefused({ row }: HiddenCase, { status, location }: Refusal): boolean {
  return row.refusedAt === undefined ? status === 401 || status === 403 : location === row.refusedAt;
}
