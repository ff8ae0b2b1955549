import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId, ApiKeyId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Principal } from "../access/principal.ts";
import { type Role, roles } from "../access/roles.ts";
import { boundDetails, detailsBytesMax } from "../audit-log/bound-details.ts";
import { hasLeftMany, ownEntriesMax } from "../audit-log/log-share-store.ts";
import { rowBytes } from "../database/counted-tables.ts";
import { nameLengthMax } from "../forms/form.ts";
import { settingNames, settings } from "../forms/form-settings.ts";
import { createForm, silentWebhooks } from "../forms/testing/test-form.ts";
import { addPerson, switchTo } from "../organizations/testing/test-organization.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { gibibyte, roomShares } from "./quota.ts";
import { type HasRoom, hasRoomFor } from "./room.ts";
import { createUsageMeter } from "./usage-meter.ts";
import { createUsageStore } from "./usage-store.ts";

const plain = { encryption: false };
const kinds = ["session", "api_key"] as const;
const rooms = ["other", "log"] as const;

/** Two organizations of one founder, with somebody of each role in both. */
async function createScene(service: TestService) {
  const founder = await service.signUp("founder@example.com", "Founder");
  const second = (await founder.request("POST", "/api/organizations", { name: "Second" })).body.organization.id;
  const people: { organization: AccountId; role: Role; person: TestAccount; form: FormId }[] = [];
  for (const organization of [founder.id, second] as AccountId[]) {
    await switchTo(founder, organization);
    const form = (await createForm(founder, plain)) as FormId;
    for (const role of roles) {
      const forms = role === "developer" || role === "reader" ? { forms: [form] } : {};
      const person =
        role === "owner"
          ? founder
          : await addPerson(service, founder, `${role}-${people.length}@example.com`, { role, ...forms });
      people.push({ organization, role, person, form });
    }
  }
  return { founder, organizations: [founder.id as AccountId, second as AccountId] as const, people };
}

type Member = Awaited<ReturnType<typeof createScene>>["people"][number];

function principalOf({ organization, role, person }: Member, kind: Principal["kind"]): Principal {
  const [accountId, personId] = [organization, person.id as AccountId];
  const membership = { accountId, role, formIds: undefined };
  if (kind === "api_key")
    return { kind, ...membership, madeBy: personId, keyId: "key_none" as ApiKeyId, permissions: [] };
  const session = {
    authenticatedAt: 0,
    isVerified: true,
    secondFactor: undefined,
    lacksSecondFactor: false,
    awaitsProof: false,
  };
  return { kind, ...membership, ...session, sessionId: "none", personId, isOperator: false };
}

/** Who has no room, as `role of which organization by what`. */
async function listRefused(service: TestService, people: readonly Member[], first: AccountId): Promise<string[]> {
  const { database } = service;
  // One that remembers nothing.
  const meter = createUsageMeter({
    usage: createUsageStore(database),
    hasLeftMany: (writer) => hasLeftMany(database, writer),
  });
  const hasRoom: HasRoom = (id, share, asker) => meter.hasRoomForOther(id as AccountId, share, asker); // it is asked for one
  const refused: string[] = [];
  for (const member of people)
    for (const kind of kinds) {
      const which = member.organization === first ? "first" : "second";
      if (!(await hasRoomFor(hasRoom, principalOf(member, kind))))
        refused.push(`${member.role} of ${which} by ${kind}`);
    }
  return refused;
}

/** Everybody but the owner's sessions. */
const others = (which: string) =>
  roles.flatMap((role) =>
    kinds.filter((kind) => role !== "owner" || kind !== "session").map((kind) => `${role} of ${which} by ${kind}`),
  );

test("what others fill in one organization, in its log or besides, stops nobody in the founder's other ones, whatever their role", async (t) => {
  const service = await createTestService(t);
  const { people, organizations } = await createScene(service);
  const [first] = organizations;
  // New keys have more room than anything else, which the owner's is beyond.
  for (const [index, filled] of organizations.entries())
    for (const room of rooms)
      for (const share of [roomShares.anybody[room], room === "other" ? roomShares.rescue.other : 0.9]) {
        const owner_id = room === "log" ? `log ${filled}` : filled;
        const bytes = Math.floor(share * gibibyte);
        await service.database.insertInto("counted_bytes").values({ owner_id, bytes }).execute();
        const refused = await listRefused(service, people, first);
        assert.deepEqual(refused, others(index === 0 ? "first" : "second"), `${room}: ${share}`);
        await service.database
          .deleteFrom("counted_bytes")
          .where("owner_id", "=", owner_id)
          .where("bytes", "=", bytes)
          .execute();
      }
});

test("the logs of a founder's organizations take four times what the plan allows together; each has a sixteenth all the same", async (t) => {
  const service = await createTestService(t);
  const { people, organizations } = await createScene(service);
  const [first, second] = organizations;
  const fill = (id: AccountId, bytes: number) =>
    service.database
      .insertInto("counted_bytes")
      .values({ owner_id: `log ${id}`, bytes })
      .execute();
  await fill(first, 4 * gibibyte);
  const everybody = (which: string) => [`owner of ${which} by session`, ...others(which)];
  assert.deepEqual(await listRefused(service, people, first), everybody("first"));
  await fill(second, gibibyte / 16);
  assert.deepEqual(await listRefused(service, people, first), [...everybody("first"), ...everybody("second")]);
});

test("who has left much in a log that is filling up adds nothing to it, and everybody else still may", async (t) => {
  const folder = createTemporaryFolder(t);
  const before = await createTestService(t, { folder });
  const { people, organizations } = await createScene(before);
  const [first] = organizations;
  const manager = people.find(({ role, organization }) => role === "manager" && organization === first);
  assert.ok(manager);
  const made = (await manager.person.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  // A revoked key's entries count as well.
  const revoked = (await manager.person.request("POST", "/api/api-keys", { name: "Former" })).body.key;
  assert.equal((await manager.person.request("DELETE", `/api/api-keys/${revoked.id}`)).status, 200);
  const writers = { session: ["of them", manager.person.id], api_key: [revoked.id, null] } as const;
  for (const [way, [actorId, personId]] of Object.entries(writers))
    await sql`with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${ownEntriesMax})
      insert into audit_entry (id, account_id, occurred_at, action, actor, actor_id, person_id)
      select ${`${way} `} || number, ${first}, cast(${Date.now() - 2 * dayMilliseconds} as bigint), 'form.updated', ${way},
        ${actorId}, ${personId} from numbers`.execute(before.database);
  await before.database
    .insertInto("counted_bytes")
    .values({ owner_id: `log ${first}`, bytes: Math.floor(0.4 * gibibyte) })
    .execute();
  const refused = await listRefused(before, people, first);
  assert.deepEqual(refused, ["manager of first by session", "manager of first by api_key"]);
  await before.stop();
  const service = await createTestService(t, { folder, environment: { SEALPOST_QUOTAS: "on" } });
  const ask = (token: string) =>
    service.request("PATCH", `/api/forms/${manager.form}`, {
      token,
      body: { settings: { allowedOrigins: ["https://another.example"] } },
    });
  const { status, body } = await ask(made.key);
  assert.deepEqual([status, body.code], [503, "organization_full"]);
  const developer = people.find(({ role, organization }) => role === "developer" && organization === first);
  assert.equal((await ask(developer?.person.token ?? "")).status, 200);
  const rotated = await service.request("POST", `/api/forms/${manager.form}/rotate-keys`, { token: made.key });
  assert.equal(rotated.status, 200, "keys are rotated all the same");
});

test("one entry of the log takes less than 1,500 bytes, however long all of a form's settings and its name are", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const form = await createForm(account, plain);
  const log = async () => (await account.request("GET", "/api/usage")).body.usage.logBytes;
  const longest = (letter: string) => ({
    webhookUrl: `https://receiver.example/${letter.repeat(2000)}`,
    allowedOrigins: Array.from({ length: 50 }, (_, number) => `https://${letter.repeat(60)}.o${number}.example.com`),
  });
  for (const [index, letter] of ["a", "b", "c"].entries()) {
    const before = await log();
    const others = settingNames.map((name) => {
      const { examples, default: usual } = settings[name];
      return [name, [...examples, usual][index % (examples.length + 1)]];
    });
    const changes = { ...Object.fromEntries(others), encryption: false, ...longest(letter) };
    const name = `${"𝒩".repeat(nameLengthMax - 1)}${letter}`;
    const { status, body } = await account.request("PATCH", `/api/forms/${form}`, { name, settings: changes });
    assert.equal(status, 200, JSON.stringify(body));
    const bytes = (await log()) - before;
    assert.ok(bytes > rowBytes && bytes < 1500, `${bytes} bytes`);
  }
  const [entry] = (await account.request("GET", "/api/audit-log?action=form.updated")).body.entries;
  const changed = entry.details.changes.map(({ setting }: { setting: string }) => setting);
  assert.ok(changed.includes("webhookUrl") && changed.includes("allowedOrigins"), changed.join());
  const { to } = entry.details.changes.find(({ setting }: { setting: string }) => setting === "webhookUrl");
  assert.match(to, /… \d+ characters more, sha256 [0-9a-f]{16}$/);
});

test("details keep short values whole, tell different long ones apart, and are bounded whatever they are", () => {
  const short = { changes: [{ setting: "role", from: "reader", to: ["a", "b"] }] };
  assert.deepEqual(boundDetails(short), short);
  const of = (to: string | readonly string[]) => boundDetails({ changes: [{ setting: "one", from: null, to }] });
  for (const long of [
    ["x".repeat(5000), `${"x".repeat(4999)}y`],
    [[..."abc"].map((a) => a.repeat(900)), ["d".repeat(900)]],
  ])
    assert.notDeepEqual(of(long[0] ?? ""), of(long[1] ?? ""));
  for (const count of [1, 5, 30])
    for (const value of ["é".repeat(2000), "\u0001".repeat(2000), ["𝒩".repeat(300), "b"], Array(900).fill("short")]) {
      const changes = Array.from({ length: count }, (_, number) => ({ setting: `s${number}`, from: value, to: null }));
      const bytes = Buffer.byteLength(JSON.stringify(boundDetails({ changes })));
      assert.ok(bytes <= detailsBytesMax, `${count} of ${String(value).slice(0, 9)}: ${bytes}`);
    }
});

test("where submissions went and go is in the log whole, however long the host is and whatever else changes at once", () => {
  const host = (end: string) =>
    `hooks.example.com.${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(40)}.${end}`;
  const longest = [`https://${host("one.example")}:8443`, `https://${host("two.example")}:8443`] as const;
  for (const address of longest) assert.ok(new URL(address).hostname.length > 240);
  const others = ["name", "piiTypes", "allowedOrigins", ...Array.from({ length: 20 }, (_, number) => `s${number}`)];
  const values = ["é".repeat(2000), Array.from({ length: 50 }, (_, number) => `https://${number}.example.com`)];
  for (const count of [0, 1, 3, others.length])
    for (const value of values)
      for (const path of ["", `/${"p".repeat(1500)}`])
        for (const [from, to] of [longest, [...longest].reverse(), [null, longest[0]], [longest[1], null]]) {
          const at = (address: string | null | undefined) => (address ? address + path : null);
          const changes = [
            ...others.slice(0, count).map((setting) => ({ setting, from: value, to: [...value].reverse() })),
            { setting: "webhookUrl", from: at(from), to: at(to) },
          ];
          const bounded = boundDetails({ changes });
          assert.ok(Buffer.byteLength(JSON.stringify(bounded)) <= detailsBytesMax);
          const logged = bounded?.changes?.find(({ setting }) => setting === "webhookUrl");
          for (const [was, is] of [
            [from, logged?.from],
            [to, logged?.to],
          ])
            assert.ok(typeof was === "string" ? String(is).startsWith(was) : is === null, `${count}, ${String(is)}`);
        }
});
