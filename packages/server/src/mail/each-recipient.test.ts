import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormId } from "@sealpost/wire";
import { sampleEvery } from "../../../../tests/support/sample.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { onEither } from "../testing/test-database.ts";
import { hourMilliseconds } from "../time/clock.ts";
import { isNoticeKind, type MailKind } from "./mail.ts";
import { toOneForm } from "./recipient.ts";
import { createMailBench } from "./testing/mail-bench.ts";
import { insertOwned } from "./testing/owners.ts";
import { queueMail } from "./testing/queue-mail.ts";
import { type AskedStep, smtpSteps } from "./testing/smtp-server.ts";

const replies = [450, 550, "drop"] as const;
const kinds = Object.keys(queueMail) as readonly MailKind[]; // they are its keys
/** Notices go to owners one by one: they have no bound above two. */
const countsOf = (kind: MailKind) => {
  if (queueMail[kind].to === "one") return [1];
  return isNoticeKind(kind) && kind !== "submissions" ? [1, 2, 3] : [1, 2, 21];
};
const cases = kinds.flatMap((kind) =>
  countsOf(kind).flatMap((count) =>
    smtpSteps.flatMap((step) =>
      replies.flatMap((reply) =>
        (count === 1 ? (["first"] as const) : (["first", "last"] as const)).map((place) => ({
          ...{ kind, count, step, reply, place },
        })),
      ),
    ),
  ),
);

/** The most messages that a first try may take to reach so many. */
const messagesOf = (kind: MailKind, count: number) => (isNoticeKind(kind) ? count : Math.ceil(count / 20));

test(
  "whichever recipient a mail server refuses, at whatever step, each other one gets the email once, and this one once it is taken",
  onEither,
  async (t) => {
    let refuse: (asked: AskedStep) => number | "drop" | undefined = () => undefined;
    const bench = await createMailBench(t, { refuse: (asked) => refuse(asked) });
    const { service, account, clock, smtp, run, secretBox } = bench;
    const formId = (await createForm(account, {})) as FormId; // as the service answered it
    const failures: string[] = [];
    for (const [index, { kind, count, step, reply, place }] of sampleEvery(cases, 19).entries()) {
      const name = `${kind} to ${count}, ${reply} at ${step} for the ${place}`;
      const addresses = Array.from({ length: count }, (_, at) => `owner${at}@case${index}.example.com`);
      const owned = await insertOwned(service.database, account, addresses, clock.now());
      const target = (place === "first" ? addresses[0] : addresses.at(-1)) ?? "";
      const isLast = reply === 550 && step !== "MAIL";
      let [seen, refused] = [0, 0];
      refuse = ({ step: at, to }) => {
        if (at === "MAIL") seen += 1;
        const isIt = step === "MAIL" ? seen === (place === "first" ? 1 : messagesOf(kind, count)) : to.includes(target);
        if (at !== step || !isIt || (refused > 0 && !isLast)) return undefined;
        refused += 1;
        return reply;
      };
      const from = smtp.emails.length;
      const isPersonal = kind === "password_reset" || kind === "verify_email";
      const accountId = (isPersonal ? owned.people[0] : owned.id) ?? owned.id;
      await queueMail[kind].queue({
        ...{ database: service.database, secretBox, accountId, address: target, formId, now: clock.now() },
      });
      const countTo = (address: string) =>
        smtp.emails.slice(from).filter(({ to }) => to.map(toOneForm).includes(toOneForm(address))).length;
      const others = addresses.filter((address) => address !== target);
      await run();
      if (step === "RCPT" && typeof reply === "number" && !others.every((address) => countTo(address) === 1))
        failures.push(`${name}: another one had to wait`);
      for (let hour = 0; hour < 6; hour++) {
        clock.advance(hour === 0 ? 60_000 : hourMilliseconds / 2);
        await run();
      }
      assert.ok(refused > 0, `a control: ${name}`);
      if (!others.every((address) => countTo(address) === 1))
        failures.push(`${name}: others got ${others.map(countTo)}`);
      if (countTo(target) !== (isLast ? 0 : 1)) failures.push(`${name}: it got ${countTo(target)}`);
      const row = await service.database
        .selectFrom("mail")
        .select(["finished_at", "failed_to"])
        .where("account_id", "=", accountId)
        .executeTakeFirst();
      const failedTo = row?.failed_to ?? null;
      if (row?.finished_at === null || failedTo !== (isLast ? JSON.stringify([target]) : null))
        failures.push(`${name}: finished ${row?.finished_at !== null}, failed for ${failedTo}`);
    }
    assert.deepEqual(failures, []);
  },
);

test("an address whose domain is written in letters of its own and in ASCII is one recipient, refused or not", async (t) => {
  const [one, other, third] = ["o@müller.example", "o@xn--mller-kva.example", "third@example.com"];
  for (const reply of [450, 550]) {
    let refused = 0;
    const isIt = (to: readonly string[]) => to.some((address) => toOneForm(address) === toOneForm(one));
    const bench = await createMailBench(t, {
      refuse: ({ step, to }) => (step === "RCPT" && isIt(to) && (reply === 550 || refused++ === 0) ? reply : undefined),
    });
    const { service, account, clock, smtp, run, secretBox } = bench;
    for (const addresses of [
      [one, third],
      [other, third],
      [one, other, third],
    ]) {
      refused = 0;
      const from = smtp.emails.length;
      await service.database.deleteFrom("member").execute();
      await service.database.deleteFrom("person").where("email", "in", addresses).execute();
      const owned = await insertOwned(service.database, account, addresses, clock.now());
      await queueMail.security.queue({
        ...{ database: service.database, secretBox, accountId: owned.id, address: "", now: clock.now() },
        formId: "" as FormId, // not read
      });
      await run();
      clock.advance(60_000);
      await run();
      const rows = await service.database
        .selectFrom("mail")
        .select("failed_to")
        .where("account_id", "=", owned.id)
        .execute();
      const failed = addresses.filter((address) => address !== third);
      assert.deepEqual(
        rows.map(({ failed_to }) => JSON.parse(failed_to ?? "null")),
        [reply === 550 ? failed : null],
        `${reply} ${addresses}`,
      );
      const received = smtp.emails.slice(from).flatMap(({ to }) => to.map(toOneForm));
      const thrice = received.filter((address) => address === third).length;
      assert.equal(thrice, 1);
      assert.equal(
        received.some((address) => address === toOneForm(one)),
        reply === 450,
      );
    }
  }
});
