import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { toNestedNetworks } from "./client-address.ts";
import { type Asker, patienceMilliseconds, type Work } from "./fair-line.ts";
import { createFairQueue } from "./fair-queue.ts";
import { createPageTurns } from "./page-turns.ts";
import { createOpenAnswer } from "./testing/open-answer.ts";

/** Who asks, where, and how many milliseconds their turn takes. */
interface Asked {
  readonly asker: Asker;
  readonly work: Work & { readonly part: string };
  readonly cost: number;
}

/** A line on a clock of its own: time passes while somebody has a turn, and at no other time. */
interface Line {
  readonly run: (asked: Asked) => Promise<unknown>;
  readonly now: () => number;
  readonly pass: (milliseconds: number) => void;
}

function createLine(
  create: (now: () => number) => (asked: Asked, work: () => Promise<void>) => Promise<unknown>,
): Line {
  let clock = 0;
  const run = create(() => clock);
  return {
    run: (asked) =>
      run(asked, async () => {
        await nextTurn();
        clock += asked.cost;
      }),
    now: () => clock,
    pass(milliseconds) {
      clock += milliseconds;
    },
  };
}

const message = "Too many requests. Please try again later.";
const retrySeconds = 10;

/** With the places of the lines for long texts and posted forms, and that of pages. */
const lines: Readonly<Record<string, () => Line>> = {
  "32 places": () => createLine((now) => queueOf(32, now)),
  "256 places": () => createLine((now) => queueOf(256, now)),
  pages: () =>
    createLine((now) => {
      const turns = createPageTurns(1, now);
      return ({ asker: { accountId, personId = "" }, work: { part } }, page) => {
        const answer = createOpenAnswer();
        return turns.begin({ accountId, personId }, answer, part)(page).finally(answer.close);
      };
    }),
};

function queueOf(waitingMax: number, now: () => number) {
  const queue = createFairQueue({ runningMax: 1, waitingMax, waitingMaxOfOne: 8, message, retrySeconds, now });
  return ({ asker, work }: Asked, take: () => Promise<void>) => queue.run(asker, take, work);
}

function visitor(account: string, part: string, ip: string, cost: number): Asked {
  return { asker: { accountId: account, personId: undefined }, work: { part, networks: toNestedNetworks(ip) }, cost };
}
function person(account: string, name: string, part: string, cost: number): Asked {
  return { asker: { accountId: account, personId: name }, work: { part }, cost };
}

/** Works that always wait, so many at once, and of how many accounts at once. */
interface Stream {
  readonly next: (worker: number, count: number) => Asked;
  readonly workers: number;
  readonly accounts: number;
}

const streams: Readonly<Record<string, Stream>> = {
  "one stranger's expensive turns at a form of their own": {
    next: () => visitor("stranger", "own form", "12.0.0.1", 400),
    ...{ workers: 8, accounts: 1 },
  },
  "strangers of many networks at one form": {
    next: (worker, count) => visitor("stranger", "own form", `${30 + worker}.${count % 200}.0.1`, 400),
    ...{ workers: 24, accounts: 1 },
  },
  "the exports of ten fresh accounts": {
    next: (worker) => person(`fresh ${worker >> 1}`, "owner", "form", 100),
    ...{ workers: 20, accounts: 10 },
  },
  "a fresh account for each turn": {
    next: (worker, count) => person(`fresh ${worker} ${count}`, "owner", "form", 100),
    ...{ workers: 20, accounts: 20 },
  },
  "a reader of the same organization, with expensive pages of many forms": {
    next: (worker) => person("busy", "reader", `form ${worker}`, 400),
    ...{ workers: 8, accounts: 1 },
  },
};

/** The next of those who had a lot within the last half hour. */
const victims: Readonly<Record<string, (count: number) => Asked>> = {
  "the next visitor of a busy form": (count) => visitor("busy", "busy form", `11.${count >> 8}.${count & 255}.1`, 10),
  "the next page of an owner's long export": () => person("busy", "owner", "busy form", 20),
};

for (const [lineName, create] of Object.entries(lines))
  for (const [streamName, { next, workers, accounts }] of Object.entries(streams))
    for (const [victimName, victimOf] of Object.entries(victims))
      test(`${lineName}: ${victimName} comes within seconds whatever else waits: ${streamName}`, async () => {
        const line = create();
        for (let count = 0; count < 600; count++) {
          await line.run(victimOf(count));
          line.pass(500);
        }
        let isOver = false;
        let dearest = 0;
        const stream = Array.from({ length: workers }, async (_, worker) => {
          for (let count = 0; !isOver; count++) {
            const asked = next(worker, count);
            dearest = Math.max(dearest, asked.cost);
            await line.run(asked).catch(() => nextTurn());
          }
        });
        await nextTurn();
        const waits: number[] = [];
        const begun = line.now();
        for (let count = 0; count < 20; count++) {
          const [since, asked] = [line.now(), victimOf(600 + count)];
          let isServed = false;
          const served = line.run(asked).then(() => {
            isServed = true;
          });
          while (!isServed && line.now() - since < 60_000) await Promise.race([served, nextTurn()]);
          waits.push(line.now() - since - asked.cost);
          if (line.now() - since >= 60_000) break;
        }
        isOver = true;
        const took = line.now() - begun;
        await Promise.all(stream);
        // Every second turn is of those who have waited for long, and in it each account has one before any has a second.
        const bound = patienceMilliseconds + 2 * (accounts + 1) * dearest;
        assert.ok(Math.max(...waits) <= bound, `waited ${waits.map(Math.round).join(" ")} ms, not ${bound}`);
        const ofAll = 20 * 2 * (accounts + 2) * dearest + 2 * bound;
        assert.ok(took <= ofAll, `all took ${took} ms, not ${ofAll}`);
      });
