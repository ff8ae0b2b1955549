/**
 * The guide to Keycloak (docs/sign-in.md), followed step by step on a real one: `SEALPOST_KEYCLOAK=FOLDER npm run
 * test:keycloak`, where FOLDER is an unpacked distribution (https://www.keycloak.org/downloads).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { parseConfig } from "../../packages/server/src/config/config.ts";
import { checkIdentityProvider } from "../../packages/server/src/doctor/check-identity-provider.ts";
import { findFreePort } from "../../packages/server/src/testing/postgres-server.ts";
import { systemClock } from "../../packages/server/src/time/clock.ts";
import { type Dashboard, person, startDashboard } from "../dashboard/dashboard.ts";
import { type Keycloak, startKeycloak } from "./keycloak.ts";

const folder = process.env.SEALPOST_KEYCLOAK;
const skip = folder === undefined && "SEALPOST_KEYCLOAK names no folder of an unpacked Keycloak";
const member = { username: "grace", email: "grace@example.com", password: "a long password of the house" };

let keycloak: Keycloak;
let dashboard: Dashboard;
let memberId: string;
let groupId: string;
let environment: Record<string, string>;

before(async () => {
  if (folder === undefined) return;
  keycloak = await startKeycloak(folder);
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const secret = await followGuide(origin);
  environment = {
    SEALPOST_PORT: `${port}`,
    SEALPOST_BASE_URL: origin,
    SEALPOST_SIGNUP: "first",
    SEALPOST_OIDC_ISSUER: `${keycloak.origin}/realms/house`,
    SEALPOST_OIDC_CLIENT_ID: "sealpost",
    SEALPOST_OIDC_CLIENT_SECRET: secret,
    SEALPOST_OIDC_NAME: "the house",
    SEALPOST_OIDC_ALLOWED_GROUPS: "council",
    SEALPOST_OIDC_SIGN_OUT: "on",
  };
  dashboard = await startDashboard({ environment });
  await dashboard.service.signUp(person.email);
});
after(async () => {
  await dashboard?.close();
  await keycloak?.stop();
});

/** The steps of "Keycloak" in docs/sign-in.md, by its admin API. The client's secret. */
async function followGuide(origin: string): Promise<string> {
  const realm = "/realms/house";
  await keycloak.admin("POST", "/realms", { realm: "house", enabled: true });
  const client: string = await keycloak.admin("POST", `${realm}/clients`, {
    ...{ clientId: "sealpost", protocol: "openid-connect", publicClient: false },
    ...{ standardFlowEnabled: true, directAccessGrantsEnabled: false, serviceAccountsEnabled: false },
    redirectUris: [`${origin}/api/auth/oidc/callback`],
    attributes: { "post.logout.redirect.uris": `${origin}/sign-in` },
  });
  await keycloak.admin("POST", `${realm}/clients/${client}/protocol-mappers/models`, {
    ...{ name: "groups", protocol: "openid-connect", protocolMapper: "oidc-group-membership-mapper" },
    config: { "claim.name": "groups", "full.path": "false", "id.token.claim": "true" },
  });
  groupId = await keycloak.admin("POST", `${realm}/groups`, { name: "council" });
  memberId = await keycloak.admin("POST", `${realm}/users`, {
    ...{ username: member.username, email: member.email, emailVerified: true, enabled: true },
    ...{ firstName: "Grace", lastName: "Example", groups: ["/council"] },
    credentials: [{ type: "password", value: member.password, temporary: false }],
  });
  const { value } = await keycloak.admin("GET", `${realm}/clients/${client}/client-secret`);
  return value;
}

/** On Keycloak's own page. */
async function enterPassword(page: Page): Promise<void> {
  await page.locator("#password").waitFor();
  // Who is asked again is known there.
  const username = page.locator("#username");
  if ((await username.count()) > 0) await username.fill(member.username);
  await page.locator("#password").fill(member.password);
  await page.locator("#kc-login").click();
}

const button = (page: Page) => page.getByRole("button", { name: "Sign in with the house" });

test("doctor finds nothing wrong", { skip }, async () => {
  const findings = await checkIdentityProvider(parseConfig(environment), systemClock);
  assert.deepEqual(
    findings.filter(({ level }) => level === "problem"),
    [],
  );
});

test("a member of the group comes in, confirms there, signs out there, and stays out once removed from the group", {
  skip,
}, async () => {
  const page = await dashboard.open("/sign-in");
  await button(page).click();
  await enterPassword(page);
  await page.getByRole("heading", { name: "Forms", exact: true }).waitFor();
  const row = await dashboard.service.database
    .selectFrom("person")
    .select(["id", "name", "email", "verification"])
    .where("email", "=", member.email)
    .executeTakeFirstOrThrow();
  assert.equal(row.name, "Grace Example");
  assert.notEqual(row.verification, "needed", "Keycloak vouches for the address");

  // Keycloak says when the password was entered, and so makes a session fresh.
  await dashboard.service.database
    .updateTable("session")
    .set({ authenticated_at: Date.now() - 7_200_000 })
    .where("person_id", "=", row.id)
    .execute();
  await page.goto("/api-keys");
  await page.getByRole("button", { name: "New API key" }).first().click();
  await page.getByLabel("Name").fill("A program");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("button", { name: "Confirm with the house instead" }).click();
  await enterPassword(page);
  await page.waitForURL("**/api-keys");
  const { authenticated_at } = await dashboard.service.database
    .selectFrom("session")
    .select("authenticated_at")
    .where("person_id", "=", row.id)
    .executeTakeFirstOrThrow();
  assert.ok(Date.now() - Number(authenticated_at) < 3_600_000, "the session is fresh again");

  await page.goto("/account");
  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(`${keycloak.origin}/**`);
  await page.locator("#kc-logout").click();
  await page.waitForURL("**/sign-in");

  await keycloak.admin("DELETE", `/realms/house/users/${memberId}/groups/${groupId}`);
  await button(page).click();
  await enterPassword(page);
  // Keycloak sends no claim, or an empty one, for somebody in no group.
  await page.getByRole("alert").filter({ hasText: /group/ }).waitFor();
  await page.context().close();
});
