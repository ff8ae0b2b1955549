import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { kindOf } from "../database/kind.ts";
import { lockForm } from "../database/lock.ts";
import { commitReading, executePipeline, type ReadStatements } from "../database/pipeline.ts";
import { findWorkers } from "../database/workers.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import type { NewEvent } from "../outbox/event.ts";
import { recordEvents } from "../outbox/record-events.ts";
import { type Begun, createBeginClaims } from "./begin-store.ts";
import { type ClaimedDelivery, type EndedRequest, leaseMilliseconds, type Stored } from "./claim.ts";
import { gapMillisecondsMax, gapsMillisecondsMax, type Instant } from "./delivery.ts";
import { type ClaimScope, claimRows, queueColumns } from "./queue-claim.ts";
import { compileDetails } from "./queue-details.ts";
import { compileKept, endTurns, type StartedAttempt, toStored } from "./queue-finish.ts";
import { compileLettingIn } from "./queue-let-in.ts";
import { type ClaimPlan, type Places, planClaims } from "./queue-plan.ts";
import { settleReachable } from "./settle-reachable.ts";

export interface Claim extends Begun {
  /** The destination that was served last; the next walk begins after it. */
  readonly lastDestination: string;
  /** Something was due, and another process was just taking all of it; or later attempts were let in, or put back: after it more may be due. */
  readonly contended: boolean;
}

export interface SettledAndClaimed {
  /** In the order of the completions. */
  readonly stored: readonly Stored[];
  readonly claim: Claim | undefined;
}

/** The queue of deliveries: what is due, who sends it, how it continued. */
export interface DeliveryStore {
  /** One transaction's worth where another thread runs it, so that this one has something to send meanwhile; else all there is. */
  readonly completionsMax?: number;
  /** Two transactions may be under way at once: one that stores how requests ended, and one that claims. */
  readonly settlesApart: boolean;
  /**
   * Stores how requests ended and then claims what is due, in one transaction: a commit waits for the disk, and a process that has
   * something to store has room for something to claim. Without a scope nothing is claimed. With nothing to store or claim
   * there is no transaction.
   */
  settleAndClaim(completions: readonly EndedRequest[], scope: ClaimScope | undefined): Promise<SettledAndClaimed>;
  /** Writes test events and claims their deliveries in the same transaction: the caller sends them itself. */
  claimNew(event: NewEvent, now: Instant): Promise<ClaimedDelivery | undefined>;
  /** When the next row is due, claimed ones included. */
  findNextDue(): Promise<Instant | undefined>;
  /**
   * Makes due what is due later than its attempt can be: the clock was ahead when that was written, and is right again. All that waits is looked at
   * for it; otherwise what is due later than any attempt can be.
   */
  bringForward(now: Instant, isAllLookedAt: boolean): Promise<void>;
  /** Makes every claimed row due at once: only for the one process that has the database to itself, when it starts. */
  releaseAll(now: Instant): Promise<void>;
}

const noPlan: ClaimPlan = { grants: [], lastDestination: "" };
/** While so many are under way, more are usually due. */
const busyMin = 16;
const nothing = { deliveries: [], ended: [], putBack: 0, unreadable: [], locked: [], contended: false };

export function createDeliveryStore(database: Database, secretBox: SecretBox): DeliveryStore {
  const begin = createBeginClaims(secretBox);
  const places: Places = new Map();
  return {
    settlesApart: kindOf(database) === "postgres",

    settleAndClaim(completions, scope) {
      const workers = findWorkers(database);
      return workers === undefined
        ? settleAndClaim(completions, scope)
        : settleReachable(workers, completions, (reachable) => settleAndClaim(reachable, scope));
    },

    claimNew: (event, now) =>
      database.transaction().execute(async (transaction) => {
        await lockForm(transaction, event.formId, "keep");
        const [id] = await recordEvents(transaction, [event]);
        if (id === undefined) return undefined;
        const token = randomUUID();
        const rows = await transaction
          .updateTable("delivery_queue")
          .set({ claim_token: token, claims: 1, due_at: now + leaseMilliseconds })
          .where("form_id", "=", event.formId)
          .where("delivery_id", "=", id)
          .returning(queueColumns)
          .execute();
        const { rows: details } = await transaction.executeQuery(
          compileDetails(transaction, token, now, [event.formId]),
        );
        const { writeAttempts, read } = await begin(transaction, { rows, details }, token, now);
        const attempts = writeAttempts === undefined ? [] : (await transaction.executeQuery(writeAttempts)).rows;
        return read(attempts).deliveries[0];
      }),

    async findNextDue() {
      // Workers that do not answer can't tell, so the search is repeated.
      if (findWorkers(database)?.listAway().length) return undefined;
      const row = await database
        .selectFrom("delivery_queue")
        .select("due_at")
        .orderBy("due_at")
        .limit(1)
        .executeTakeFirst();
      return row?.due_at;
    },

    async bringForward(now, isAllLookedAt) {
      // All of them at once, or a later time.
      if (findWorkers(database)?.listAway().length) return;
      await database
        .updateTable("delivery_queue")
        .set({ due_at: now })
        .where(({ eb, or, and }) =>
          isAllLookedAt
            ? or(
                gapsMillisecondsMax.map((gap, index) =>
                  and([eb("attempt", "=", index + 1), eb("due_at", ">", Math.ceil(now + gap + leaseMilliseconds))]),
                ),
              )
            : eb("due_at", ">", now + gapMillisecondsMax),
        )
        .execute();
    },

    async releaseAll(now) {
      await database
        .updateTable("delivery_queue")
        .set({ claim_token: null, due_at: sql`case when due_at > ${now} then cast(${now} as bigint) else due_at end` })
        .where("claim_token", "is not", null)
        .execute();
    },
  };

  function settleAndClaim(
    completions: readonly EndedRequest[],
    scope: ClaimScope | undefined,
  ): Promise<SettledAndClaimed> {
    return database.connection().execute(async (connection) => {
      // On a connection of its own while the transaction begins, where it is likely that there is something for it to do.
      const isAlongside = kindOf(database) === "postgres" && (completions.length > 0 || isBusy(scope));
      let planning =
        scope === undefined ? Promise.resolve(noPlan) : planClaims(isAlongside ? database : connection, scope, places);
      const lettingIn = scope && compileLettingIn(connection, scope.now);
      // A failure before it is waited for is said first; it is waited for where the claims are made.
      if (isAlongside) planning.catch(() => undefined);
      else if ((await planning).grants.length === 0 && completions.length === 0) {
        const letIn = lettingIn === undefined ? [] : (await connection.executeQuery(lettingIn)).rows;
        const { lastDestination } = await planning;
        if (scope === undefined || letIn.length === 0)
          return { stored: [], claim: scope && { ...nothing, lastDestination } };
        planning = planClaims(connection, scope, places);
        await planning;
      }
      return commitReading(connection, async (transaction): Promise<ReadStatements<SettledAndClaimed>> => {
        const turns = await endTurns(transaction, completions);
        const keeping = compileKept(transaction, turns);
        const toResult = (started: readonly StartedAttempt[], claim: Claim | undefined) => ({
          stored: toStored(completions, turns, started),
          claim,
        });
        const { grants, lastDestination } = await planning;
        if (scope === undefined || grants.length === 0) {
          const claim = scope && { ...nothing, lastDestination };
          return {
            // In the order of the other way below.
            last: [...keeping, lettingIn],
            read: ({ 0: started = [], [keeping.length]: letIn = [] }) =>
              toResult(started as StartedAttempt[], claim && { ...claim, contended: letIn.length > 0 }), // the rows of its first
          };
        }
        const token = randomUUID();
        const [started] = await executePipeline<[StartedAttempt, ...unknown[]]>(transaction, keeping);
        const claimed = await claimRows(transaction, token, scope, grants);
        const { writeAttempts, read } = await begin(transaction, claimed, token, scope.now);
        const isTaken = claimed.rows.length === 0;
        return {
          last: [writeAttempts, lettingIn],
          read([attempts = [], letIn = []]) {
            const begun = read(attempts as StartedAttempt[]); // the rows of its statement
            const contended = isTaken || letIn.length > 0 || begun.putBack > 0;
            return toResult(started, { ...begun, lastDestination, contended });
          },
        };
      });
    });
  }
}

function isBusy(scope: ClaimScope | undefined): boolean {
  return scope !== undefined && scope.inFlight.length >= busyMin;
}
