import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../config/config.ts";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestDatabase } from "../testing/test-database.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { administer } from "./administer.ts";

const [email, thiefsEmail] = ["victim@example.com", "thief@example.com"];

/** Somebody with an open session of an account asks for a move, before the owner has verified the address. */
async function start(t: TestScope) {
  const smtp = await startSmtpServer(t);
  const environment = {
    SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
  };
  const service = await createTestService(t, { environment });
  await service.signUp("operator@example.com");
  const owner = await service.signUp(email);
  const readToken = async (to: string) => {
    const mail = await smtp.next();
    assert.deepEqual(mail.to, [to]);
    return /#([\w-]+)$/m.exec(mail.text)?.[1] ?? assert.fail(mail.text);
  };
  const post = (path: string, body: object, account?: TestAccount) =>
    service.request("POST", `/api/auth${path}`, {
      body,
      headers: { origin: service.url, ...(account && { cookie: account.cookie }) },
    });
  const verification = await readToken(email);
  assert.equal((await owner.request("POST", "/api/account/address", { email: thiefsEmail })).status, 200);
  const confirmation = await readToken(thiefsEmail);
  const config = parseConfig({ ...(await createTestDatabase(t, service.folder)), SEALPOST_DATA: service.folder });
  const find = () =>
    service.database
      .selectFrom("person")
      .select(["email", "verification"])
      .where("id", "=", owner.id)
      .executeTakeFirstOrThrow();
  return { service, owner, readToken, post, config, verification, confirmation, find };
}

type Bench = Awaited<ReturnType<typeof start>>;

/** How an address becomes a verified one. */
const ways: Readonly<Record<string, (bench: Bench) => Promise<unknown>>> = {
  "by the emailed link": ({ post, verification, owner }) =>
    post("/verification/confirm", { token: verification }, owner),
  "by the operator": ({ config }) => administer(config, (accounts) => accounts.verify(email)),
  "by a link to set a password": async ({ post, readToken }) => {
    await post("/request-password-reset", { email });
    await post("/reset-password", { token: await readToken(email), newPassword: "another horse battery" });
  },
  // As in the moment in which a move is asked for.
  "in a way that ends no move": ({ service, owner }) =>
    service.database.updateTable("person").set({ verification: "trusted" }).where("id", "=", owner.id).execute(),
};

for (const [way, verify] of Object.entries(ways))
  test(`once an address was verified ${way}, no move that was asked for before is made without its word`, async (t) => {
    const bench = await start(t);
    await verify(bench);
    assert.equal((await bench.find()).verification, "trusted");
    const { body } = await bench.post("/address/confirm", { token: bench.confirmation }, bench.owner);
    assert.notEqual(body.status, "moved");
    assert.equal((await bench.find()).email, email);
  });

test("control: while nobody has verified the address the new one moves the account alone", async (t) => {
  const { post, owner, confirmation, find } = await start(t);
  assert.deepEqual((await post("/address/confirm", { token: confirmation }, owner)).body, { status: "moved" });
  assert.equal((await find()).email, thiefsEmail);
});

test("an owner who verifies the address finds no move that waits, and one asked for afterwards is confirmed by both", async (t) => {
  const { post, owner, verification, readToken } = await start(t);
  assert.equal((await post("/verification/confirm", { token: verification }, owner)).status, 200);
  assert.equal((await owner.request("GET", "/api/account")).body.account.move, null);
  assert.equal((await owner.request("POST", "/api/account/address", { email: "new@example.com" })).status, 200);
  const token = await readToken("new@example.com");
  assert.deepEqual((await post("/address/confirm", { token }, owner)).body, { status: "waiting" });
  const own = await readToken(email);
  assert.deepEqual((await post("/address/confirm", { token: own }, owner)).body, { status: "moved" });
});
