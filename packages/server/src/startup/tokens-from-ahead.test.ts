import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { type AccountId, createId } from "@sealpost/wire";
import { createAccountStateStore } from "../accounts/account-state-store.ts";
import { createAccountStore } from "../accounts/account-store.ts";
import { createBackupCodes } from "../accounts/backup-code-store.ts";
import { createKnownBrowsers } from "../authentication/known-browsers.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { createSealedCookie } from "../http/sealed-cookie.ts";
import { createSingleRing } from "../instance/key-ring.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { createMailSwitchStore } from "../mail/mail-switch-store.ts";
import { createFakeClock, type FakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds as day } from "../time/clock.ts";

interface Scene {
  readonly service: TestService;
  readonly clock: FakeClock;
  readonly ownerId: AccountId;
  /** The owner's API key, which lasts. */
  readonly key: string;
  readonly formId: Awaited<ReturnType<typeof createForm>>;
}

const secretBox = createSecretBox(createSingleRing(randomBytes(32)));

/** Everything that is given out with a time in it, or in its row: `take` gives one, and says later whether it still works. */
const given: Readonly<Record<string, (scene: Scene) => Promise<() => Promise<boolean>>>> = {
  async "the cookie of a session"({ service }) {
    const { cookie } = await service.signUp();
    const headers = { cookie, origin: service.url };
    return async () => (await service.request("GET", "/api/forms", { headers })).status === 200;
  },
  async "the token of a session"({ service }) {
    const { token } = await service.signUp();
    return async () => (await service.request("GET", "/api/forms", { token })).status === 200;
  },
  async "the cookie of a known browser"({ service, clock }) {
    const { findPasswordAccount } = createAccountStore(service.database);
    const { find, remember } = createKnownBrowsers({ secretBox, findPasswordAccount, isHttps: false, clock });
    const cookie = await remember(undefined, "owner@example.com");
    return async () => (await find(cookie?.split(";")[0], "owner@example.com")) !== undefined;
  },
  async "a cookie of a ceremony, or of the way to an identity provider"({ clock }) {
    const [sameSite, lifetimeMilliseconds] = ["Lax", 900_000] as const;
    const cookies = createSealedCookie<{ readonly startedAt: number }>(secretBox.sealer("oidc-flow"), {
      ...{ name: "flow", sameSite, lifetimeMilliseconds, isHttps: false },
    });
    const [cookie = ""] = cookies.set({ startedAt: clock.now() }).split(";");
    return async () => cookies.find(cookie, clock.now()) !== undefined;
  },
  async "a proposal of backup codes"({ service, clock, ownerId }) {
    const { database } = service;
    const row = { id: "factor", person_id: ownerId, secret: "", backup_codes: "new", verified: null };
    await database
      .insertInto("second_factor")
      .values(row as never)
      .execute(); // the rest has defaults
    // That of the sign-up, which is as old as the service.
    const accounts = { findBySession: async () => ({}) as never };
    const codes = createBackupCodes({
      ...{ accounts, secretBox, database, clock },
      sendSecurityMail: async () => {},
    });
    const proposal = await codes.propose(ownerId, "old");
    return async () => {
      await database.updateTable("second_factor").set({ backup_codes: "old" }).execute();
      const keeping = codes.keep({ id: "session", accountId: ownerId }, proposal);
      return keeping.then(
        () => true,
        () => false,
      );
    };
  },
  async "the link that verifies an address"({ service, clock, ownerId }) {
    const { createVerification, useVerification } = createAccountStateStore(service.database);
    const token = await service.database
      .transaction()
      .execute((transaction) => createVerification(transaction, ownerId, clock.now()));
    // Asked for by another, it is not used up.
    const other = createId("account") as AccountId;
    return async () =>
      (await service.database
        .transaction()
        .execute((transaction) => useVerification(transaction, token, other, clock.now()))) === "other";
  },
  async "the link that ends notices"({ service, clock, ownerId: accountId, formId }) {
    const { findLink } = createMailSwitchStore(service.database);
    const link = { accountId, personId: accountId, formId, sentAt: clock.now() };
    return async () => (await findLink(link, clock.now())).state === "open";
  },
};

for (const [name, take] of Object.entries(given))
  test(`${name}, given while the clock is a year ahead for ten minutes, works no longer than one that was given by a right clock`, async (t) => {
    const clock = createFakeClock(Date.now());
    const service = await createTestService(t, { clock });
    const owner = await service.signUp("owner@example.com");
    const formId = await createForm(owner);
    const permissions = ["forms:read", "forms:write"];
    const { key } = (await owner.request("POST", "/api/api-keys", { name: "Key", permissions })).body.key;
    const ownerId = owner.id as AccountId; // as the service answered it
    clock.jump(365 * day);
    const works = await take({ service, clock, ownerId, key, formId });
    assert.equal(await works(), true, "while the clock is ahead");
    clock.advance(600_000);
    clock.jump(-365 * day);
    assert.equal(await works(), false, "once it is right");
    clock.advance(120 * day);
    assert.equal(await works(), false, "later");
  });

test("links that end notices work after emails were switched on while the clock was ahead", async (t) => {
  const clock = createFakeClock(Date.now());
  const { database, signUp } = await createTestService(t, { clock });
  const owner = await signUp();
  const accountId = owner.id as AccountId; // as the service answered it
  const { findLink, setAccountWanted } = createMailSwitchStore(database);
  const by = { accountId, actor: { type: "nobody" } } as const;
  await setAccountWanted({ ...by, occurredAt: clock.now() }, false);
  await setAccountWanted({ ...by, occurredAt: clock.now() + 365 * day }, true);
  const link = { accountId, personId: accountId, formId: undefined, sentAt: clock.now() };
  assert.equal((await findLink(link, clock.now())).state, "open");
});
