import { setImmediate } from "node:timers/promises";
import { createFailedRows, createReport } from "../database/failed-rows.ts";
import { addFailure, throwAll } from "../database/round.ts";
import { type Clock, hourMilliseconds } from "../time/clock.ts";
import { createLoop } from "../time/loop.ts";
import { mayBegin, nextOutcome } from "./mail.ts";
import type { MailClient } from "./mail-client.ts";
import { nobodyNow } from "./mail-failure.ts";
import type { ClaimedMail, MailStore } from "./mail-store.ts";
import type { NoticeStore } from "./notice-store.ts";
import type { SendReport } from "./recipient-answers.ts";

export interface MailWorkerLog {
  error(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface MailWorkerDependencies {
  readonly emails: MailStore;
  readonly notices: readonly NoticeStore[];
  readonly client: MailClient;
  readonly clock: Clock;
  /** Whether the clock may say what is too old. */
  readonly isClockTrusted: (now: number) => Promise<boolean>;
  /** Whether this process can open and seal what emails hold. */
  readonly mayOpen: () => boolean;
  readonly log: MailWorkerLog;
}

/** Finds the notices that are due, and sends what waits. Any number of processes may run one. */
export interface MailWorker {
  start(): void;
  /** Says that a commit put a mail into the queue. */
  wake(): void;
  /** Looks and sends until nothing is due. */
  run(): Promise<void>;
  /** No further mail begins; one that is on its way has some seconds to end. */
  stop(): Promise<void>;
}

const lookMilliseconds = 30_000;
const sendsAtOnce = 4;
/** A mail that takes longer is sent again when its lease is over, at worst a second time. */
const stopMilliseconds = 5_000;

export function createMailWorker({
  emails,
  notices,
  client,
  clock,
  isClockTrusted,
  mayOpen,
  log,
}: MailWorkerDependencies): MailWorker {
  const failed = createFailedRows();
  const loop = createLoop({
    everyMilliseconds: lookMilliseconds,
    // Somebody who wakes it has put an email into the queue: looking through the forms of the instance has its own time.
    run: (isLook) => (isLook ? run() : send()),
    report: createReport(log, "mail"),
  });

  async function run(): Promise<void> {
    await look();
    await send();
    const failures: unknown[] = [];
    for (const end of [deleteOld, async () => failed.throwAny()])
      try {
        await end();
      } catch (error) {
        addFailure(failures, error);
      }
    throwAll(failures);
  }

  async function deleteOld(): Promise<void> {
    const now = clock.now();
    if (!(await isClockTrusted(now))) return;
    while (!loop.isStopped() && (await emails.deleteFinished(now))) await setImmediate();
  }

  async function look(): Promise<void> {
    for (const store of notices) {
      let place: string | undefined = "";
      while (place !== undefined && !loop.isStopped() && mayOpen()) {
        place = await store.look(place, clock.now(), failed);
        await setImmediate();
      }
    }
  }

  async function send(): Promise<void> {
    while (!loop.isStopped() && mayOpen()) {
      const claimed = await emails.claim(clock.now(), sendsAtOnce, (details) =>
        log.error(details, "a mail could not be read, and is given up"),
      );
      if (claimed.length === 0) break;
      await Promise.all(claimed.map(sendOne));
    }
  }

  async function sendOne(claimed: ClaimedMail): Promise<void> {
    const { mail, addresses, owners, since } = claimed;
    // Too late: nobody tries any more, and the try that was counted is not made.
    const now = clock.now();
    const isLate = mail.expiresAt <= now;
    // By a clock that may be wrong nothing is given up: it waits until that is right, or believed.
    if (isLate && !(await isClockTrusted(now))) return emails.putBack(claimed, now + hourMilliseconds, undefined, now);
    if (!isLate && addresses.length === 0)
      return emails.wait(claimed, Math.min(now + hourMilliseconds, mail.expiresAt), now);
    if (!mayBegin(since, clock.now())) return emails.putBack(claimed, clock.now());
    const { result, reason, ...tried } = isLate ? tooLate(addresses) : await client.send(mail, addresses, owners);
    const outcome = nextOutcome(mail, result, clock.now());
    const details = { mailId: mail.id, kind: mail.subject.kind, attempts: mail.attempts, reason };
    if (outcome.state === "waiting") {
      log.warn(details, "a mail could not be sent, and is tried again");
      await emails.putBack(claimed, outcome.dueAt, tried, clock.now());
      return;
    }
    if (outcome.state === "given_up") log.error(details, "a mail could not be sent, and is given up");
    await emails.finish(claimed, clock.now(), tried);
  }

  return {
    start: loop.start,
    wake: loop.wake,
    run,
    async stop() {
      const { promise: waited, resolve } = Promise.withResolvers<void>();
      const deadline = setTimeout(resolve, stopMilliseconds);
      await Promise.race([loop.stop(), waited]);
      clearTimeout(deadline);
    },
  };
}

function tooLate(to: readonly string[]): SendReport {
  const sentence = to.length === 0 ? nobodyNow : "It waited for so long that nobody needs it any more";
  return { result: "refused", reason: "too late", failure: { to, refused: [], sentence }, reached: 0 };
}
