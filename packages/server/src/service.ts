import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import { createAccountActions } from "./accounts/account-actions.ts";
import { createAccountStateStore } from "./accounts/account-state-store.ts";
import { createAccountStore } from "./accounts/account-store.ts";
import { createAuth, type Passwords } from "./accounts/auth.ts";
import { createAuthenticate } from "./accounts/authentication.ts";
import { createKnownBrowsers } from "./accounts/known-browsers.ts";
import { createPasswordQueue, type PasswordQueue } from "./accounts/password-queue.ts";
import { createPasswordReset } from "./accounts/password-reset.ts";
import { createOwnAddress } from "./address.ts";
import { createApiKeyStore } from "./api-keys/api-key-store.ts";
import { createKeyUses } from "./api-keys/key-uses.ts";
import { createApp } from "./app.ts";
import { createAuditLogStore, recordAction, recordRepeated } from "./audit-log/audit-log-store.ts";
import { createCountedActions } from "./audit-log/counted-actions.ts";
import { type Clock, dayMilliseconds, systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { loadDashboard } from "./dashboard/dashboard-files.ts";
import { type Database, openDatabase } from "./database/database.ts";
import { explainFolderFailure } from "./database/folder-failure.ts";
import { kindOf } from "./database/kind.ts";
import { migrate } from "./database/migrate.ts";
import { takeServingLock } from "./database/serving-lock.ts";
import { createSharedClock } from "./database/shared-clock.ts";
import { truncateLog } from "./database/truncate-log.ts";
import { createWakeUps } from "./database/wake-ups.ts";
import { createDeliveries, type DeliveriesOptions } from "./deliveries/deliveries.ts";
import { loadEmbedScripts } from "./embed/embed-scripts.ts";
import { createFormStore } from "./forms/form-store.ts";
import { createMakeKeyPair, type MakeKeyPair } from "./forms/make-key-pair.ts";
import { createPublicForms } from "./forms/public-forms.ts";
import type { ConnectionLimits } from "./http/connections.ts";
import { findOpenFolder } from "./instance/data-folder.ts";
import { loadInstanceId, loadSecret } from "./instance.ts";
import { createMails, type MailsOptions } from "./mail/mails.ts";
import { readBacklog } from "./metrics/backlog-store.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { createCollect } from "./metrics/process-metrics.ts";
import { createAdmit } from "./quotas/admission.ts";
import { createHourlyMeter } from "./quotas/hourly-meter.ts";
import { createStorageMeter } from "./quotas/storage-meter.ts";
import { findStorage } from "./quotas/storage-store.ts";
import { createUsageMeter } from "./quotas/usage-meter.ts";
import { createUsageStore } from "./quotas/usage-store.ts";
import { createUsageWorker } from "./quotas/usage-worker.ts";
import { createRateLimitStore } from "./rate-limits/rate-limit-store.ts";
import { createRateLimits } from "./rate-limits/rate-limits.ts";
import { isClockBelieved } from "./retention/clock-guard-store.ts";
import { createPurgeStore } from "./retention/purge-store.ts";
import { createPurgeWorker } from "./retention/purge-worker.ts";
import { createRetentionStore } from "./retention/retention-store.ts";
import { createSecretBox } from "./secret-box.ts";
import { createStatisticsStore } from "./statistics/statistics-store.ts";
import { createBinStore } from "./submissions/bin-store.ts";
import { createIngest } from "./submissions/ingest.ts";
import { createIngestThread } from "./submissions/ingest-thread.ts";
import { createStripFields } from "./submissions/strip-fields.ts";
import { createStripThread } from "./submissions/strip-thread.ts";
import { createSubmissionDeletionStore } from "./submissions/submission-deletion-store.ts";
import { createSubmissionStore } from "./submissions/submission-store.ts";
import { createWebhookStore } from "./webhooks/webhook-store.ts";

export const embedFolder = fileURLToPath(new URL("../../embed/dist/browser", import.meta.url));
export const dashboardFolder = fileURLToPath(new URL("../../dashboard/dist", import.meta.url));

export interface ServiceOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly embedFolder?: string;
  /** What deliveries reach the outside by; tests bring a certificate authority and a resolver of their own. */
  readonly deliveries?: DeliveriesOptions;
  /** The same for mails. */
  readonly mails?: MailsOptions;
  /** Sign-ins and sign-ups a minute for an address, and for an e-mail address; 0 is off. */
  readonly signInRate?: number;
  /** Requests a minute to the API key endpoints for an account, 20 unless told otherwise; 0 is off. */
  readonly apiKeyRate?: number;
  /** Where requests wait for their passwords to be hashed; tests bring one whose turns they hold. */
  readonly passwordQueue?: PasswordQueue;
  /** Where key pairs of callers without one of their own are made; tests hold its turns. */
  readonly makeKeyPair?: MakeKeyPair;
  /** Instead of the sign-in library's own: tests, whose accounts share a password, hash it once. */
  readonly passwords?: Passwords;
  /** How long clients may take and how many there may be, where it differs from the usual. */
  readonly connections?: Partial<ConnectionLimits>;
}

export interface Service {
  readonly app: FastifyInstance;
  readonly database: Database;
  /** The public origin. */
  readonly url: string;
  /** The one-time token for the first account; `undefined` when there is an account already. */
  readonly setupToken: string | undefined;
  /**
   * Says that it is not ready for as long as a load balancer needs to see it, if there is one. Then stops taking requests,
   * lets open ones and running attempts end, closes the database.
   */
  stop(): Promise<void>;
}

/**
 * Opens everything and listens. What it opened is closed in reverse when a step fails, and by `stop`. Throws a sentence for
 * the operator when the data folder cannot be used.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return await start(options, closers, stop);
  } catch (error) {
    await stop();
    const { databaseUrl, dataFolder } = options.config;
    throw databaseUrl === undefined ? explainFolderFailure(error, dataFolder) : error;
  }
}

async function start(
  {
    config,
    embedFolder: folder = embedFolder,
    deliveries: deliveriesOptions = {},
    mails: mailsOptions = {},
    signInRate,
    apiKeyRate,
    passwordQueue = createPasswordQueue(),
    makeKeyPair = createMakeKeyPair(),
    passwords,
    connections,
    ...options
  }: ServiceOptions,
  closers: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<Service> {
  let isStopping = false;
  let stopped: Promise<void> | undefined;
  const secretBox = createSecretBox(loadSecret(config.secret, config.dataFolder));
  if (config.databaseUrl === undefined) {
    const lock = takeServingLock(config.dataFolder);
    closers.push(async () => lock.release());
  }
  const database = openDatabase(config);
  closers.push(() => database.destroy());
  await migrate(database);
  const instanceId = await loadInstanceId(database, secretBox);
  const clock = await shareClock(database, options.clock, closers);
  const wakeUps = config.databaseUrl === undefined ? undefined : createWakeUps(database, config.databaseUrl);
  closers.push(async () => wakeUps?.stop());

  const address = createOwnAddress(config);
  // The same in every process of an instance; it opens nothing once there is an account.
  const setupToken = Buffer.from(secretBox.deriveKey(`setup/${instanceId}`), "base64")
    .toString("base64url")
    .slice(0, 24);
  const accounts = createAccountStore(database);
  const accountStates = createAccountStateStore(database);
  const apiKeys = createApiKeyStore(database);
  const mails = createMails({
    config,
    database,
    secretBox,
    clock,
    accountStates,
    baseUrl: address.baseUrl,
    ...mailsOptions,
  });
  const auth = createAuth({
    clock,
    database,
    address,
    secretBox,
    signUp: config.signUp,
    defaultPlan: config.defaultPlan,
    instanceId,
    sendReset: mails.sendReset,
    onPasswordReset: createPasswordReset({
      accounts,
      accountStates,
      apiKeys,
      sendSecurityMail: mails.sendSecurityMail,
      database,
      clock,
    }),
    isDisabled: accountStates.isDisabled,
    endOldest: accounts.endOldest,
    verifiesAddresses: config.mail !== undefined && config.signUp === "open",
    passwords,
  });
  const auditLog = createAuditLogStore(database);
  const countedActions = createCountedActions({
    record: (entry) => recordAction(database, entry),
    recordRepeated: (entry) => recordRepeated(database, entry),
    clock,
    report: (error) => app.log.error({ name: error instanceof Error ? error.name : typeof error }, "audit log"),
  });
  countedActions.start();
  closers.push(() => countedActions.stop());
  const keyUses = createKeyUses({ apiKeys, clock });
  closers.push(() => keyUses.settle());
  const rateLimits = createRateLimits({
    apiRate: config.apiRate,
    submitRate: config.submitRate,
    signInRate,
    apiKeyRate,
    shared: kindOf(database) === "postgres" ? createRateLimitStore(database) : undefined,
    clock,
  });
  closers.push(() => rateLimits.stop());
  const forms = createFormStore(database);
  const submissions = createSubmissionStore(database);
  const webhooks = createWebhookStore(database, secretBox);
  const metrics =
    config.metricsToken === undefined
      ? undefined
      : createMetrics({
          findBacklog: () => readBacklog(database, clock.now()),
          findStorage: () => findStorage(config, database),
          now: clock.now,
        });
  const deliveries = createDeliveries({
    database,
    secretBox,
    clock,
    allowNetworks: config.webhookAllowNetworks,
    logDays: config.deliveryLogDays,
    ...deliveriesOptions,
    observe(signal) {
      deliveriesOptions.observe?.(signal);
      metrics?.observeDelivery(signal);
    },
  });
  const wakeDeliveries = () => {
    deliveries.wake();
    wakeUps?.announce();
  };
  const retention = createRetentionStore(database);
  const bin = createBinStore(database);
  const purge = createPurgeWorker({
    purge: createPurgeStore(database),
    retention,
    bin,
    purgeAuditLog: (now) => auditLog.removeBefore(now - config.auditLogDays * dayMilliseconds),
    clock,
    wakeDeliveries,
    isClockBelieved: (now) => isClockBelieved(database, now),
    eraseTraces: () => truncateLog(database),
    report: (error) => app.log.error({ name: error instanceof Error ? error.name : typeof error }, "purge"),
    warnOfClock: () =>
      app.log.warn(
        "the clock went ahead by more than a week: nothing is deleted for its age before it has gone on for a day",
      ),
  });
  const ingestThread = config.databaseUrl === undefined ? createIngestThread(config.dataFolder) : undefined;
  closers.push(async () => ingestThread?.stop());
  const stripThread = createStripThread();
  closers.push(() => stripThread.stop());
  const ingest = createIngest({
    database,
    thread: ingestThread,
    submissions,
    wakeDeliveries,
    observeBatch: metrics?.observeBatch,
  });

  const usage = createUsageStore(database);
  const usageWorker = createUsageWorker({
    usage,
    clock,
    report: (error) => app.log.error({ name: error instanceof Error ? error.name : typeof error }, "usage"),
  });
  const storage = createStorageMeter({
    measure: () => findStorage(config, database),
    onChange: (isFull) =>
      isFull
        ? app.log.error("nothing new is accepted, no submission above all: there is no room (sealpost-server doctor)")
        : app.log.warn("there is room again: submissions are accepted"),
  });

  const app = await createApp({
    config,
    clock,
    database,
    address,
    auth,
    accounts,
    apiKeys,
    auditLog,
    countedActions,
    accountStates,
    accountActions: createAccountActions({
      auth,
      address,
      accounts,
      apiKeys,
      sendSecurityMail: mails.sendSecurityMail,
      database,
      clock,
      countedActions,
    }),
    sendVerification: mails.sendVerification,
    knownBrowsers: createKnownBrowsers({ secretBox, isHttps: address.isHttps, clock }),
    passwordQueue,
    makeKeyPair,
    keyUses,
    authenticate: createAuthenticate({ auth, sessions: accounts, apiKeys, address, clock }),
    rateLimits,
    signUp: config.signUp,
    setupToken,
    forms,
    publicForms: createPublicForms(forms, clock),
    submissions,
    webhooks,
    deliveryLog: deliveries.log,
    sendNow: deliveries.sendNow,
    deletions: createSubmissionDeletionStore(database),
    bin,
    statistics: createStatisticsStore(database),
    checkWebhookUrl: deliveries.checkWebhookUrl,
    wakeDeliveries,
    retention,
    mailSwitches: mails.switches,
    unsubscribeLinks: mails.unsubscribeLinks,
    sendSecurityMail: mails.sendSecurityMail,
    hasMail: config.mail !== undefined,
    deliveryLogDays: config.deliveryLogDays,
    wakePurge: purge.wake,
    usage,
    admit: createAdmit({
      storage,
      usage: config.hasQuotas ? createUsageMeter({ usage }) : undefined,
      hourly: createHourlyMeter({ usage, clock }),
      countQuiet: rateLimits.countQuiet,
      isKnown: async (formId, id) => (await submissions.findPosition(formId, id)) !== undefined,
    }),
    embedScripts: await loadEmbedScripts(database, folder, clock.now()),
    dashboard: loadDashboard(dashboardFolder),
    hasRoom: async () => (await storage.take(0)) !== "none",
    stripFields: createStripFields(stripThread),
    ingest: metrics?.watchIngest(ingest) ?? ingest,
    metrics: metrics && { ...metrics, collect: createCollect(metrics.registry) },
    isStopping: () => isStopping,
    connections,
  });

  const openFolder = config.databaseUrl === undefined ? findOpenFolder(config.dataFolder) : undefined;
  if (openFolder !== undefined) app.log.warn(openFolder);
  await deliveries.start(app.log);
  wakeUps?.start(deliveries.wake);
  closers.push(() => deliveries.stop());
  mails.start(app.log);
  closers.push(() => mails.stop());
  purge.start();
  closers.push(() => purge.stop());
  usageWorker.start();
  closers.push(() => usageWorker.stop());
  closers.push(() => app.close());
  await app.listen({ host: config.host, port: config.port });
  const listening = app.server.address();
  if (typeof listening === "object" && listening !== null) address.listeningOn(listening.port);
  return {
    app,
    database,
    url: address.baseUrl(),
    setupToken: (await accounts.count()) === 0 ? setupToken : undefined,
    stop: () => {
      isStopping = true;
      stopped ??= drain(config.drainSeconds).then(stop);
      return stopped;
    },
  };
}

async function drain(seconds: number): Promise<void> {
  if (seconds > 0) await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

/** Several machines share a PostgreSQL database and its due times, so they go by its clock; a clock of a test's own is kept. */
async function shareClock(database: Database, clock: Clock, closers: (() => Promise<void>)[]): Promise<Clock> {
  if (kindOf(database) === "sqlite" || clock !== systemClock) return clock;
  const shared = createSharedClock(database, clock);
  await shared.start();
  closers.push(async () => shared.stop());
  return shared;
}
