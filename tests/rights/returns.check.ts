import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { completeMove, createToken, saveMove } from "../../packages/server/src/accounts/address-move-store.ts";
import { startSmtpServer, type TestSmtpServer } from "../../packages/server/src/mail/testing/smtp-server.ts";
import { invite, switchTo } from "../../packages/server/src/organizations/testing/test-organization.ts";
import {
  createTestService,
  type TestAccount,
  type TestService,
} from "../../packages/server/src/testing/test-service.ts";
import { listRoutes } from "../contract/operations.ts";
import { type Flood, flood, time } from "./flood.ts";
import { succeed } from "./revocations.ts";

/**
 * A thief in somebody's account lets helpers into many organizations, and these send requests about the person without a pause. Each of
 * them locks what is the person's in one organization, and what the person does to get the account back concerns all of them.
 */
const organizations = 6;
const helpersOfEach = 2;
const password = "correct horse battery";
const newPassword = "another horse battery";

interface Ground {
  readonly service: TestService;
  readonly person: TestAccount;
  readonly email: string;
  /** As somebody without a session, on a page of the service. */
  post(path: string, body: object): Promise<void>;
  /** In another browser of the person's. */
  byCookie(method: string, path: string, body?: object): Promise<void>;
  /** Follows the newest email to the person that has such a link. */
  findToken(page: string): Promise<string>;
}

/** Prepares the act, which is done during the flood. */
type Way = (ground: Ground) => Promise<() => Promise<unknown>>;

const asked: Readonly<Record<string, Way>> = {
  "POST /api/auth/address/refuse": async (ground) => {
    const { service, post } = ground;
    const move = await begin(ground);
    const token = await service.database.transaction().execute((change) => completeMove(change, move, Date.now()));
    return () => post("/api/auth/address/refuse", { token });
  },
  "POST /api/auth/address/refuse, of a move that waits": async (ground) => {
    const { oldToken: token } = await begin(ground);
    return () => ground.post("/api/auth/address/refuse", { token });
  },
  "DELETE /api/account/address": async (ground) => {
    await begin(ground);
    return () => ground.byCookie("DELETE", "/api/account/address");
  },
  "POST /api/auth/reset-password": async ({ post, email, findToken }) => {
    await post("/api/auth/request-password-reset", { email });
    const token = await findToken("reset-password");
    return () => post("/api/auth/reset-password", { token, newPassword });
  },
  "POST /api/auth/sign-in/email": async ({ post, email }) => {
    return () => post("/api/auth/sign-in/email", { email, password });
  },
  "POST /api/auth/change-password": async ({ byCookie }) => {
    return () => byCookie("POST", "/api/auth/change-password", { currentPassword: password, newPassword });
  },
  "POST /api/auth/revoke-other-sessions": async ({ byCookie }) => {
    return () => byCookie("POST", "/api/auth/revoke-other-sessions", {});
  },
  "POST /api/auth/sign-out": async ({ byCookie }) => {
    return () => byCookie("POST", "/api/auth/sign-out", {});
  },
  "POST /api/auth/freshen-session": async ({ byCookie }) => {
    return () => byCookie("POST", "/api/auth/freshen-session", { password });
  },
  "POST /api/auth/revoke-session": async (ground) => {
    const { token } = await findSession(ground);
    return () => ground.byCookie("POST", "/api/auth/revoke-session", { token });
  },
  "DELETE /api/sessions/{session_id}": async (ground) => {
    const { id } = await findSession(ground);
    return () => ground.byCookie("DELETE", `/api/sessions/${id}`);
  },
  "POST /api/sessions/end-others": async ({ byCookie }) => {
    return () => byCookie("POST", "/api/sessions/end-others");
  },
  "POST /api/account/deletion": async ({ byCookie }) => {
    return () => byCookie("POST", "/api/account/deletion?confirm=DELETE_ACCOUNT");
  },
  "DELETE /api/account/deletion": async ({ byCookie, email, service }) => {
    await byCookie("POST", "/api/account/deletion?confirm=DELETE_ACCOUNT");
    const headers = { cookie: await signIn(service, email), origin: service.url };
    return () => succeed(service.request("DELETE", "/api/account/deletion", { headers }));
  },
};

/** Beginnings of routes that change something about an account, and neither end what somebody else has nor give the account back. */
const others: Readonly<Record<string, string>> = {
  "POST /api/auth/sign-up/email": "makes an account",
  "POST /api/auth/request-password-reset": "sends an email, after its answer",
  "POST /api/auth/verification/": "is about an address that is new",
  "POST /api/auth/two-factor/": "holds the person's rights like a new password, and wants an app",
  "POST /api/auth/oidc": "leads to a provider",
  "POST /api/auth/passkeys": "holds the person's rights like signing in with a password, and wants an authenticator",
  "PATCH /api/auth/passkeys/": "is a name",
  "DELETE /api/auth/passkeys/": "holds the person's rights like a new password, and wants an authenticator",
  "DELETE /api/auth/identities/": "holds the person's rights like a new password, and wants a provider",
  "POST /api/auth/address/confirm": "moves the account",
  "POST /api/account/address": "begins a move",
  "PATCH /api/account": "is a name",
  "PUT /api/account/personal-key": "is a key",
  "DELETE /api/account/personal-key": "is a key",
  "POST /api/account/personal-key": "is a key",
  "PUT /api/account/key-copies": "is a key",
  "POST /api/account/key-copies": "is a key",
  "DELETE /api/account/key-copies": "is a key",
  "POST /api/account/device-requests": "asks for a key",
  "DELETE /api/account/device-requests": "is a key",
  "POST /api/account/admissions": "asks to join",
  "DELETE /api/account/admissions": "asks no more to join",
  "PUT /api/account/": "is a setting",
};

test("each act by which somebody gets an account back is done within seconds, whatever helpers in its organizations send meanwhile", async (t) => {
  const smtp = await startSmtpServer(t);
  const service = await createTestService(t, {
    environment: {
      ...{ SEALPOST_API_RATE: "0", SEALPOST_SUBMIT_RATE: "0", SEALPOST_DEFAULT_PLAN: "enterprise" },
      SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
      SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
    },
    signInRate: 1000,
  });
  assert.deepEqual(listUnasked(service), []);
  const helpers: TestAccount[] = [];
  while (helpers.length < organizations * helpersOfEach) helpers.push(await service.signUp(nameHelper(helpers.length)));
  const late: string[] = [];
  for (const [name, way] of Object.entries(asked)) {
    const email = `${crypto.randomUUID()}@example.com`;
    const person = await service.signUp(email);
    await service.database.updateTable("person").set({ verification: "trusted" }).execute();
    await letIn(person, helpers);
    const act = await way(await createGround(service, smtp, person, email));
    late.push(...(await time(name, floodAbout(service, person, helpers), act).catch((error) => [`${name}: ${error}`])));
  }
  assert.deepEqual(late, []);
});

/** Routes that change something about an account, and are neither asked here nor among the others. */
function listUnasked({ app }: TestService): readonly string[] {
  const [known, left] = [Object.keys(asked).map((name) => name.split(",")[0]), Object.keys(others)];
  return listRoutes(app).filter(
    (name) =>
      /^(POST|PUT|PATCH|DELETE) \/api\/(auth|account|sessions)\b/.test(name) &&
      !known.includes(name) &&
      !left.some((one) => name.startsWith(one)),
  );
}

function nameHelper(index: number): string {
  return `helper-${index}@example.com`;
}

/** Makes the person's organizations, and lets helpers in as owners, each of whom acts for the one that they came into. */
async function letIn(person: TestAccount, helpers: readonly TestAccount[]): Promise<void> {
  const ids: string[] = [person.id];
  while (ids.length < organizations) {
    const made = await person.request("POST", "/api/organizations", { name: `Organization ${ids.length}` });
    ids.push(made.body.organization.id);
  }
  for (const [index, helper] of helpers.entries()) {
    const id = ids[index % ids.length] ?? person.id;
    await switchTo(person, id);
    const token = await invite(person, nameHelper(index), { role: "owner" });
    await succeed(helper.request("POST", "/api/invitations/accept", { token }));
    await switchTo(helper, id);
  }
  await switchTo(person, person.id);
}

/** Mostly another role than the person has: one that they have is found without a lock. */
function floodAbout(service: TestService, person: TestAccount, helpers: readonly TestAccount[]): Flood {
  return flood(service, {
    ...{ method: "PATCH", path: `/api/members/${person.id}`, atOnce: helpers.length },
    authorizations: helpers.map(({ token }) => `Bearer ${token}`),
    body: (count) => ({ role: count % 2 === 0 ? "manager" : "owner" }),
  });
}

/** The session in which the person has signed up. */
function findSession({ service, person }: Ground) {
  return service.database
    .selectFrom("session")
    .select(["id", "token"])
    .where("person_id", "=", person.id)
    .orderBy("created_at")
    .executeTakeFirstOrThrow();
}

/** The cookie of another session. */
async function signIn(service: TestService, email: string): Promise<string> {
  const { headers } = await service.request("POST", "/api/auth/sign-in/email", { body: { email, password } });
  return headers.getSetCookie()[0]?.split(";")[0] ?? assert.fail("no cookie");
}

/** Begins a move to another address, whose links are not mailed. */
async function begin({ service, person, email }: Ground) {
  const personId = person.id as AccountId; // the service answered it
  const tokens = { oldToken: createToken("old"), newToken: createToken("new") };
  const move = { personId, oldEmail: email, newEmail: `moved-${email}`, ...tokens };
  await service.database.transaction().execute((change) => saveMove(change, move, Date.now()));
  return move;
}

async function createGround(
  service: TestService,
  smtp: TestSmtpServer,
  person: TestAccount,
  email: string,
): Promise<Ground> {
  const headers = { origin: service.url };
  const cookie = await signIn(service, email);
  return {
    ...{ service, person, email },
    post: (path, body) => succeed(service.request("POST", path, { headers, body })),
    byCookie: (method, path, body) =>
      succeed(service.request(method, path, { headers: { ...headers, cookie }, ...(body && { body }) })),
    async findToken(page) {
      for (;;) {
        const { to, text } = await smtp.next(`a link to ${page}`);
        const token = new RegExp(`/${page}#(\\w+)`).exec(text)?.[1];
        if (to.includes(email) && token !== undefined) return token;
      }
    },
  };
}
