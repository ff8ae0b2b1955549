import type { AccountId } from "@sealpost/wire";
import type { Principal } from "../access/principal.ts";
import { listHeldForms } from "../account-life/account-deletion-store.ts";
import { remindOfKeys } from "../api-keys/remind-of-keys.ts";
import { createAuditRetentionStore } from "../audit-log/audit-retention-store.ts";
import { createRemoveShortened } from "../audit-log/audit-shortening-store.ts";
import { hasLeftMany } from "../audit-log/log-share-store.ts";
import { createReport } from "../database/failed-rows.ts";
import { kindOf } from "../database/kind.ts";
import { stepOfFirst } from "../database/round.ts";
import { truncateLog } from "../database/truncate-log.ts";
import { createRemindOfHolds } from "../forms/form-hold-store.ts";
import { byNobody, createSendSecurityMail } from "../mail/security-mail-store.ts";
import { createAdmit } from "../quotas/admission.ts";
import { createHourlyMeter } from "../quotas/hourly-meter.ts";
import type { RoomShare } from "../quotas/quota.ts";
import { roomAsked } from "../quotas/room.ts";
import { createStorageMeter } from "../quotas/storage-meter.ts";
import { findStorage } from "../quotas/storage-store.ts";
import { createUsageMeter } from "../quotas/usage-meter.ts";
import { createUsageStore } from "../quotas/usage-store.ts";
import { createPageTurns, pagesAtOnce as defaultPagesAtOnce } from "../rate-limits/page-turns.ts";
import type { RateLimits } from "../rate-limits/rate-limits.ts";
import { createBinPurgeStore } from "../retention/bin-purge-store.ts";
import { createPurgeStore } from "../retention/purge-store.ts";
import { createPurgeWorker } from "../retention/purge-worker.ts";
import { createRetentionStore } from "../retention/retention-store.ts";
import { createBinStore } from "../submissions/bin-store.ts";
import { createCountQueue } from "../submissions/count-received-store.ts";
import { createFirstSubmissions } from "../submissions/first-submission.ts";
import { createIngest } from "../submissions/ingest.ts";
import { createWriteInThread } from "../submissions/ingest-thread.ts";
import { createWarnOfAhead } from "../submissions/row-order.ts";
import { createStripFields } from "../submissions/strip-fields.ts";
import { createStripThread } from "../submissions/strip-thread.ts";
import { createSubmissionStore, type SubmissionStore } from "../submissions/submission-store.ts";
import { dayMilliseconds } from "../time/clock.ts";
import type { OpenDeliveries } from "./deliveries.ts";
import { createRemoveEnded, createTidy } from "./ended-rows.ts";
import type { Ground } from "./ground.ts";

interface SubmissionParts {
  readonly rateLimits: RateLimits;
  readonly purgeAccounts: (now: number) => Promise<boolean>;
  readonly pagesAtOnce: number | undefined;
}

/** How submissions come in, what room there is for them, and how they go. */
export function openSubmissions(
  ground: Ground,
  { rateLimits, purgeAccounts, pagesAtOnce = defaultPagesAtOnce[kindOf(ground.database)] }: SubmissionParts,
  deliveries: OpenDeliveries,
) {
  const { database } = ground;
  const retention = createRetentionStore(database);
  const hasMail = ground.config.mail !== undefined;
  const sendSecurityMail = createSendSecurityMail({ hasMail });
  const auditRetention = createAuditRetentionStore(database);
  const remindOfHolds = createRemindOfHolds(database, (transaction, { accountId, formId, until }) =>
    sendSecurityMail(transaction, { accountId, event: "form_hold_over", by: byNobody, occurredAt: until, formId }),
  );
  const purge = createPurgeWorker({
    ...{ retention, clock: ground.clock, wakeDeliveries: deliveries.wakeDeliveries },
    purge: createPurgeStore(database),
    bin: createBinPurgeStore(database),
    purgeAuditLog: (now) => auditRetention.removeBefore(now - ground.config.auditLogDays * dayMilliseconds, now),
    shortenAuditLog: createRemoveShortened(
      database,
      async (transaction, id) => (await listHeldForms(transaction, [id])).length > 0,
    ),
    purgeEnded: createRemoveEnded(database),
    tidy: createTidy(database),
    purgeAccounts,
    remind: (now) =>
      stepOfFirst([() => remindOfHolds(now), () => remindOfKeys(database, now, { sendSecurityMail, hasMail })]),
    isClockTrusted: ground.isClockTrusted,
    findHeldBack: ground.findHeldBack,
    eraseTraces: () => truncateLog(database),
    report: createReport(ground.log, "purge"),
    warnOfClock: () =>
      ground.log.warn(
        "the clock jumped ahead, or was set back: nothing is deleted for its age before it has advanced for a day or is set right: look at it, with `sealpost-server doctor` or on the instance page",
      ),
  });
  const submissions = createSubmissionStore(database);
  return {
    ...{ submissions, retention, purge },
    bin: createBinStore(database),
    countQueue: createCountQueue(),
    pageTurns: createPageTurns(pagesAtOnce),
    ingest: openIngest(ground, submissions, deliveries),
    firstSubmissions: createFirstSubmissions({ ...ground, submissions }),
    stripFields: openStripFields(ground),
    ...openRoom(ground, submissions, rateLimits),
  };
}

export type OpenSubmissions = ReturnType<typeof openSubmissions>;

function openIngest(
  { database, writer, clock, log }: Ground,
  submissions: SubmissionStore,
  { metrics, wakeDeliveries }: OpenDeliveries,
) {
  const writeInThread = writer && createWriteInThread(writer);
  const observeBatch = metrics?.observeBatch;
  const observeAhead = createWarnOfAhead({ now: () => clock.now(), warn: (message) => log.warn(message) });
  const ingest = createIngest({
    ...{ database, writeInThread, submissions, wakeDeliveries, observeBatch, observeAhead },
  });
  return metrics?.watchIngest(ingest) ?? ingest;
}

function openStripFields({ closers }: Ground) {
  const thread = createStripThread();
  closers.push(() => thread.stop());
  return createStripFields(thread);
}

/** How full disk, accounts and forms are. */
function openRoom({ config, database, clock, log }: Ground, submissions: SubmissionStore, rateLimits: RateLimits) {
  const usage = createUsageStore(database, config.defaultPlan);
  const meter = config.hasQuotas
    ? createUsageMeter({ usage, hasLeftMany: (writer) => hasLeftMany(database, writer) })
    : undefined;
  const storage = createStorageMeter({
    measure: () => findStorage(config, database),
    onChange: (isFull) =>
      isFull
        ? log.error("nothing new is accepted, no submission above all: there is no room (sealpost-server doctor)")
        : log.warn("there is room again: submissions are accepted"),
  });
  const admit = createAdmit({
    storage,
    usage: meter,
    hourly: createHourlyMeter({ usage, clock }),
    countQuiet: rateLimits.countQuiet,
    isKnown: async (formId, id) => (await submissions.findPosition(formId, id)) !== undefined,
  });
  return {
    ...{ usage, admit },
    async hasRoom(accountId?: AccountId, share?: RoomShare, asker?: Principal) {
      roomAsked.publish(accountId);
      if ((await storage.take(0)) === "none") return false;
      return accountId === undefined || (await meter?.hasRoomForOther(accountId, share, asker)) !== false;
    },
  };
}
