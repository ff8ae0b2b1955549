import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import type { CompiledQuery, QueryResult } from "kysely";
import { administerAccountLife } from "../account-life/account-life-administration.ts";
import { parseConfig } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { createSignInBench, outcomeOf } from "../oidc/testing/sign-in-bench.ts";
import { createInstanceInvitationStore } from "../operators/instance-invitation-store.ts";
import { createInstanceInvitations } from "../operators/instance-invitations.ts";
import { createTestDatabase } from "../testing/test-database.ts";
import { createAccountAdministration } from "./account-administration.ts";
import { completeMove, createToken, saveMove } from "./address-move-store.ts";

const [email, movedTo] = ["owner@example.com", "thief@example.com"];
const password = "correct horse battery";

async function create(t: TestContext) {
  const bench = await createSignInBench(t);
  const { service, owner } = bench;
  const { database } = service;
  const config = parseConfig({
    SEALPOST_DATA: service.folder,
    ...(await createTestDatabase(t, service.folder)),
    ...bench.provider.environment,
  });
  const helper = await service.signUp("helper@example.com");
  return {
    ...{ ...bench, config, helper, people: () => database.selectFrom("person").select("email").execute() },
    /** The thief's, in the owner's account. Returns the token that undoes it. */
    moveAway: () =>
      database.transaction().execute(async (transaction) => {
        const move = { personId: owner.id as AccountId, oldEmail: email, newEmail: movedTo }; // the service made it
        await saveMove(transaction, { ...move, oldToken: "old", newToken: "new" }, Date.now());
        return completeMove(transaction, move, Date.now());
      }),
  };
}
type Scene = Awaited<ReturnType<typeof create>>;

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: Error) => error.message,
  );

interface Caller {
  /** The file that asks whether the address is reserved. */
  readonly file: string;
  /** It asks outside of a transaction as well. */
  readonly asksBefore?: true;
  take(scene: Scene): Promise<string>;
  readonly refusal: RegExp;
}

/** Everything that gives an address to an account, or promises it to one. */
const callers: Readonly<Record<string, Caller>> = {
  "a sign-up": {
    file: "accounts/account-routes.ts",
    asksBefore: true,
    async take({ service }) {
      const body = { name: "Thief", email, password };
      const { status, body: answer } = await service.request("POST", "/api/auth/sign-up/email", { body });
      return `${status} ${answer.code}`;
    },
    refusal: /^409 /,
  },
  "a person of the identity provider": {
    file: "oidc/admit-person.ts",
    asksBefore: true,
    async take({ provider, openBrowser }) {
      provider.person = { sub: "thief", email, email_verified: true };
      return outcomeOf(await openBrowser().signIn());
    },
    refusal: /^email_taken$/,
  },
  "the operator's command that makes an account": {
    file: "accounts/account-administration.ts",
    asksBefore: true,
    async take({ service, config }) {
      const accounts = await createAccountAdministration(service.database, config);
      return messageOf(accounts.create({ email, name: "Thief", password, plan: "free" }));
    },
    refusal: /another account's address|is an account for/,
  },
  "the operator's command that moves an account": {
    file: "account-life/account-life-administration.ts",
    take: ({ config }) =>
      messageOf(administerAccountLife(config, (accounts) => accounts.move("helper@example.com", email))),
    refusal: /There is an account for owner@example\.com already/,
  },
  "an operator's invitation": {
    file: "operators/instance-invitations.ts",
    take: ({ service: { database }, clock, owner }) =>
      messageOf(
        createInstanceInvitations({
          ...{ database, clock, addInvitationMail: undefined },
          instanceInvitations: createInstanceInvitationStore(database),
        }).create({ type: "operator", personId: owner.id as AccountId }, email), // as above
      ),
    refusal: /An account was moved away from this address|There is an account/,
  },
  "another account's move": {
    file: "accounts/address-moves.ts",
    async take({ service, helper }) {
      const [oldToken, newToken] = [createToken("old"), createToken("new")];
      const move = { personId: helper.id as AccountId, oldEmail: "helper@example.com", newEmail: email }; // as above
      await service.database
        .transaction()
        .execute((transaction) => saveMove(transaction, { ...move, oldToken, newToken }, Date.now()));
      const headers = { origin: service.url, cookie: helper.cookie };
      const confirm = (token: string) =>
        service.request("POST", "/api/auth/address/confirm", { headers, body: { token } });
      assert.deepEqual((await confirm(oldToken)).body, { status: "waiting" });
      const { status, body } = await confirm(newToken);
      return `${status} ${body.message}`;
    },
    refusal: /^409 There is an account/,
  },
};

test("every file that asks whether an address is reserved is among the callers", () => {
  const folder = join(import.meta.dirname, "..");
  const asking = globSync("**/*.ts", { cwd: folder })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !file.endsWith(".test.ts") && file !== "accounts/address-move-store.ts")
    .filter((file) => /\bisAddress(Reserved|Taken)\(/.test(readFileSync(join(folder, file), "utf8")));
  assert.deepEqual(
    asking.toSorted(),
    Object.values(callers)
      .map(({ file }) => file)
      .toSorted(),
  );
});

async function undo({ service }: Scene, token: string): Promise<void> {
  const undone = await service.request("POST", "/api/auth/address/refuse", { body: { token } });
  assert.deepEqual([undone.status, undone.body], [200, { status: "undone" }]);
}

/** Does this once, right after somebody has looked whether an address is reserved. */
function afterLook(database: Database, then: () => Promise<unknown>): void {
  const executor = database.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  executor.executeQuery = async <Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> => {
    const result = await execute(query);
    if (/from "address_move" where "old_email"/.test(query.sql)) {
      executor.executeQuery = execute;
      await then();
    }
    return result;
  };
}

for (const [name, { take, refusal, asksBefore }] of Object.entries(callers)) {
  test(`${name} gets no address that another account can take back, and the move is undone`, async (t) => {
    const scene = await create(t);
    assert.doesNotMatch(await take(scene), /^done$/, "a control: it has an account");
    const token = await scene.moveAway();
    assert.match(await take(scene), refusal);
    assert.deepEqual((await scene.people()).map((row) => row.email).toSorted(), ["helper@example.com", movedTo]);
    await undo(scene, token);
    assert.deepEqual((await scene.people()).map((row) => row.email).toSorted(), ["helper@example.com", email]);
  });
  if (asksBefore)
    test(`${name} that looked just before the owner's account was moved away leaves the address to the owner`, async (t) => {
      const scene = await create(t);
      const { database } = scene.service;
      let token = "";
      // As nobody has the address yet when it is looked at.
      const isOwners = name === "a sign-up";
      if (!isOwners) await database.updateTable("person").set({ email: movedTo }).where("email", "=", email).execute();
      afterLook(database, async () => {
        token = await scene.moveAway();
      });
      assert.match(await take(scene), refusal);
      assert.notEqual(token, "", "a control: the move came in between");
      assert.deepEqual((await scene.people()).map((row) => row.email).toSorted(), ["helper@example.com", movedTo]);
      await undo(scene, token);
      assert.deepEqual((await scene.people()).map((row) => row.email).toSorted(), ["helper@example.com", email]);
    });
}
