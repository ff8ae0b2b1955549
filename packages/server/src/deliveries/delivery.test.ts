import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  attemptsMax,
  claimsMax,
  type Delivery,
  type DeliveryEvent,
  gapsMilliseconds,
  next,
  type SendingDelivery,
  type WaitingDelivery,
} from "./delivery.ts";

const at = 1_700_000_000_000;
const url = "https://receiver.example/hook";
const minute = 60_000;

const waiting: WaitingDelivery = {
  state: "waiting",
  isTest: false,
  attempt: 1,
  dueAt: at,
  claims: 0,
  startWith: undefined,
};
const sending: SendingDelivery = {
  state: "sending",
  isTest: false,
  attempt: 1,
  claims: 1,
  url,
  secrets: ["current"],
  refused: 0,
  isFresh: false,
  redirects: "post",
  request: "event",
};
/** While two secrets are valid. */
const rotating: SendingDelivery = { ...sending, secrets: ["previous", "current"] };
const second: SendingDelivery = { ...rotating, secrets: ["current", "previous"], refused: 1 };

function claimed(more: Partial<Extract<DeliveryEvent, { kind: "claimed" }>> = {}): DeliveryEvent {
  return { kind: "claimed", at, claims: 1, url, redirects: "post", secrets: ["current"], ...more };
}
function responded(
  statusCode: number,
  more: Partial<Extract<DeliveryEvent, { kind: "responded" }>> = {},
): DeliveryEvent {
  return {
    kind: "responded",
    at,
    statusCode,
    retryAfterMilliseconds: undefined,
    redirectTo: undefined,
    jitter: 0,
    ...more,
  };
}
const unanswered: DeliveryEvent = { kind: "unanswered", at, jitter: 0 };
const retryOf = (delivery: SendingDelivery): Delivery => ({
  ...waiting,
  attempt: delivery.attempt + 1,
  claims: delivery.claims,
  dueAt: at + (gapsMilliseconds[delivery.attempt] ?? Number.NaN),
});
const attempts = [1, 2, 3, 4, 5, 6];

describe("attempts, row by row (contract, section 9.4)", () => {
  for (const attempt of attempts) {
    const delivery: SendingDelivery = { ...sending, attempt };
    const failed = (reason: "exhausted" | "refused") => ({ state: "failed", attempts: attempt, at, reason });
    const retried = attempt === attemptsMax ? failed("exhausted") : retryOf(delivery);

    test(`a 2xx to attempt ${attempt} is success`, () => {
      for (let status = 200; status < 300; status++)
        assert.deepEqual(next(delivery, responded(status)), {
          state: "delivered",
          attempts: attempt,
          at,
          accepted: "current",
        });
    });

    test(`a redirect of attempt ${attempt} is followed at once and counts as an attempt`, () => {
      const redirectTo = "https://elsewhere.example/";
      for (const redirects of ["post", "get"] as const)
        for (const request of ["event", "event_at_target", "page"] as const)
          for (let status = 300; status < 400; status++) {
            const isAnswer = status === 302 || status === 303;
            const posted = isAnswer ? (redirects === "get" ? "page" : "event_at_target") : "event";
            const followed = { attempt: attempt + 1, url: redirectTo, request: request === "page" ? "page" : posted };
            assert.deepEqual(
              next({ ...delivery, redirects, request }, responded(status, { redirectTo })),
              attempt === attemptsMax ? failed("exhausted") : { ...delivery, redirects, ...followed },
            );
          }
    });

    test(`the page that attempt ${attempt} is led to is asked for once, whatever secrets there are`, () => {
      const page: SendingDelivery = { ...rotating, redirects: "get", request: "page", attempt };
      for (const status of [400, 401, 403, 405]) assert.deepEqual(next(page, responded(status)), failed("refused"));
    });

    test(`a 3xx to attempt ${attempt} without a usable address is a failed attempt`, () => {
      for (let status = 300; status < 400; status++) assert.deepEqual(next(delivery, responded(status)), retried);
    });

    test(`a 4xx other than 429 to attempt ${attempt} is permanent`, () => {
      for (let status = 400; status < 500; status++)
        if (status !== 429) assert.deepEqual(next(delivery, responded(status)), failed("refused"));
    });

    test(`429, 5xx, no answer and an impossible status of attempt ${attempt} ${attempt === 6 ? "end it" : "wait for the next attempt"}`, () => {
      assert.deepEqual(next(delivery, responded(429)), retried);
      for (let status = 500; status < 600; status++) assert.deepEqual(next(delivery, responded(status)), retried);
      for (const status of [0, 99, 101, 600, 999]) assert.deepEqual(next(delivery, responded(status)), retried);
      assert.deepEqual(next(delivery, unanswered), retried);
    });

    test(`a forbidden address of attempt ${attempt} ${attempt === 6 ? "ends it" : "waits for the next attempt: the operator may open its network meanwhile"}`, () => {
      assert.deepEqual(next(delivery, { kind: "address_forbidden", at, jitter: 0 }), retried);
    });
  }
});

describe("the schedule", () => {
  /** Runs six failing attempts, each `duration` long; answers when each was due. */
  function schedule(jitter: number, duration: number): number[] {
    const due: number[] = [];
    let delivery: Delivery | undefined = waiting;
    let now = at;
    while (delivery?.state === "waiting") {
      now = Math.max(now, delivery.dueAt);
      due.push(now);
      delivery = next(delivery, claimed({ at: now, claims: due.length }));
      assert.equal(delivery?.state, "sending");
      now += duration;
      if (delivery !== undefined) delivery = next(delivery, { kind: "unanswered", at: now, jitter });
    }
    assert.deepEqual(delivery, { state: "failed", attempts: 6, at: now, reason: "exhausted" });
    return due;
  }

  test("the schedule without jitter takes exactly 26 h 36 min, each gap as in the contract", () => {
    const offsets = [0, 1, 6, 36, 156, 1596].map((minutes) => at + minutes * minute);
    assert.deepEqual(schedule(0, 0), offsets);
    assert.equal(1596 * minute, (26 * 60 + 36) * minute);
  });

  test("the schedule counts gaps from the end of the attempt before", () => {
    const offsets = [0, 1, 6, 36, 156, 1596].map((minutes, index) => at + minutes * minute + index * 30_000);
    assert.deepEqual(schedule(0, 30_000), offsets);
  });

  test("the schedule with the most jitter stays below a tenth more, to the millisecond", () => {
    assert.deepEqual(schedule(1 - Number.EPSILON, 0).at(-1), at + 1596 * minute + 1596 * 6000 - 5);
  });

  test("the schedule is never earlier than the contract's, and at most a tenth later, whatever the jitter", () => {
    const sendingAttempt = fc.integer({ min: 1, max: 5 });
    const jitterOf = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(sendingAttempt, jitterOf, (attempt, jitter) => {
        const after = next({ ...sending, attempt }, { kind: "unanswered", at, jitter });
        const gap = gapsMilliseconds[attempt] ?? Number.NaN;
        assert.ok(after?.state === "waiting" && after.dueAt >= at + gap && after.dueAt < at + gap * 1.1);
        assert.ok(Number.isInteger(after.dueAt));
      }),
    );
  });
});

describe("Retry-After", () => {
  const gap = gapsMilliseconds[2] ?? Number.NaN;
  const dueAfter = (status: number, retryAfterMilliseconds: number, jitter = 0) => {
    const after = next({ ...sending, attempt: 2 }, responded(status, { retryAfterMilliseconds, jitter }));
    return after?.state === "waiting" ? after.dueAt - at : undefined;
  };

  test("Retry-After on 429 and 503 lengthens a gap, to at most twice itself", () => {
    for (const status of [429, 503]) {
      assert.equal(dueAfter(status, gap + 1), gap + 1);
      assert.equal(dueAfter(status, gap * 2), gap * 2);
      assert.equal(dueAfter(status, gap * 2 + 1), gap * 2);
      assert.equal(dueAfter(status, Number.MAX_SAFE_INTEGER), gap * 2);
    }
  });
  test("Retry-After never shortens a gap", () => {
    for (const status of [429, 503]) assert.equal(dueAfter(status, 0), gap);
  });
  test("Retry-After on any other status changes nothing", () => {
    for (const status of [500, 502, 504, 301]) assert.equal(dueAfter(status, gap * 2), gap);
  });
  test("Retry-After does not switch the jitter off", () => {
    assert.equal(dueAfter(503, gap * 1.5, 0.5), gap * 1.5 * 1.05);
  });
});

describe("several valid secrets", () => {
  test("the form's order decides which one an attempt begins with", () => {
    for (const secrets of [["current", "previous"] as const, ["previous", "current"] as const])
      assert.deepEqual(next(waiting, claimed({ secrets })), { ...sending, secrets });
  });
  test("the secret that the last attempt accepted comes before the form's order, and the round continues from there", () => {
    const secrets = ["a", "b", "c", "d", "e"] as const;
    assert.deepEqual(next({ ...waiting, startWith: "c" }, claimed({ secrets })), {
      ...sending,
      secrets: ["c", "d", "e", "a", "b"],
    });
  });
  test("a secret that has ended is not begun with, whatever was noted before", () => {
    assert.deepEqual(next({ ...waiting, startWith: "previous" }, claimed()), sending);
    assert.deepEqual(next({ ...waiting, startWith: "ended" }, claimed({ secrets: ["a", "b"] })), {
      ...sending,
      secrets: ["a", "b"],
    });
  });
  test("400, 401 and 403 send the same attempt once more with the next one, until all are refused", () => {
    for (const status of [400, 401, 403]) {
      let delivery: Delivery | undefined = { ...sending, secrets: ["a", "b", "c", "d", "e"] };
      for (const [index, secret] of ["b", "c", "d", "e"].entries()) {
        delivery = next(delivery, responded(status));
        assert.ok(delivery?.state === "sending");
        assert.deepEqual([delivery.secrets[0], delivery.refused, delivery.attempt], [secret, index + 1, 1]);
      }
      assert.deepEqual(next(delivery, responded(status)), { state: "failed", attempts: 1, at, reason: "refused" });
    }
  });
  test("with several valid secrets another 4xx is permanent at once", () => {
    for (const status of [402, 404, 410, 422]) assert.equal(next(rotating, responded(status))?.state, "failed");
  });
  test("a 2xx names the secret that was accepted", () => {
    const after = next(second, responded(204));
    assert.deepEqual(after, { state: "delivered", attempts: 1, at, accepted: "current" });
  });
  test("after a 5xx the next attempt begins with the other secret", () => {
    assert.deepEqual(next(rotating, responded(500)), { ...retryOf(rotating), startWith: "current" });
  });
  test("a 5xx after the other secret was refused keeps the one that was not", () => {
    assert.deepEqual(next(second, responded(500)), { ...retryOf(rotating), startWith: "current" });
  });
  test("a receiver that answers every wrong secret with a 5xx has had each of five within five attempts", () => {
    const secrets = ["a", "b", "c", "d", "e"] as const;
    const tried: string[] = [];
    let delivery: Delivery | undefined = waiting;
    for (let claims = 1; claims <= 5; claims++) {
      assert.ok(delivery.state === "waiting");
      delivery = next({ ...delivery, dueAt: at }, claimed({ claims, secrets }));
      assert.ok(delivery?.state === "sending");
      tried.push(delivery.secrets[0]);
      delivery = next(delivery, responded(500));
      assert.ok(delivery !== undefined);
    }
    assert.deepEqual(tried, secrets);
  });
  test("no answer and 429 teach nothing about the first secret, and keep the one after a refused one", () => {
    for (const event of [unanswered, responded(429)]) {
      assert.deepEqual(next(rotating, event), retryOf(rotating));
      assert.deepEqual(next(second, event), { ...retryOf(rotating), startWith: "current" });
    }
  });
  test("a hop continues with the secret that came this far, and may try the others", () => {
    const redirectTo = "https://elsewhere.example/";
    assert.deepEqual(next(second, responded(307, { redirectTo })), {
      ...second,
      attempt: 2,
      refused: 0,
      url: redirectTo,
    });
  });
});

describe("a kept connection that was closed before an answer came", () => {
  const closed: DeliveryEvent = { kind: "kept_connection_closed", at, jitter: 0 };
  test("after a kept connection was closed before an answer came, the same attempt is sent once more, on a fresh one, with the same secret", () => {
    for (const delivery of [sending, { ...second, attempt: 6 }, { ...sending, isTest: true }])
      assert.deepEqual(next(delivery, closed), { ...delivery, isFresh: true });
  });
  test("a fresh connection that is closed after a kept one is a failed attempt, and the next attempt may use kept ones again", () => {
    assert.deepEqual(next({ ...sending, isFresh: true }, closed), retryOf(sending));
    assert.deepEqual(next({ ...sending, isFresh: true }, responded(307, { redirectTo: url })), {
      ...sending,
      attempt: 2,
    });
  });
});

describe("a send run that is cut short", () => {
  test("a send run that is cut short does not use up an attempt and is due again at once", () => {
    assert.deepEqual(next({ ...sending, attempt: 3, claims: 4 }, { kind: "interrupted", at }), {
      ...waiting,
      attempt: 3,
      claims: 4,
      startWith: "current",
    });
  });
  test(`a send run that is cut short is given up after ${claimsMax} claims`, () => {
    const delivery: WaitingDelivery = { ...waiting, attempt: 2, claims: claimsMax };
    assert.equal(next(delivery, claimed({ claims: claimsMax }))?.state, "sending");
    assert.deepEqual(next(delivery, claimed({ claims: claimsMax + 1 })), {
      state: "failed",
      attempts: 1,
      at,
      reason: "interrupted_too_often",
    });
  });
});

describe("a test send", () => {
  const testSend: SendingDelivery = { ...sending, isTest: true };
  test("a test send is never retried", () => {
    for (const event of [unanswered, responded(500), responded(429), responded(302)])
      assert.deepEqual(next(testSend, event), { state: "failed", attempts: 1, at, reason: "exhausted" });
  });
  test("a test send follows redirects and tries the other secrets like any delivery", () => {
    assert.equal(next(testSend, responded(302, { redirectTo: url }))?.state, "sending");
    assert.equal(next({ ...rotating, isTest: true }, responded(401))?.state, "sending");
  });
  test("a test send is not sent again after its send run was cut short", () => {
    const failed = { state: "failed", attempts: 0, at, reason: "interrupted" };
    assert.deepEqual(next(testSend, { kind: "interrupted", at }), failed);
    assert.deepEqual(next({ ...waiting, isTest: true, claims: 1 }, claimed({ claims: 2 })), failed);
  });
});

describe("a removed URL", () => {
  test("a removed URL ends a delivery without a request", () => {
    const failed = { state: "failed", attempts: 2, at, reason: "url_removed" };
    assert.deepEqual(next({ ...waiting, attempt: 3 }, claimed({ url: null })), failed);
    assert.deepEqual(next({ ...waiting, attempt: 3 }, { kind: "url_removed", at }), failed);
    assert.deepEqual(next({ ...sending, attempt: 3 }, { kind: "url_removed", at }), failed);
  });
  test("a delivery that is claimed before its time ends if the URL is gone, and waits otherwise as if nobody had claimed it", () => {
    const early = { ...waiting, attempt: 3, dueAt: at + 1, claims: 3 };
    assert.deepEqual(next(early, claimed({ url: null }))?.state, "failed");
    assert.deepEqual(next(early, claimed({ claims: 3 })), { ...early, claims: 2 });
  });
});

describe("events that mean nothing", () => {
  const events: readonly DeliveryEvent[] = [
    claimed(),
    responded(200),
    responded(500),
    responded(302, { redirectTo: url }),
    unanswered,
    { kind: "address_forbidden", at, jitter: 0 },
    { kind: "interrupted", at },
    { kind: "url_removed", at },
  ];
  test("an ended delivery never changes again", () => {
    for (const event of events) {
      assert.equal(next({ state: "delivered", attempts: 1, at, accepted: "current" }, event), undefined);
      for (const reason of ["exhausted", "refused", "url_removed"] as const)
        assert.equal(next({ state: "failed", attempts: 6, at, reason }, event), undefined);
    }
  });
  test("a late reply does not touch a delivery that waits", () => {
    for (const event of events)
      if (event.kind !== "claimed" && event.kind !== "url_removed") assert.equal(next(waiting, event), undefined);
  });
  test("a delivery that is being sent is not claimed again", () => {
    assert.equal(next(sending, claimed({ claims: 2 })), undefined);
  });
});

test("whatever happens, a delivery ends after at most six attempts of one request for each secret and one more", () => {
  const answer = fc.record({
    statusCode: fc.integer({ min: 100, max: 650 }),
    redirect: fc.boolean(),
    silent: fc.constantFrom("no", "unanswered", "kept_connection_closed"),
    secrets: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(fc.infiniteStream(answer), fc.boolean(), (answers, isTest) => {
      let delivery: Delivery = { ...waiting, isTest };
      let requests = 0;
      let claims = 0;
      for (const { statusCode, redirect, silent, secrets: count } of answers) {
        if (delivery.state === "delivered" || delivery.state === "failed") break;
        if (delivery.state === "sending") requests++;
        else claims++;
        const event: DeliveryEvent =
          delivery.state === "waiting"
            ? claimed({ claims, secrets: ["a", ...["b", "c", "d", "e"].slice(0, count - 1)], at: delivery.dueAt })
            : silent === "unanswered"
              ? unanswered
              : silent === "kept_connection_closed"
                ? { kind: silent, at, jitter: 0 }
                : responded(statusCode, redirect ? { redirectTo: url } : {});
        const after = next(delivery, event);
        assert.ok(after !== undefined);
        delivery = after;
      }
      assert.ok(requests <= attemptsMax * 6);
      assert.ok((delivery.state === "delivered" || delivery.state === "failed") && delivery.attempts <= attemptsMax);
    }),
  );
});
