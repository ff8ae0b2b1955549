import assert from "node:assert/strict";
import { silentWebhooks } from "../../forms/testing/test-form.ts";
import type { TestScope } from "../../testing/temporary-folder.ts";
import { createTestService } from "../../testing/test-service.ts";
import { createTestBrowser, type TestBrowser } from "./test-browser.ts";
import { startTestProvider } from "./test-provider.ts";

export const password = "correct horse battery";

/** A service with an owner, its identity provider, and a clock that follows the system's at a distance. */
export async function createSignInBench(t: TestScope, environment: Readonly<Record<string, string>> = {}) {
  const provider = await startTestProvider(t);
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  const service = await createTestService(t, {
    clock,
    deliveries: silentWebhooks,
    environment: { ...provider.environment, ...environment },
  });
  await provider.admit(service.url);
  const owner = await service.signUp("owner@example.com");
  return {
    ...{ provider, service, owner, clock },
    setAhead(milliseconds: number): void {
      ahead = milliseconds;
    },
    openBrowser: (): TestBrowser => createTestBrowser(service),
    /** A browser that is signed in with a password. */
    async openOwnersBrowser(email = "owner@example.com"): Promise<TestBrowser> {
      const browser = createTestBrowser(service);
      const { status } = await browser.post("/api/auth/sign-in/email", { email, password });
      assert.equal(status, 200);
      return browser;
    },
    /** A sign-in in a new browser: the refusal's code, or the path of the page at the end. */
    async signIn(body: object = {}): Promise<string> {
      return outcomeOf(await createTestBrowser(service).signIn(body));
    },
    /** In the order of their names. */
    async listActions(accountId: string): Promise<readonly string[]> {
      const rows = await service.database
        .selectFrom("audit_entry")
        .select("action")
        .where("account_id", "=", accountId)
        .execute();
      return rows.map(({ action }) => action).toSorted();
    },
    async countAccounts(): Promise<number> {
      return (await service.database.selectFrom("person").select("id").execute()).length;
    },
  };
}

export type SignInBench = Awaited<ReturnType<typeof createSignInBench>>;

/** The message of the page at the end. */
export function outcomeOf(end: URL): string {
  return end.searchParams.get("oidc") ?? end.searchParams.get("step") ?? end.pathname;
}

/** The address of the person who is signed in. */
export async function whoIs(browser: TestBrowser): Promise<string | undefined> {
  const { body } = await browser.post("/api/auth/get-session", {}, "GET");
  return body?.user.email;
}
