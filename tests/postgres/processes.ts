import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { Database } from "../../packages/server/src/database/database.ts";
import {
  closeAtEnd,
  createTemporaryFolder,
  type TestScope,
} from "../../packages/server/src/testing/temporary-folder.ts";
import {
  createTestDatabase,
  openTestDatabase,
  testDatabaseKind,
} from "../../packages/server/src/testing/test-database.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests assert on the members
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: any };

export interface Cluster {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly database: Database;
  start(parameters?: readonly string[]): Promise<ServiceProcess>;
}

/** A database on which a test starts service processes; all are gone when it ends. */
export async function createCluster(t: TestScope, more: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  assert.equal(testDatabaseKind, "postgres", "these tests need PostgreSQL: npm test -- tests/postgres");
  const folder = createTemporaryFolder(t);
  const environment = {
    ...(await createTestDatabase(t, folder)),
    SEALPOST_DATA: folder,
    SEALPOST_PORT: "0",
    SEALPOST_SUBMIT_RATE: "0",
    SEALPOST_API_RATE: "0",
    ...more,
  };
  const database = await openTestDatabase(t, folder);
  closeAtEnd(t, () => database.destroy());
  return {
    folder,
    environment,
    database,
    async start(parameters) {
      const service = await startServiceProcess(environment, parameters);
      closeAtEnd(t, () => service.kill());
      return service;
    },
  };
}

export async function startTwo(t: TestScope, more?: Readonly<Record<string, string>>) {
  const cluster = await createCluster(t, more);
  const [one, other] = await Promise.all([cluster.start(), cluster.start()]);
  return { ...cluster, one, other, token: await signUpForToken(one) };
}

export async function request(
  { url }: { readonly url: string },
  method: string,
  path: string,
  {
    token,
    cookie,
    body,
    headers,
  }: {
    readonly token?: string;
    readonly cookie?: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(cookie !== undefined && { cookie, "sec-fetch-site": "same-origin" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

function createModulus(): string {
  const bytes = randomBytes(384);
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  bytes[383] = (bytes[383] ?? 0) | 1;
  return bytes.toString("base64url");
}

export async function createPlainForm(
  service: { readonly url: string },
  token: string,
  settings: object = {},
): Promise<string> {
  const { status, body } = await request(service, "POST", "/api/forms", {
    token,
    body: {
      name: `Form ${crypto.randomUUID()}`,
      // Nobody opens anything here, and a real pair takes a second to make.
      publicKey: { kty: "RSA", n: createModulus(), e: "AQAB" },
      settings: { encryption: false, ...settings },
    },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.form.id;
}

export function post(
  service: { readonly url: string },
  formId: string,
  submission: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return request(service, "POST", `/api/forms/${formId}/submissions`, {
    headers,
    body: { payload: { encrypted: false, version: "plain1", fields: { message: "hello" } }, ...submission },
  });
}

/** The ids of all submissions of a form, page by page as its owner reads them. */
export async function listAll(
  service: { readonly url: string },
  form: string,
  key: string,
): Promise<ReadonlySet<string>> {
  const listed = new Set<string>();
  let cursor = "";
  do {
    const path = `/api/forms/${form}/submissions?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const { status, body } = await request(service, "GET", path, { token: key });
    assert.equal(status, 200);
    for (const { id } of body.submissions) listed.add(id);
    cursor = body.nextCursor ?? "";
  } while (cursor !== "");
  return listed;
}
