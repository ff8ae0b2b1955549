import { createHmac } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import { requireOwnPasskey } from "./accounts/own-passkey.ts";
import { type AppDependencies, createApp } from "./app.ts";
import type { Config } from "./config/config.ts";
import { loadDashboard } from "./dashboard/dashboard-files.ts";
import type { BackgroundStep } from "./database/background-steps.ts";
import { createBackgroundWorker } from "./database/background-worker.ts";
import type { Database } from "./database/database.ts";
import { explainFolderFailure } from "./database/folder-failure.ts";
import { backgroundSteps, type TableVersion } from "./database/migrate.ts";
import { findWorkers } from "./database/workers.ts";
import type { DeliveriesOptions } from "./deliveries/deliveries.ts";
import { createFindHealth } from "./doctor/find-health.ts";
import { createEmbedCode } from "./embed/embed-code.ts";
import { loadEmbedScripts } from "./embed/embed-scripts.ts";
import { createEnvelopeStore } from "./forms/envelope-store.ts";
import { createFormReservationStore } from "./forms/form-reservation-store.ts";
import { createFormStore } from "./forms/form-store.ts";
import { createKeyLogStore } from "./forms/key-log-store.ts";
import { createMakeKeyPair, type MakeKeyPair } from "./forms/make-key-pair.ts";
import { createPublicForms } from "./forms/public-forms.ts";
import { createRefusedKeys, type RefusedKeys } from "./forms/refused-keys.ts";
import type { ConnectionLimits } from "./http/connections.ts";
import type { Readiness } from "./http/health-routes.ts";
import { createLog } from "./http/log.ts";
import { findOpenFolder } from "./instance/data-folder.ts";
import { createCollect } from "./metrics/process-metrics.ts";
import { createAdmissionStore } from "./organizations/admission-store.ts";
import { createAdmissions } from "./organizations/admissions.ts";
import { createFindListedSigners } from "./organizations/listed-signers.ts";
import { createMemberListStore } from "./organizations/member-list-store.ts";
import { createRecoveryRule } from "./organizations/recovery-rule.ts";
import { createSignedHeadStore } from "./organizations/signed-head-store.ts";
import { createSignedHeads } from "./organizations/signed-heads.ts";
import { createVerifiedLists } from "./organizations/verified-lists.ts";
import type { Output } from "./output/output.ts";
import { createDeviceRequestStore } from "./personal-keys/device-request-store.ts";
import { createFormerKeyStore } from "./personal-keys/former-key-store.ts";
import { createPersonalKeyStore } from "./personal-keys/personal-key-store.ts";
import { createPasswordQueue, type PasswordQueue } from "./rate-limits/password-queue.ts";
import { type Accounts, type AccountsOptions, openAccounts } from "./startup/accounts.ts";
import { type OpenDeliveries, openDeliveries } from "./startup/deliveries.ts";
import { type Closers, createReport, type Ground, openGround } from "./startup/ground.ts";
import { openPasskeys } from "./startup/passkeys.ts";
import { type OpenSubmissions, openSubmissions } from "./startup/submissions.ts";
import { createStatisticsStore } from "./statistics/statistics-store.ts";
import { createSubmissionDeletionStore } from "./submissions/submission-deletion-store.ts";
import type { Clock } from "./time/clock.ts";
import { createWebhookStore } from "./webhooks/webhook-store.ts";

export const embedFolder = fileURLToPath(new URL("../../embed/dist/browser", import.meta.url));
export const dashboardFolder = fileURLToPath(new URL("../../dashboard/dist", import.meta.url));

export interface ServiceOptions extends AccountsOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly embedFolder?: string;
  /** The transport of deliveries; tests bring a certificate authority and a resolver of their own. */
  readonly deliveries?: DeliveriesOptions;
  /** Where requests wait for their passwords to be hashed; tests bring one whose turns they hold. */
  readonly passwordQueue?: PasswordQueue;
  /** Where key pairs of callers without one of their own are made; tests hold its turns. */
  readonly makeKeyPair?: MakeKeyPair;
  /** Where the log goes; standard output when omitted. */
  readonly output?: Pick<Output, "write" | "dropped">;
  /** False where `/health/ready` answers 503 until `announced` is called. */
  readonly isAnnounced?: boolean;
  /** How long clients may take and how many there may be, where it differs from the usual. */
  readonly connections?: Partial<ConnectionLimits>;
  /** Called before each transaction of a request that came with a credential; tests take rights away here. */
  readonly beforeTransaction?: AppDependencies["beforeTransaction"];
  /** How often a process looks whether the secret is being changed; tests are less patient. */
  readonly secretMilliseconds?: number;
  /** The tables that it brings the database to, where they are not this program's own. */
  readonly tables?: TableVersion;
  /** The thread that writes to SQLite, where it is not this program's own. */
  readonly writerEntry?: URL;
}

export interface Service {
  readonly app: FastifyInstance;
  readonly database: Database;
  /** The public origin. */
  readonly url: string;
  /** The one-time token for the first account; `undefined` when there is an account already. */
  readonly setupToken: string | undefined;
  /** The operator can read where the service is, and how to make the first account: from here on it is ready. */
  announced(): void;
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
  const closers: Closers = [];
  const close = async () => {
    const outcomes: PromiseSettledResult<unknown>[] = [];
    // One that fails keeps none of the others open, or the process would never end.
    for (const end of closers.splice(0).reverse()) outcomes.push(...(await Promise.allSettled([end()])));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  };
  try {
    return await start(options, closers, close);
  } catch (error) {
    await close();
    const { databaseUrl, dataFolder } = options.config;
    throw databaseUrl === undefined ? explainFolderFailure(error, dataFolder) : error;
  }
}

/** Floor by floor, as `docs/architecture.md` draws them: each is opened with those below it. */
async function start(options: ServiceOptions, closers: Closers, close: () => Promise<void>): Promise<Service> {
  const { config, clock } = options;
  let readiness: Readiness = options.isAnnounced === false ? "starting" : "ready";
  let stopped: Promise<void> | undefined;
  const log = createLog(config.logLevel, options.output);
  const ground = await openGround({
    ...{ config, clock, closers, log, countDropped: () => options.output?.dropped() ?? 0 },
    secretMilliseconds: options.secretMilliseconds,
    tables: options.tables,
    writerEntry: options.writerEntry,
  });
  const accounts = openAccounts(ground, options);
  const deliveries = openDeliveries(ground, options.deliveries ?? {});
  const submissions = openSubmissions(ground, accounts, deliveries);
  const parts: Parts = { ground, accounts, deliveries, submissions };
  const setupToken = deriveSetupToken(ground);
  const dependencies = await gather(parts, options);
  const app: FastifyInstance = await createApp({ ...dependencies, setupToken, readiness: () => readiness });
  await beginWork(
    { ...parts, refusedKeys: dependencies.refusedKeys },
    app,
    options.tables?.backgroundSteps ?? backgroundSteps,
  );
  return {
    app,
    database: ground.database,
    url: ground.address.baseUrl(),
    setupToken: (await accounts.accounts.count()) === 0 ? setupToken : undefined,
    announced: () => {
      if (readiness === "starting") readiness = "ready";
    },
    stop: () => {
      readiness = "stopping";
      stopped ??= drain(config.drainSeconds).then(close);
      return stopped;
    },
  };
}

interface Parts {
  readonly ground: Ground;
  readonly accounts: Accounts;
  readonly deliveries: OpenDeliveries;
  readonly submissions: OpenSubmissions;
}

/** The dependencies of the routes. */
async function gather(
  parts: Parts,
  { passwordQueue = createPasswordQueue(), makeKeyPair = createMakeKeyPair(), ...options }: ServiceOptions,
): Promise<Omit<AppDependencies, "setupToken" | "readiness">> {
  const { ground, accounts, submissions } = parts;
  const { deliveries, wakeDeliveries, metrics } = parts.deliveries;
  const { config, database, clock, secretBox } = ground;
  const { emails } = accounts;
  const forms = createFormStore(database);
  const memberLists = createMemberListStore(database);
  const verifiedLists = createVerifiedLists(memberLists);
  const { organizations } = accounts;
  const admissionStore = createAdmissionStore(database);
  const personalKeys = createPersonalKeyStore(database);
  const signedHeadStore = createSignedHeadStore(database);
  const embedScripts = await loadEmbedScripts(database, options.embedFolder ?? embedFolder, clock.now());
  const refusedKeys = createRefusedKeys({
    ...{ database, forms, clock, sendSecurityMail: emails.sendSecurityMail, wakeEmails: emails.wake },
    createSnippet: (id, pin) =>
      createEmbedCode(ground.address.baseUrl(), embedScripts.newest, { id, encryption: true }, pin),
    tell: (line) => ground.notifications?.tell(line),
  });
  return {
    ...ground,
    ...accounts,
    ...submissions,
    ...{ forms, wakeDeliveries, passwordQueue, makeKeyPair, memberLists },
    envelopes: createEnvelopeStore(database),
    formReservations: createFormReservationStore(database),
    keyLogs: createKeyLogStore(database),
    verifiedLists,
    requireRecoveryKey: createRecoveryRule({ organizations, memberLists, verifiedLists }),
    findListedSigners: createFindListedSigners(memberLists, verifiedLists),
    admissionStore,
    admissions: createAdmissions({
      ...{ database, memberLists, verifiedLists, clock, admissions: admissionStore },
      ...{ members: accounts.members, sendSecurityMail: emails.sendSecurityMail },
    }),
    signedHeadStore,
    signedHeads: createSignedHeads({ members: accounts.members, memberLists, signedHeadStore }),
    oidc: await loadOidc(parts),
    passkeyRoutes: openPasskeys(ground, accounts),
    personalKeys,
    findOwnHalves: async (personId) => (await personalKeys.find(personId, clock.now())).personalKey,
    formerKeys: createFormerKeyStore(database),
    deviceRequests: createDeviceRequestStore(database),
    requireOwnFactor: (session) => requireOwnPasskey(accounts.passkeys, session),
    signUp: config.signUp,
    hasMail: config.mail !== undefined,
    defaultPlan: config.defaultPlan,
    deliveryLogDays: config.deliveryLogDays,
    findHealth: createFindHealth(ground),
    wakeEmails: emails.wake,
    sendVerification: emails.sendVerification,
    sendSecurityMail: emails.sendSecurityMail,
    mailSwitches: emails.switches,
    unsubscribeLinks: emails.unsubscribeLinks,
    publicForms: createPublicForms(forms, clock),
    refusedKeys,
    webhooks: createWebhookStore(database, secretBox),
    deliveryLog: deliveries.log,
    sendNow: deliveries.sendNow,
    checkWebhookUrl: deliveries.checkWebhookUrl,
    deletions: createSubmissionDeletionStore(database),
    statistics: createStatisticsStore(database),
    wakePurge: submissions.purge.wake,
    embedScripts,
    dashboard: loadDashboard(dashboardFolder),
    metrics: metrics && { ...metrics, collect: createCollect(metrics.registry) },
    connections: options.connections,
    beforeTransaction: options.beforeTransaction,
  };
}

/** Single sign-on, and its library, where there is a provider. */
async function loadOidc({ ground, accounts, submissions }: Parts): Promise<AppDependencies["oidc"]> {
  if (ground.config.oidc === undefined) return undefined;
  const { openOidc } = await import("./startup/oidc.ts");
  return openOidc(ground, accounts, submissions.hasRoom);
}

/** Starts what works in the background, and listens. */
async function beginWork(
  parts: Parts & { readonly refusedKeys: RefusedKeys },
  app: FastifyInstance,
  steps: readonly BackgroundStep[],
): Promise<void> {
  const { config, address, database, hosts, notifications, closers } = parts.ground;
  const { deliveries } = parts.deliveries;
  const openFolder = config.databaseUrl === undefined ? findOpenFolder(config.dataFolder) : undefined;
  if (openFolder !== undefined) app.log.warn(openFolder);
  hosts?.logTo(app.log);
  findWorkers(database)?.logTo(app.log);
  await deliveries.start(app.log);
  notifications?.start(deliveries.wake, parts.refusedKeys.hear);
  closers.push(() => deliveries.stop());
  const { emails } = parts.accounts;
  emails.start(app.log);
  closers.push(() => emails.stop());
  const { purge } = parts.submissions;
  purge.start();
  closers.push(() => purge.stop());
  closers.push(() => app.close());
  await app.listen({ host: config.host, port: config.port });
  const listening = app.server.address();
  if (typeof listening === "object" && listening !== null) address.listeningOn(listening.port);
  parts.ground.secretWatch.start(app.log);
  startBackgroundWorker(parts.ground, app, steps);
}

/** Last: it may take hours, while everything is served. */
function startBackgroundWorker(
  { database, directHosts: hosts, log, closers }: Ground,
  app: FastifyInstance,
  steps: readonly BackgroundStep[],
): void {
  if (hosts === undefined || steps.length === 0) return;
  const worker = createBackgroundWorker({ database, hosts, steps, log: app.log, report: createReport(log, "tables") });
  worker.start();
  closers.push(() => worker.stop());
}

/** The same in every process of an instance; it opens nothing once there is an account. */
function deriveSetupToken({ secretBox, instanceId }: Ground): string {
  const [key] = secretBox.signingKeys("setup");
  return createHmac("sha256", key).update(instanceId).digest("base64url").slice(0, 24);
}

async function drain(seconds: number): Promise<void> {
  if (seconds > 0) await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
