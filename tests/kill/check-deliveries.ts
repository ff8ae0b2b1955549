import assert from "node:assert/strict";
import type { Database } from "../../packages/server/src/database/database.ts";
import { attemptsMax, claimsMax, gapsMilliseconds } from "../../packages/server/src/deliveries/delivery.ts";
import type { Host } from "./hosts.ts";

/** Between the claim of a delivery, which its log row says, and the begin of its request: what a busy machine needs. */
const startMilliseconds = 10_000;

export interface DeliveryOutcome {
  readonly id: string;
  readonly url: string;
  readonly submissionId: string;
  readonly state: string;
  readonly attempts: number;
  readonly error: string | undefined;
  readonly nextAttemptAt: number | undefined;
  /** Those that were finished, in order. `at`: its end; more is not stored, so the claim's time and the duration make it. */
  readonly finished: readonly { readonly number: number; readonly startedAt: number; readonly at: number }[];
}

/** Every delivery of the forms, with what its log says. */
export async function loadDeliveries(
  database: Database,
  urls: ReadonlyMap<string, string>,
): Promise<DeliveryOutcome[]> {
  const deliveries = await database
    .selectFrom("delivery")
    .innerJoin("event", (join) =>
      join.onRef("event.form_id", "=", "delivery.form_id").onRef("event.id", "=", "delivery.event_id"),
    )
    .select(["delivery.id", "delivery.form_id", "delivery.state", "delivery.attempts"])
    .select(["delivery.last_error", "delivery.next_attempt_at", "event.submission_id"])
    .where("event.kind", "=", "submission.created")
    .execute();
  const attempts = Map.groupBy(
    await database.selectFrom("attempt").selectAll().orderBy("id").execute(),
    (attempt) => attempt.delivery_id,
  );
  return deliveries.map((row) => ({
    id: row.id,
    url: urls.get(row.form_id) ?? "",
    submissionId: row.submission_id ?? "",
    state: row.state,
    attempts: row.attempts,
    error: row.last_error ?? undefined,
    nextAttemptAt: row.next_attempt_at ?? undefined,
    finished: (attempts.get(row.id) ?? []).flatMap(({ number, started_at: startedAt, duration }) =>
      duration === null ? [] : [{ number, startedAt, at: startedAt + duration }],
    ),
  }));
}

/** A delivery that waits is due when the schedule says: the gap after its last attempt, and a tenth of it more at most. */
export function checkSchedule(hosts: readonly Host[], deliveries: readonly DeliveryOutcome[]): void {
  // Redirects are followed at once.
  const hopping = new Set(hosts.filter(isHopping).map(({ url }) => url));
  for (const { url, finished, nextAttemptAt } of deliveries.filter((delivery) => !hopping.has(delivery.url))) {
    for (const [index, attempt] of finished.entries()) {
      const before = finished[index - 1];
      const gap = gapsMilliseconds[attempt.number - 1] ?? Number.NaN;
      if (before !== undefined)
        assert.ok(attempt.startedAt - before.at >= gap, `${url}: attempt ${attempt.number} came too early`);
    }
    const last = finished.at(-1);
    if (nextAttemptAt === undefined || last === undefined) continue;
    const gap = gapsMilliseconds[last.number] ?? Number.NaN;
    // `Retry-After` may lengthen a gap to twice itself.
    const wait = nextAttemptAt - last.at;
    assert.ok(
      wait >= gap && wait <= gap * 2 * 1.1 + startMilliseconds,
      `${url}: waits ${wait} ms after ${last.number}`,
    );
  }
}

export interface Ledger {
  /** Accepted submissions by the URL that they must reach. */
  readonly accepted: ReadonlyMap<string, ReadonlySet<string>>;
  /** At how many kills each delivery was under way. */
  readonly inFlight: ReadonlyMap<string, number>;
}

export interface HostCounts {
  /** Requests that came once more. */
  readonly repeated: number;
  /** Deliveries that were under way at so many kills that the service gave them up. */
  readonly givenUp: number;
}

/** Holds a host's deliveries, once nothing is due any more, to what it must have got. */
export function checkHost(host: Host, deliveries: readonly DeliveryOutcome[], ledger: Ledger): HostCounts {
  const { name, url, expectation } = host;
  const mine = deliveries.filter((delivery) => delivery.url === url);
  const accepted = ledger.accepted.get(url) ?? new Set();
  const known = new Set(mine.map(({ submissionId }) => submissionId));
  assert.deepEqual(
    [...accepted].filter((id) => !known.has(id)),
    [],
    `${name}: accepted and never queued`,
  );
  let repeated = 0;
  let givenUp = 0;
  for (const { id, state, attempts, error, finished } of mine) {
    const kills = ledger.inFlight.get(id) ?? 0;
    // Each kill cost it a claim, and the guard against deliveries that bring the process down could not know better.
    if (error === "interrupted_too_often") {
      assert.ok(kills + finished.length >= claimsMax, `${name}: given up after ${kills} kills`);
      givenUp += 1;
      continue;
    }
    assert.equal(state, expectation.state, `${name}: ${state} after ${attempts} attempts, ${error}`);
    const isInVain = expectation.attempts === "half are hops";
    if (isInVain) assert.equal(attempts, attemptsMax, `${name}: attempts`);
    else if (isHopping(host)) assert.ok(attempts >= 2 && attempts <= 2 + kills, `${name}: ${attempts} attempts`);
    else if (expectation.attempts !== "any") assert.equal(attempts, expectation.attempts, `${name}: attempts`);
    const endsByHop = isInVain && kills > 0 && error === "redirected";
    if (expectation.state === "failed" && !endsByHop) assert.equal(error, expectation.error, name);
    // Each number of an attempt is finished once: nothing follows a permanent failure or a success.
    assert.deepEqual(
      finished.map(({ number }) => number),
      Array.from({ length: attempts }, (_, index) => index + 1),
      `${name}: the attempts in the log`,
    );
    if (host.ledger.size > 0) {
      const requests = host.ledger.get(id) ?? 0;
      // The last attempt of those that hop is not made here.
      const made = isInVain ? attemptsMax / 2 : finished.length - (isHopping(host) ? 1 : 0);
      assert.ok(requests >= made, `${name}: ${requests} requests for ${made} attempts`);
      assert.ok(requests - made <= kills, `${name}: ${requests} requests, ${made} attempts and ${kills} kills`);
      repeated += requests - made;
    }
  }
  return { repeated, givenUp };
}

function isHopping({ expectation }: Host): boolean {
  return expectation.attempts === "one more for each kill" || expectation.attempts === "half are hops";
}
