import { createHmac } from "node:crypto";
import { requireOwnPasskey } from "../accounts/own-passkey.ts";
import { type Dashboard, loadDashboard } from "../dashboard/dashboard-files.ts";
import type { DeliveriesOptions } from "../deliveries/deliveries.ts";
import { createEmbedCode } from "../embed/embed-code.ts";
import { type EmbedScripts, loadEmbedScripts } from "../embed/embed-scripts.ts";
import { createAnnounceRefusal } from "../forms/announce-refusal.ts";
import { createEnvelopeStore } from "../forms/envelope-store.ts";
import { createFormStore } from "../forms/form-store.ts";
import { createMakeKeyPair, type MakeKeyPair } from "../forms/make-key-pair.ts";
import { createPublicForms } from "../forms/public-forms.ts";
import { createRefusedKeys } from "../forms/refused-keys.ts";
import { createRefusedVisitors } from "../forms/refused-visitors.ts";
import { createListNameStore } from "../organizations/list-name-store.ts";
import {
  createListReadQueue,
  createReadListFrom,
  createReadListPage,
  createReadNames,
} from "../organizations/list-reads.ts";
import { createFindListedSigners } from "../organizations/listed-signers.ts";
import { createMemberListStore } from "../organizations/member-list-store.ts";
import { createRecoveryRule } from "../organizations/recovery-rule.ts";
import { createSignedHeadStore } from "../organizations/signed-head-store.ts";
import { createSignedHeads } from "../organizations/signed-heads.ts";
import { createVerifiedLists } from "../organizations/verified-lists.ts";
import { createPersonalKeyStore } from "../personal-keys/personal-key-store.ts";
import { createPasswordQueue, type PasswordQueue } from "../rate-limits/password-queue.ts";
import { createWebhookStore } from "../webhooks/webhook-store.ts";
import { type Accounts, type AccountsOptions, openAccounts } from "./accounts.ts";
import { openDeliveries } from "./deliveries.ts";
import type { Ground } from "./ground.ts";
import { openSubmissions } from "./submissions.ts";

export interface CoreOptions extends AccountsOptions {
  readonly embedFolder: string;
  readonly dashboardFolder: string;
  /** The files of that folder, where they were read before; tests read them once for all their services. */
  readonly dashboard?: Dashboard;
  /** The transport of deliveries; tests bring a certificate authority and a resolver of their own. */
  readonly deliveries?: DeliveriesOptions;
  /** Where requests wait for their passwords to be hashed; tests bring one whose turns they hold. */
  readonly passwordQueue?: PasswordQueue;
  /** Where key pairs of callers without one of their own are made; tests hold its turns. */
  readonly makeKeyPair?: MakeKeyPair;
  /** Pages of long work at once; tests that hold the transactions of several let more begin. */
  readonly pagesAtOnce?: number;
}

/** Whatever more than one capability needs. A capability opens by itself what it alone needs. */
export async function openCore(ground: Ground, options: CoreOptions) {
  const { config, database, clock } = ground;
  const accounts = openAccounts(ground, options);
  const { deliveries, wakeDeliveries, metrics } = openDeliveries(ground, options.deliveries ?? {});
  const submissions = openSubmissions(
    ground,
    { ...accounts, pagesAtOnce: options.pagesAtOnce },
    { deliveries, wakeDeliveries, metrics },
  );
  const hasMail = config.mail !== undefined;
  const embedScripts = await loadEmbedScripts(database, options.embedFolder, clock.now());
  const forms = openForms(ground, accounts, embedScripts);
  await forms.refusedVisitors.restore();
  return {
    ...ground,
    ...accounts,
    ...submissions,
    ...forms,
    ...openLists(ground, accounts),
    ...{ deliveries, wakeDeliveries, metrics, embedScripts },
    wakePurge: submissions.purge.wake,
    wakeEmails: accounts.emails.wake,
    sendVerification: accounts.emails.sendVerification,
    sendSecurityMail: accounts.emails.sendSecurityMail,
    hasMail,
    requireOwnFactor: (session: Parameters<typeof requireOwnPasskey>[1]) =>
      requireOwnPasskey(accounts.passkeys, session),
    passwordQueue: options.passwordQueue ?? createPasswordQueue(),
    makeKeyPair: options.makeKeyPair ?? createMakeKeyPair(),
    webhooks: createWebhookStore(database, ground.secretBox),
    page: {
      ...{ accounts: accounts.accounts, dashboard: options.dashboard ?? loadDashboard(options.dashboardFolder) },
      ...{ signUp: config.signUp, oidc: config.oidc, deliveryLogDays: config.deliveryLogDays, hasMail },
    },
    setupToken: deriveSetupToken(ground),
  };
}

export type Core = Awaited<ReturnType<typeof openCore>>;

function openForms(
  { config, database, clock, address, notifications, mayDropOld }: Ground,
  { emails }: Accounts,
  scripts: EmbedScripts,
) {
  const forms = createFormStore(database);
  const refusedVisitors = createRefusedVisitors({
    ...{ database, clock, wakeEmails: emails.wake },
    announce: createAnnounceRefusal({
      hasMail: config.mail !== undefined,
      ...emails,
      createSnippet: (id, pin) => createEmbedCode(address.baseUrl(), scripts.newest, { id, encryption: true }, pin),
    }),
    tell: (line) => notifications?.tell(line),
  });
  return {
    forms,
    envelopes: createEnvelopeStore(database, mayDropOld),
    publicForms: createPublicForms(forms, clock),
    refusedVisitors,
    refusedKeys: createRefusedKeys({ forms, refusedVisitors }),
  };
}

/** Signed lists of members, and the keys that they name. */
function openLists({ database, clock }: Ground, { members, organizations }: Accounts) {
  const memberLists = createMemberListStore(database);
  const listNames = createListNameStore(database);
  const reads = createListReadQueue();
  const verifiedLists = createVerifiedLists(memberLists);
  const signedHeadStore = createSignedHeadStore(database);
  const personalKeys = createPersonalKeyStore(database);
  return {
    readListPage: createReadListPage(memberLists, reads),
    readListFrom: createReadListFrom(memberLists, reads),
    readNames: createReadNames(listNames, reads),
    ...{ memberLists, listNames, verifiedLists, signedHeadStore, personalKeys },
    signedHeads: createSignedHeads({ members, memberLists, signedHeadStore }),
    requireRecoveryKey: createRecoveryRule({ organizations, memberLists, verifiedLists }),
    findListedSigners: createFindListedSigners(memberLists, verifiedLists),
    /** The public halves of a person's own key, as they have stored them. */
    findOwnHalves: async (personId: Parameters<typeof personalKeys.find>[0]) =>
      (await personalKeys.find(personId, clock.now())).personalKey,
  };
}

/** The one-time token for the first account, the same in every process of an instance; it opens nothing once there is an account. */
function deriveSetupToken({ secretBox, instanceId }: Ground): string {
  const [key] = secretBox.signingKeys("setup");
  return createHmac("sha256", key).update(instanceId).digest("base64url").slice(0, 24);
}
