import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormId } from "@sealpost/wire";
import { createForm } from "../forms/testing/test-form.ts";
import { dayMilliseconds, hourMilliseconds } from "../time/clock.ts";
import { createFailedMailStore } from "./failed-mail-store.ts";
import { keepNotifying } from "./former-owner-store.ts";
import type { MailKind } from "./mail.ts";
import { createMailBench, type MailBench } from "./testing/mail-bench.ts";
import { insertOwned, type OwnedOrganization } from "./testing/owners.ts";
import { queueMail } from "./testing/queue-mail.ts";

interface Reason {
  readonly set: (bench: MailBench, owned: OwnedOrganization, isOver: boolean) => Promise<unknown>;
  /** Only these; all that go to owners where it is omitted. */
  readonly kinds?: readonly MailKind[];
}

const setDisabled: Reason["set"] = ({ service, clock }, { people }, isOver) =>
  service.database
    .updateTable("person")
    .set({ disabled_at: isOver ? null : clock.now() })
    .where("id", "in", people)
    .execute();

/** Why nobody can get an email about an organization at a moment. */
const reasons: Readonly<Record<string, Reason>> = {
  "its owner is disabled": { set: setDisabled },
  "its owner has not verified the address": {
    set: ({ service }, { id, addresses }, isOver) =>
      service.database
        .updateTable("member")
        .set({ unproven_address: isOver ? null : (addresses[0] ?? "") })
        .where("organization_id", "=", id)
        .execute(),
  },
  "it has no owner": {
    set: ({ service }, { id }, isOver) =>
      service.database
        .updateTable("member")
        .set({ role: isOver ? "owner" : "reader" })
        .where("organization_id", "=", id)
        .execute(),
  },
  "the one who was its owner is disabled": {
    async set(bench, owned, isOver) {
      await setDisabled(bench, owned, isOver);
      if (isOver) return;
      const [person] = owned.people;
      await bench.service.database.transaction().execute(async (transaction) => {
        if (person !== undefined) await keepNotifying(transaction, owned.id, person);
        await transaction
          .deleteFrom("mail")
          .where("account_id", "=", owned.id)
          .where("former_owner", "is", null)
          .execute();
      });
    },
    kinds: ["security", "keys_rotated", "security_gathered"],
  },
};

const cases = Object.entries(reasons).flatMap(([reason, { set, kinds }]) =>
  (Object.keys(queueMail) as readonly MailKind[]) // they are its keys
    .filter((kind) => kinds?.includes(kind) ?? queueMail[kind].to === "owners")
    .flatMap((kind) => [true, false].map((isUndone) => ({ reason, set, kind, isUndone }))),
);

test("an email that nobody can get waits until somebody can, without an attempt, or until it expires; operators see it", async (t) => {
  const bench = await createMailBench(t);
  const { service, account, clock, smtp, run, secretBox } = bench;
  const { database } = service;
  const failed = createFailedMailStore(database);
  const formId = (await createForm(account, {})) as FormId; // as the service answered it
  const failures: string[] = [];
  for (const [index, { reason, set, kind, isUndone }] of cases.entries()) {
    const name = `${kind}, ${reason}, ${isUndone ? "undone" : "for good"}`;
    const address = `owner@case${index}.example.com`;
    const owned = await insertOwned(database, account, [address], clock.now());
    await queueMail[kind].queue({
      ...{ database, secretBox, accountId: owned.id, address, formId, now: clock.now() },
    });
    await set(bench, owned, false);
    for (let hour = 0; hour < 3; hour++) {
      await run();
      clock.advance(hourMilliseconds);
    }
    const find = async () => (await failed.list(100)).find(({ accountId }) => accountId === owned.id);
    const waiting = await find();
    if (waiting?.nextAt === undefined || waiting.attempts !== 0)
      failures.push(`${name}: ${JSON.stringify(waiting)} while it waits`);
    if (isUndone) await set(bench, owned, true);
    else clock.advance(2 * dayMilliseconds);
    await run();
    const got = smtp.emails.filter(({ to }) => to.includes(address)).length;
    const left = await find();
    if (got !== (isUndone ? 1 : 0)) failures.push(`${name}: ${got} came`);
    if (isUndone ? left !== undefined : left?.nextAt !== undefined || left === undefined)
      failures.push(`${name}: ${JSON.stringify(left)} afterwards`);
    if (isUndone || left === undefined) continue;
    // An operator sends it once somebody is there.
    await set(bench, owned, true);
    await database.transaction().execute((transaction) => failed.tryAgain(transaction, left.id, clock.now()));
    await run();
    if (!smtp.emails.some(({ to }) => to.includes(address))) failures.push(`${name}: not sent by an operator`);
  }
  assert.deepEqual(failures, []);
});

test("an email to a person who is gone does not wait", async (t) => {
  const bench = await createMailBench(t);
  const { service, account, clock, run, secretBox } = bench;
  const { database } = service;
  const owned = await insertOwned(database, account, ["gone@example.com"], clock.now());
  const [person] = owned.people;
  assert.ok(person);
  await queueMail.security.queue({
    ...{ database, secretBox, accountId: owned.id, address: "", formId: "" as FormId, now: clock.now() }, // not read
  });
  await database.transaction().execute((transaction) => keepNotifying(transaction, owned.id, person));
  await database.deleteFrom("mail").where("former_owner", "is", null).execute();
  await database.deleteFrom("member").where("person_id", "=", person).execute();
  await database.deleteFrom("person").where("id", "=", person).execute();
  await run();
  assert.deepEqual(await database.selectFrom("mail").select("id").where("account_id", "=", owned.id).execute(), []);
});
