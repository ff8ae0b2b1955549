import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createId } from "@sealpost/wire";
import type { AuditAction } from "../audit-log/audit-entry.ts";
import type { Tables } from "../database/schema.ts";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import { createInstanceInvitationStore } from "../operators/instance-invitation-store.ts";
import { createStatementCuts } from "../testing/cut-statements.ts";
import { type Answer, createTestService, type TestAccount } from "../testing/test-service.ts";
import type { passedThrough } from "./passed-through.ts";
import { showCode } from "./testing/authenticator.ts";

type Writing = Extract<(typeof passedThrough)[number], readonly ["POST", ...unknown[]]>[1];
/** Actions of a person through the sign-in library, and those of our own that ask it for the password. */
type Action =
  | Writing
  | "/freshen-session"
  | "/two-factor/keep-backup-codes"
  | "/sign-up/email"
  | "/reset-password"
  | "/two-factor/verify-totp to turn it on"
  | "/sign-up/email by an invitation";

const password = "correct horse battery";
const newPassword = "another horse battery";

/** All that lets somebody in, and what tells of it. What is noted of a try before the library is asked may stay. */
const watched: Partial<Record<keyof Tables, readonly string[]>> = {
  person: ["id", "email", "second_factor_enabled", "email_verified", "verification"],
  organization: ["id", "plan"],
  credential: ["person_id", "password"],
  session: ["id", "authenticated_at", "second_factor", "passkey_id"],
  api_key: ["id"],
  identity: ["id"],
  passkey: ["id"],
  invitation: ["id", "ended_at"],
  instance_invitation: ["id", "ended_at"],
  verification: ["id", "identifier", "value"],
  second_factor: ["secret", "backup_codes", "verified", "enabled_at"],
  audit_entry: ["id", "action"],
};

test("an action through the sign-in library that loses the database before any of it lasts has not happened, and works when it is tried again", async (t) => {
  const bench = await createBench(t);
  for (const [action, { prepare, tells, ends: ended = [] }] of Object.entries(createActions(bench))) {
    const ask = await prepare();
    for (let index = 0, isDone = false; !isDone; index++) {
      const before = await bench.read();
      const { status, body } = await ask(index);
      isDone = status === 200;
      const what = `${action}, cut at ${index}: ${status} ${body}`;
      const after = await bench.read();
      if (!isDone) {
        assert.equal(status, 503, what);
        assert.deepEqual(after, before, what);
        continue;
      }
      if (tells !== undefined) assert.equal(countOf(after, tells), countOf(before, tells) + 1, what);
      for (const table of ended) assert.notDeepEqual(after[table], before[table], `${what}, ${table}`);
      assert.ok(index >= 1, what);
    }
  }
});

function countOf({ audit_entry: entries = [] }: Read, action: AuditAction): number {
  return entries.filter((entry) => JSON.parse(entry).action === action).length;
}

type Bench = Awaited<ReturnType<typeof createBench>>;
type Read = Partial<Record<keyof Tables, readonly string[]>>;

interface Prepared {
  /** Gives what asks for it, again and again, and loses the database where something would last. */
  readonly prepare: () => Promise<(cutAt: number) => Promise<{ readonly status: number; readonly body: string }>>;
  readonly tells?: AuditAction;
  /** The tables in which something old ends. */
  readonly ends?: readonly (keyof Tables)[];
}

function createActions(bench: Bench): Record<Action, Prepared> {
  const { database, signUp, own, ask, askCut, askForLink, turnOn, challenge, invite } = bench;
  const all = ["credential", "session", "api_key", "identity", "invitation"] as const;
  return {
    "/change-password": {
      async prepare() {
        const { account } = await own();
        return (index) => askCut(index, "/change-password", { currentPassword: password, newPassword }, account.cookie);
      },
      tells: "password.changed",
      ends: all,
    },
    "/reset-password": {
      async prepare() {
        const { email } = await own();
        const token = await askForLink(email);
        return (index) => askCut(index, "/reset-password", { token, newPassword });
      },
      tells: "password.reset_by_mail",
      ends: [...all, "verification"],
    },
    "/sign-up/email": {
      prepare: async () => (index) =>
        askCut(index, "/sign-up/email", { email: "new@example.com", name: "New", password }),
      tells: "account.created",
    },
    "/sign-up/email by an invitation": {
      async prepare() {
        const invitation = await invite("invited@example.com");
        const body = { email: "invited@example.com", name: "Invited", password, invitation };
        return (index) => askCut(index, "/sign-up/email", body);
      },
      tells: "account.invitation_accepted",
      ends: ["instance_invitation"],
    },
    "/sign-in/email": {
      async prepare() {
        const { email } = await signUp();
        return (index) => askCut(index, "/sign-in/email", { email, password });
      },
      tells: "session.started",
    },
    "/sign-out": {
      async prepare() {
        const { account } = await signUp();
        return (index) => askCut(index, "/sign-out", {}, account.cookie);
      },
      tells: "session.ended",
      ends: ["session"],
    },
    "/revoke-session": {
      async prepare() {
        const { account, email } = await signUp();
        const { token } = (await ask("/sign-in/email", { email, password })).body;
        return (index) => askCut(index, "/revoke-session", { token }, account.cookie);
      },
      tells: "session.revoked",
      ends: ["session"],
    },
    "/revoke-other-sessions": {
      async prepare() {
        const { account, email } = await signUp();
        await ask("/sign-in/email", { email, password });
        return (index) => askCut(index, "/revoke-other-sessions", {}, account.cookie);
      },
      tells: "session.others_revoked",
      ends: ["session"],
    },
    "/freshen-session": {
      async prepare() {
        const { account } = await signUp();
        await database
          .updateTable("session")
          .set({ authenticated_at: 1 })
          .where("person_id", "=", account.id)
          .execute();
        return (index) => askCut(index, "/freshen-session", { password }, account.cookie);
      },
      tells: "session.confirmed",
      ends: ["session"],
    },
    "/two-factor/enable": {
      async prepare() {
        const { account } = await signUp();
        return (index) => askCut(index, "/two-factor/enable", { password }, account.cookie);
      },
      tells: "second_factor.begun",
    },
    "/two-factor/verify-totp to turn it on": {
      async prepare() {
        const { account } = await own();
        const { totpURI } = (await ask("/two-factor/enable", { password }, account.cookie)).body;
        return (index) => askCut(index, "/two-factor/verify-totp", { code: showCode(totpURI) }, account.cookie);
      },
      tells: "second_factor.enabled",
      ends: ["session", "invitation"],
    },
    "/two-factor/verify-totp": {
      async prepare() {
        const { uri, cookie } = await challenge();
        return (index) => askCut(index, "/two-factor/verify-totp", { code: showCode(uri) }, cookie);
      },
      tells: "session.started",
      ends: ["verification"],
    },
    "/two-factor/verify-backup-code": {
      async prepare() {
        const { code, cookie } = await challenge();
        return (index) => askCut(index, "/two-factor/verify-backup-code", { code }, cookie);
      },
      tells: "second_factor.backup_code_used",
      ends: ["second_factor", "verification"],
    },
    "/two-factor/generate-backup-codes": {
      async prepare() {
        const { uri, cookie } = await turnOn();
        return (index) => askCut(index, "/two-factor/generate-backup-codes", { password, code: showCode(uri) }, cookie);
      },
    },
    "/two-factor/keep-backup-codes": {
      async prepare() {
        const { uri, cookie } = await turnOn();
        const code = showCode(uri, Date.now() + 30_000);
        const made = await ask("/two-factor/generate-backup-codes", { password, code }, cookie);
        const { proposal } = made.body;
        return (index) => askCut(index, "/two-factor/keep-backup-codes", { proposal }, cookie);
      },
      tells: "second_factor.backup_codes_replaced",
      ends: ["second_factor"],
    },
    "/two-factor/disable": {
      async prepare() {
        const { uri, cookie } = await turnOn();
        return (index) => askCut(index, "/two-factor/disable", { password, code: showCode(uri) }, cookie);
      },
      tells: "second_factor.disabled",
      ends: ["second_factor"],
    },
  };
}

async function createBench(t: TestContext) {
  const cuts = createStatementCuts(t);
  const smtp = await startSmtpServer(t);
  const service = await createTestService(t, {
    environment: {
      SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
      SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
    },
  });
  const { database } = service;
  let accounts = 0;

  const ownOf = (cookie: string | undefined) => ({ origin: service.url, ...(cookie !== undefined && { cookie }) });

  function ask(path: Action, body: object, cookie?: string): Promise<Answer> {
    return service.request("POST", `/api/auth${path}`, { body, headers: ownOf(cookie) });
  }

  /** Within this process, so that only the request's own statements are cut. */
  async function askCut(cutAt: number, path: Action, body: object, cookie?: string) {
    // A used code stays used, and a try counts: who tries again waits for the next one.
    await database.deleteFrom("verification").whereRef("id", "=", "identifier").execute();
    await database.updateTable("second_factor").set({ failed_verifications: 0, locked_until: null }).execute();
    const headers = { ...ownOf(cookie), "content-type": "application/json" };
    const payload = JSON.stringify(body);
    const asked = { method: "POST", url: `/api/auth${path}`, headers, payload } as const;
    const answer = await cuts.during(cutAt, async () => await service.app.inject(asked));
    return { status: answer.statusCode, body: answer.body };
  }

  async function signUp(): Promise<{ readonly account: TestAccount; readonly email: string }> {
    const email = `owner-${++accounts}@example.com`;
    const account = await service.signUp(email);
    await database.updateTable("person").set({ verification: "trusted" }).where("id", "=", account.id).execute();
    return { account, email };
  }

  /** With whatever a thief of the password may have made. */
  async function own() {
    const { account, email } = await signUp();
    const now = Date.now();
    const made = [
      await account.request("POST", "/api/api-keys", { name: "Thief's" }),
      await account.request("POST", "/api/invitations", { email: `thief-${accounts}@example.com`, role: "owner" }),
    ];
    assert.deepEqual(
      made.map(({ status }) => status),
      [200, 200],
      JSON.stringify(made),
    );
    await database
      .insertInto("identity")
      .values({
        ...{ id: createId("account", now), person_id: account.id, issuer: "https://id.example", used_at: null },
        ...{ subject: account.id, name: "Thief", admitted_by: "link", linked_at: now },
      })
      .execute();
    return { account, email };
  }

  function findCookie({ headers }: Answer, name: string): string {
    const lines = headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
    return lines.find((line) => line.startsWith(`sealpost_${name}=`)) ?? assert.fail(JSON.stringify(lines));
  }

  async function turnOn() {
    const { account, email } = await signUp();
    const { totpURI: uri, backupCodes } = (await ask("/two-factor/enable", { password }, account.cookie)).body;
    const done = await ask("/two-factor/verify-totp", { code: showCode(uri) }, account.cookie);
    assert.equal(done.status, 200, JSON.stringify(done.body));
    return { uri: String(uri), code: String(backupCodes[0]), email, cookie: findCookie(done, "session") };
  }

  async function challenge() {
    const { uri, code, email } = await turnOn();
    return { uri, code, cookie: findCookie(await ask("/sign-in/email", { email, password }), "second_factor") };
  }

  /** To the instance. */
  async function invite(email: string): Promise<string> {
    const store = createInstanceInvitationStore(database);
    const { token } = await database
      .transaction()
      .execute((transaction) =>
        store.create(transaction, { email, invitedBy: undefined, isMailed: false }, Date.now()),
      );
    return token;
  }

  async function askForLink(email: string): Promise<string> {
    assert.equal((await service.request("POST", "/api/auth/request-password-reset", { body: { email } })).status, 200);
    for (;;) {
      const mail = await smtp.next();
      const token = /\/reset-password#(\w+)$/m.exec(mail.text)?.[1];
      if (token !== undefined && mail.to.includes(email)) return token;
    }
  }

  /** The rows of the tables, each as JSON. */
  async function read(): Promise<Read> {
    const found: Read = {};
    for (const [table, columns] of Object.entries(watched) as [keyof Tables, readonly string[]][]) {
      const rows = await database
        .selectFrom(table)
        .select(columns as never[]) // the table's, as the test fails otherwise
        .execute();
      const kept = rows.filter((row: { id?: string; identifier?: string }) => row.id !== row.identifier);
      found[table] = (table === "verification" ? kept : rows).map((row) => JSON.stringify(row)).toSorted();
    }
    return found;
  }

  return { database, ask, askCut, signUp, own, turnOn, challenge, invite, askForLink, read };
}
