import assert from "node:assert/strict";
import { createTestBrowser, type TestBrowser } from "../../oidc/testing/test-browser.ts";
import type { TestScope } from "../../testing/temporary-folder.ts";
import { createTestService } from "../../testing/test-service.ts";
import { createSoftwareAuthenticator, type Deviation, type SoftwareAuthenticator } from "./software-authenticator.ts";

export const password = "correct horse battery";
export const path = "/api/auth/passkeys";

/** A service with an owner, and a clock that follows the system's at a distance. */
export async function createPasskeyBench(t: TestScope, environment: Readonly<Record<string, string>> = {}) {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  const service = await createTestService(t, { clock, environment });
  const owner = await service.signUp("owner@example.com");
  return {
    ...{ service, owner, clock },
    setAhead(milliseconds: number): void {
      ahead = milliseconds;
    },
    openBrowser: (): TestBrowser => createTestBrowser(service),
    createAuthenticator: (): SoftwareAuthenticator => createSoftwareAuthenticator(service.url),
    /** A browser that is signed in with a password. */
    async signIn(email = "owner@example.com"): Promise<TestBrowser> {
      const browser = createTestBrowser(service);
      const { status, body } = await browser.post("/api/auth/sign-in/email", { email, password });
      assert.equal(status, 200, JSON.stringify(body));
      return browser;
    },
    async listActions(accountId: string): Promise<readonly string[]> {
      const rows = await service.database
        .selectFrom("audit_entry")
        .select("action")
        .where("account_id", "=", accountId)
        .execute();
      return rows.map(({ action }) => action).toSorted();
    },
  };
}

/** The status and the code of an answer. */
export function outcomeOf({ status, body }: Awaited<ReturnType<TestBrowser["post"]>>): string {
  return `${status} ${body?.code ?? ""}`.trim();
}

/** Adds a passkey in a signed-in browser. */
export async function add(browser: TestBrowser, authenticator: SoftwareAuthenticator, deviation?: Deviation) {
  const begun = await browser.post(`${path}/begin`);
  if (begun.status !== 200) return begun;
  return browser.post(path, authenticator.create(begun.body.publicKey, deviation));
}

/** Signs in, or confirms, with a passkey. */
export async function use(
  browser: TestBrowser,
  authenticator: SoftwareAuthenticator,
  deviation?: Deviation,
  purpose: "sign-in" | "confirm" = "sign-in",
) {
  const begun = await browser.post(`${path}/begin-${purpose}`);
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  return browser.post(`${path}/${purpose}`, authenticator.get(begun.body.publicKey, deviation));
}

export async function list(browser: TestBrowser) {
  return (await browser.post(path, {}, "GET")).body.passkeys;
}
