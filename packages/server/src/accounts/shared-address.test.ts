import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService, type TestServiceOptions } from "../testing/test-service.ts";
import { hourMilliseconds } from "../time/clock.ts";
import { passedThrough } from "./passed-through.ts";

const [email, password] = ["owner@example.com", "correct horse battery"];
const signInRate = 10;

/** An owner whose browser is known, on the network of somebody who guesses passwords of others. */
async function start(t: TestScope, options: TestServiceOptions = {}) {
  const smtp = await startSmtpServer(t);
  const service = await createTestService(t, {
    signInRate,
    ...options,
    environment: {
      SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
      SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
      SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32,::1/128",
    },
  });
  const body = { email, password, setupToken: service.setupToken };
  const cookies = (await service.request("POST", "/api/auth/sign-up/email", { body })).headers.getSetCookie();
  const [session = "", browser = ""] = ["sealpost_session", "sealpost_browser_"].map((name) =>
    cookies
      .find((cookie) => cookie.startsWith(name))
      ?.split(";")
      .at(0),
  );
  const post = (path: string, given: object, cookie = "", from = "203.0.113.1") =>
    service.request("POST", path, {
      body: given,
      headers: { "x-forwarded-for": from, ...(cookie && { cookie, origin: service.url }) },
    });
  const useUp = async () => {
    for (let number = 0; number <= signInRate; number++)
      await post("/api/auth/sign-in/email", { email: `nobody-${number}@example.com`, password: "guess number nine" });
  };
  return { service, smtp, post, session, browser, useUp };
}

/** Requests of an owner that count with the sign-ins of the client's address. */
const bodies: Readonly<Record<string, object>> = {
  "/api/auth/request-password-reset": { email },
  "/api/auth/freshen-session": { password },
  "/api/auth/change-password": { currentPassword: "guess number nine", newPassword: "another horse battery" },
  "/api/auth/two-factor/enable": { password },
  "/api/auth/two-factor/generate-backup-codes": { password, code: "000000" },
  "/api/auth/two-factor/disable": { password, code: "000000" },
  // Last: it ends the session that the browser had.
  "/api/auth/sign-in/email": { email, password },
};
const untried: Readonly<Record<string, string>> = {
  "/api/auth/sign-up/email": "a new person has no known browser",
  "/api/auth/oidc/${purpose}": "needs a provider; within a session, as the others",
};

test("every route that counts with sign-ins is one that the next test tries, or has a reason", () => {
  const folder = join(import.meta.dirname, "..");
  const written = globSync("**/*-routes.ts", { cwd: folder }).flatMap((path) =>
    [
      ...readFileSync(join(folder, path), "utf8").matchAll(
        /url: ["`]([^"`]+)["`],\s+(?:\/\/.*\s+)?config: \{[^}]*rate: "sign_in"/g,
      ),
    ].map(([, url = ""]) => url),
  );
  const passed = passedThrough.flatMap(([, path, rate]) => (rate === "sign_in" ? [`/api/auth${path}`] : []));
  assert.deepEqual([...written, ...passed].toSorted(), [...Object.keys(bodies), ...Object.keys(untried)].toSorted());
});

test("a flood of sign-ins from the owner's own address keeps the owner's known browser from nothing", async (t) => {
  const { post, session, browser, useUp } = await start(t);
  await useUp();
  for (const [path, body] of Object.entries(bodies)) {
    const { status } = await post(path, body, `${session}; ${browser}`);
    assert.ok(status !== 404 && status !== 429, `${path}: ${status}`);
    // Control: a session alone is no proof, or a thief would guess passwords with it from an address that had its share.
    assert.equal((await post(path, body, session)).status, 429, path);
  }
});

test("a known browser counts for itself where the address has had its sign-ins, within a session too", async (t) => {
  const { post, session, browser, useUp } = await start(t);
  await useUp();
  const guess = { password: "guess number nine" };
  for (let number = 0; number < signInRate; number++)
    assert.equal((await post("/api/auth/freshen-session", guess, `${session}; ${browser}`)).status, 400);
  assert.equal((await post("/api/auth/freshen-session", guess, `${session}; ${browser}`)).status, 429);
});

test("a flood of sign-ins from somebody's own address keeps them from using no link that they were sent", async (t) => {
  const { post, useUp } = await start(t);
  await useUp();
  const token = "never-was";
  const links = {
    "/api/auth/address/refuse": { token },
    "/api/auth/reset-password": { token, newPassword: "another horse battery" },
    "/api/invitations/find": { token },
  };
  for (const [path, body] of Object.entries(links))
    assert.match(String((await post(path, body)).status), /^40[04]$/, path);
});

test("strangers who ask for links to set a password leave those of a known browser", async (t) => {
  const clock = createFakeClock(Date.now());
  const { post, smtp, browser } = await start(t, { clock, signInRate: 1000 });
  let asked = 0;
  const ask = (cookie?: string) => post("/api/auth/request-password-reset", { email }, cookie, `198.51.100.${++asked}`);
  // All that strangers get: three an hour, ten a day.
  for (const due of [3, 3, 3, 1]) {
    for (let number = 0; number < due; number++) {
      assert.equal((await ask()).status, 200);
      await smtp.next();
    }
    clock.advance(hourMilliseconds);
  }
  assert.equal((await ask()).status, 200);
  for (let number = 0; number < 3; number++) {
    await ask(browser);
    assert.equal((await smtp.next()).headers.get("subject"), "Set a new password");
  }
  assert.equal(smtp.emails.length, 13, "none for the stranger who asked once more");
});
