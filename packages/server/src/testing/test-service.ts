import assert from "node:assert/strict";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import type { Passwords } from "../authentication/auth.ts";
import { parseConfig } from "../config/config.ts";
import { type Dashboard, loadDashboard } from "../dashboard/dashboard-files.ts";
import type { DeliveriesOptions } from "../deliveries/deliveries.ts";
import { createMakeKeyPair, type MakeKeyPair } from "../forms/make-key-pair.ts";
import type { ConnectionLimits } from "../http/connections.ts";
import type { EmailsOptions } from "../mail/emails.ts";
import type { PasswordQueue } from "../rate-limits/password-queue.ts";
import type { Service, ServiceOptions } from "../service.ts";
import { systemClock } from "../time/clock.ts";
import { createCheckAnswer } from "./answer-check.ts";
import { writerEntry } from "./server-program.ts";
import { copySqliteTemplate } from "./sqlite-template.ts";
import { closeAtEnd, createTemporaryFolder, type TestScope } from "./temporary-folder.ts";
import { createTestDatabase, testDatabaseKind } from "./test-database.ts";
import { watchRequests } from "./watch-requests.ts";

export interface TestServiceOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: ServiceOptions["clock"];
  readonly deliveries?: DeliveriesOptions;
  readonly emails?: EmailsOptions;
  /** Sign-ins and sign-ups a minute; off unless a test is about it. */
  readonly signInRate?: number;
  /** Requests a minute to the API key endpoints; those of a real service unless a test sends more. */
  readonly apiKeyRate?: number;
  readonly passwordQueue?: PasswordQueue;
  /** `libraryPasswords` where a test counts hashes. */
  readonly passwords?: Passwords;
  /** Takes pairs of the tests' stock unless a test is about the making. */
  readonly makeKeyPair?: MakeKeyPair;
  readonly pagesAtOnce?: number;
  readonly connections?: Partial<ConnectionLimits>;
  readonly beforeTransaction?: ServiceOptions["beforeTransaction"];
  readonly secretMilliseconds?: number;
  /** Gets the log, at every level; without it there is none. */
  readonly log?: ServiceOptions["output"];
  /** Instead of the one that was built last. */
  readonly dashboard?: Dashboard;
  /** An existing data folder, to start again on it; an empty one, for a test of the first start itself. */
  readonly folder?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests assert on the members, and the document check holds the shape
export interface Answer<Body = any> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface TestService extends Service {
  readonly folder: string;
  /** Real HTTP. The answer is held to the OpenAPI document. An object body goes as JSON. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** Signs up, and returns the session token (JWT) of the new account. */
  signUp(email?: string, name?: string): Promise<TestAccount>;
}

export interface RequestOptions {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestAccount {
  readonly id: string;
  readonly token: string;
  /** The session cookie, `name=value`. */
  readonly cookie: string;
  request(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** The sources; or the built service, for the pass of `npm test` that holds it to the same. */
const { dashboardFolder, startService } =
  process.env.SEALPOST_TEST_BUILD === undefined ? await import("../service.ts") : await importBuiltService();

function importBuiltService(): Promise<typeof import("../service.ts")> {
  process.setSourceMapsEnabled(true);
  return import(new URL("../../dist/service/service.js", import.meta.url).href); // an entry of the bundle
}

/** Some fifty files: to read them is a tenth of a start. */
let dashboard: Dashboard | undefined;

/** Every account signs up with it. */
export const testPassword = "correct horse battery";

/** The sign-in library's own. */
export const libraryPasswords = { hash: hashPassword, verify: verifyPassword } satisfies Passwords;

/**
 * The same, each password hashed and compared once in a process: that takes a tenth of a second of the processor, and the
 * accounts of most tests have one password.
 */
const rememberedPasswords = { hash: once(hashPassword), verify: once(verifyPassword) } satisfies Passwords;

function once<Asked, Result>(work: (asked: Asked) => Promise<Result>): (asked: Asked) => Promise<Result> {
  const known = new Map<string, Promise<Result>>();
  return (asked) => {
    const key = JSON.stringify(asked);
    const result = known.get(key) ?? work(asked);
    known.set(key, result);
    return result;
  };
}

/** The built service makes its database itself, and one with a configured secret has none in its folder. */
async function createDataFolder(t: TestScope, { environment }: TestServiceOptions): Promise<string> {
  const folder = createTemporaryFolder(t);
  const isOrdinary = process.env.SEALPOST_TEST_BUILD === undefined && environment?.SEALPOST_SECRET === undefined;
  if (testDatabaseKind === "sqlite" && isOrdinary) await copySqliteTemplate(folder);
  return folder;
}

/** A whole service on a temporary folder and a free port, with open sign-up; stopped when the test ends. */
export async function createTestService(t: TestScope, options: TestServiceOptions = {}): Promise<TestService> {
  const folder = options.folder ?? (await createDataFolder(t, options));
  const config = parseConfig({
    ...(await createTestDatabase(t, folder)),
    SEALPOST_PORT: "0",
    SEALPOST_DATA: folder,
    SEALPOST_SIGNUP: "open",
    SEALPOST_LOG_LEVEL: options.log === undefined ? "silent" : "debug",
    SEALPOST_SUBMIT_RATE: "0",
    SEALPOST_API_RATE: "0",
    ...options.environment,
  });
  dashboard ??= loadDashboard(dashboardFolder);
  const service = await startService({
    config,
    dashboard: options.dashboard ?? dashboard,
    clock: options.clock ?? systemClock,
    signInRate: options.signInRate ?? 0,
    ...(options.apiKeyRate !== undefined && { apiKeyRate: options.apiKeyRate }),
    ...(options.deliveries && { deliveries: options.deliveries }),
    ...(options.emails && { emails: options.emails }),
    ...(options.passwordQueue && { passwordQueue: options.passwordQueue }),
    makeKeyPair: options.makeKeyPair ?? createMakeKeyPair(undefined, async () => takeKeyPair()),
    ...(options.pagesAtOnce !== undefined && { pagesAtOnce: options.pagesAtOnce }),
    ...(options.connections && { connections: options.connections }),
    ...(options.beforeTransaction && { beforeTransaction: options.beforeTransaction }),
    ...(options.secretMilliseconds !== undefined && { secretMilliseconds: options.secretMilliseconds }),
    ...(options.log && { output: options.log }),
    passwords: options.passwords ?? rememberedPasswords,
    ...(writerEntry && { writerEntry }),
  });
  const assertAsked = watchRequests(service.app.server);
  closeAtEnd(t, async () => {
    await service.stop();
    assertAsked();
  });
  // These alone decide which routes there are.
  const { hasQuotas, metricsToken, mail, oidc } = config;
  const checkAnswer = createCheckAnswer(service.app, JSON.stringify([hasQuotas, !metricsToken, !mail, !oidc]));

  async function request(method: string, path: string, { token, body, headers }: RequestOptions = {}): Promise<Answer> {
    const isRaw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
    const response = await fetch(`${service.url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }), // fetch takes bytes as well
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    const answer = isJson && text !== "" ? JSON.parse(text) : text;
    if (isJson) checkAnswer(method, path.split("?")[0] ?? path, response.status, answer);
    return { status: response.status, headers: response.headers, body: answer };
  }

  let accounts = 0;
  async function signUp(email = `person-${++accounts}@example.com`, name = "Person"): Promise<TestAccount> {
    const created = await request("POST", "/api/auth/sign-up/email", {
      body: { name, email, password: testPassword, setupToken: service.setupToken },
    });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const cookie = created.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const issued = await request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } });
    assert.equal(issued.status, 200, JSON.stringify(issued.body));
    const token: string = issued.body.token;
    return {
      id: created.body.user.id,
      token,
      cookie,
      request: (method, path, body) => request(method, path, { token, body }),
    };
  }

  return { ...service, folder, request, signUp };
}
