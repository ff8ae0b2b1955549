import swagger from "@fastify/swagger";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyPluginAsync } from "fastify";
import { installAccess } from "./access/access.ts";
import type { Authenticate } from "./access/principal.ts";
import { createAccountExportRoutes } from "./account-life/account-export-routes.ts";
import { type AccountLifeRouteDependencies, createAccountLifeRoutes } from "./account-life/account-life-routes.ts";
import { type AddressRouteDependencies, createAddressRoutes } from "./account-life/address-routes.ts";
import { type AccountRouteDependencies, createAccountRoutes } from "./accounts/account-routes.ts";
import type { AccountStore } from "./accounts/account-store.ts";
import { createPasswordResetRoutes } from "./accounts/password-reset-routes.ts";
import { createSessionRoutes, type SessionRouteDependencies } from "./accounts/session-routes.ts";
import { createVerificationRoutes } from "./accounts/verification-routes.ts";
import { createDocumentRoutes } from "./api-document/document-routes.ts";
import { installSchemas, openApiOptions } from "./api-document/openapi-options.ts";
import { type ApiKeyRouteDependencies, createApiKeyRoutes } from "./api-keys/api-key-routes.ts";
import { installLastUsed, type LastUsed } from "./api-keys/last-used.ts";
import { createApiReferenceRoutes } from "./api-reference/api-reference-routes.ts";
import { type AuditExportRouteDependencies, createAuditExportRoutes } from "./audit-log/audit-export-routes.ts";
import { type AuditLogRouteDependencies, createAuditLogRoutes } from "./audit-log/audit-log-routes.ts";
import { type FindAgain, findCredentialError } from "./authentication/authentication.ts";
import { installFormerCookies } from "./authentication/former-cookies.ts";
import { installStanding, type StandingDependencies } from "./authentication/standing.ts";
import type { Config } from "./config/config.ts";
import {
  createDashboardRoutes,
  createNotFoundPage,
  type DashboardRouteDependencies,
} from "./dashboard/dashboard-routes.ts";
import type { Database } from "./database/database.ts";
import { createDeliveryRoutes, type DeliveryRouteDependencies } from "./deliveries/delivery-routes.ts";
import { createWebhookTestRoutes, type WebhookTestRouteDependencies } from "./deliveries/webhook-test-routes.ts";
import { documentationFile, loadDocumentation } from "./documentation/documentation-files.ts";
import { createDocumentationRoutes } from "./documentation/documentation-routes.ts";
import { createEmbedRoutes } from "./embed/embed-routes.ts";
import { createEnvelopeRoutes, type EnvelopeRouteDependencies } from "./forms/envelope-routes.ts";
import { createFormChangeRoutes, type FormChangeRouteDependencies } from "./forms/form-change-routes.ts";
import { createFormHoldRoutes, type FormHoldRouteDependencies } from "./forms/form-hold-routes.ts";
import { createFormKeyClosingRoutes } from "./forms/form-key-closing-routes.ts";
import { createFormKeyRoutes, type FormKeyRouteDependencies } from "./forms/form-key-routes.ts";
import { createFormReservationRoutes, type FormReservationRouteDependencies } from "./forms/form-reservation-routes.ts";
import { createFormRoutes, type FormRouteDependencies } from "./forms/form-routes.ts";
import { createKeyLogRoutes, createPublicKeyLogRoutes, type KeyLogRouteDependencies } from "./forms/key-log-routes.ts";
import { createNotificationRoutes, type NotificationRouteDependencies } from "./forms/notification-routes.ts";
import { createPublicFormRoutes } from "./forms/public-form-routes.ts";
import { createRefusedKeyRoutes, type RefusedKeyRouteDependencies } from "./forms/refused-key-routes.ts";
import { createHtmlFormRoutes, findMethodPage } from "./html-forms/html-form-routes.ts";
import { installBodyParsers } from "./http/body-parsers.ts";
import { answerConnects, answerExpectations } from "./http/client-errors.ts";
import { type ConnectionLimits, connectionLimits, findConnectionsMax, limitConnections } from "./http/connections.ts";
import { installErrorHandling } from "./http/errors.ts";
import { installHeaders } from "./http/headers.ts";
import { createHealthRoutes, type Readiness } from "./http/health-routes.ts";
import { installHostCheck } from "./http/host.ts";
import { installRequestLog } from "./http/request-log.ts";
import { installSchemaCompilers } from "./http/schema-compilers.ts";
import { createSecurityTextRoutes } from "./http/security-text-routes.ts";
import { createServerOptions } from "./http/server-options.ts";
import { installStrictQueries } from "./http/strict-query.ts";
import { installUnfinishedBodyLimit } from "./http/unfinished-bodies.ts";
import { installUnreadLimit } from "./http/unread-answers.ts";
import { installUrlLimit } from "./http/url-length.ts";
import type { OwnAddress } from "./instance/own-address.ts";
import type { SecretBox } from "./instance/secret-box.ts";
import { createUnsubscribeRoutes, type UnsubscribeRouteDependencies } from "./mail/unsubscribe-routes.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { createMetricsRoutes } from "./metrics/metrics-routes.ts";
import { createIdentityRoutes, type IdentityRouteDependencies } from "./oidc/identity-routes.ts";
import { createOidcRoutes, type OidcRouteDependencies } from "./oidc/oidc-routes.ts";
import { createFailedMailRoutes, type FailedMailRouteDependencies } from "./operators/failed-mail-routes.ts";
import {
  createInstanceChangeRoutes,
  type InstanceChangeRouteDependencies,
} from "./operators/instance-change-routes.ts";
import {
  createInstanceInvitationRoutes,
  type InstanceInvitationRouteDependencies,
} from "./operators/instance-invitation-routes.ts";
import { createInstanceRoutes, type InstanceRouteDependencies } from "./operators/instance-routes.ts";
import { type AdmissionRouteDependencies, createAdmissionRoutes } from "./organizations/admission-routes.ts";
import { createHandOverRoutes, type HandOverRouteDependencies } from "./organizations/hand-over-routes.ts";
import { createInvitationRoutes, type InvitationRouteDependencies } from "./organizations/invitation-routes.ts";
import type { Invitations } from "./organizations/invitations.ts";
import { createMemberListRoutes, type MemberListRouteDependencies } from "./organizations/member-list-routes.ts";
import { createMemberRoutes, type MemberRouteDependencies } from "./organizations/member-routes.ts";
import type { MemberStore } from "./organizations/member-store.ts";
import { createOrganizationRoutes, type OrganizationRouteDependencies } from "./organizations/organization-routes.ts";
import { createOwnAdmissionRoutes, type OwnAdmissionRouteDependencies } from "./organizations/own-admission-routes.ts";
import { createRecoveryRuleRoutes, type RecoveryRuleRouteDependencies } from "./organizations/recovery-rule-routes.ts";
import {
  createSecondFactorRuleRoutes,
  type SecondFactorRuleRouteDependencies,
} from "./organizations/second-factor-rule-routes.ts";
import { createSignedHeadRoutes, type SignedHeadRouteDependencies } from "./organizations/signed-head-routes.ts";
import { createPasskeyRoutes, type PasskeyRouteDependencies } from "./passkeys/passkey-routes.ts";
import { createPasskeySignInRoutes, type PasskeySignInRouteDependencies } from "./passkeys/passkey-sign-in-routes.ts";
import { createDeviceRequestRoutes } from "./personal-keys/device-request-routes.ts";
import type { PersonalKeyRouteDependencies } from "./personal-keys/key-changes.ts";
import { createKeyCopyRoutes } from "./personal-keys/key-copy-routes.ts";
import { createPersonalKeyRoutes } from "./personal-keys/personal-key-routes.ts";
import { createUsageRoutes, type UsageRouteDependencies } from "./quotas/usage-routes.ts";
import { toClientNetwork } from "./rate-limits/client-address.ts";
import { countRefused, installRateLimits } from "./rate-limits/rate-limit-hooks.ts";
import type { RateLimits } from "./rate-limits/rate-limits.ts";
import { createRetentionRoutes, type RetentionRouteDependencies } from "./retention/retention-routes.ts";
import { createStatisticsRoutes, type StatisticsRouteDependencies } from "./statistics/statistics-routes.ts";
import { type BinRouteDependencies, createBinRoutes } from "./submissions/bin-routes.ts";
import {
  createPublicSubmissionRoutes,
  type PublicSubmissionRouteDependencies,
} from "./submissions/public-submission-routes.ts";
import {
  createSubmissionDeletionRoutes,
  type SubmissionDeletionRouteDependencies,
} from "./submissions/submission-deletion-routes.ts";
import {
  createSubmissionExportRoutes,
  type SubmissionExportRouteDependencies,
} from "./submissions/submission-export-routes.ts";
import { createSubmissionRoutes, type SubmissionRouteDependencies } from "./submissions/submission-routes.ts";
import { createWebhookRoutes, type WebhookRouteDependencies } from "./webhooks/webhook-routes.ts";

export interface AppDependencies
  extends AccountRouteDependencies,
    AddressRouteDependencies,
    AccountLifeRouteDependencies,
    ApiKeyRouteDependencies,
    AuditLogRouteDependencies,
    AuditExportRouteDependencies,
    DashboardRouteDependencies,
    FormRouteDependencies,
    FormChangeRouteDependencies,
    FormKeyRouteDependencies,
    KeyLogRouteDependencies,
    FormHoldRouteDependencies,
    RefusedKeyRouteDependencies,
    EnvelopeRouteDependencies,
    FormReservationRouteDependencies,
    MemberListRouteDependencies,
    AdmissionRouteDependencies,
    OwnAdmissionRouteDependencies,
    SignedHeadRouteDependencies,
    RetentionRouteDependencies,
    Pick<UsageRouteDependencies, "usage">,
    NotificationRouteDependencies,
    UnsubscribeRouteDependencies,
    StatisticsRouteDependencies,
    SubmissionRouteDependencies,
    SubmissionDeletionRouteDependencies,
    BinRouteDependencies,
    SubmissionExportRouteDependencies,
    PublicSubmissionRouteDependencies,
    WebhookRouteDependencies,
    WebhookTestRouteDependencies,
    DeliveryRouteDependencies,
    OrganizationRouteDependencies,
    MemberRouteDependencies,
    InvitationRouteDependencies,
    HandOverRouteDependencies,
    SessionRouteDependencies,
    SecondFactorRuleRouteDependencies,
    RecoveryRuleRouteDependencies,
    Omit<InstanceChangeRouteDependencies, "hasQuotas">,
    InstanceRouteDependencies,
    InstanceInvitationRouteDependencies,
    FailedMailRouteDependencies,
    PersonalKeyRouteDependencies {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly members: MemberStore;
  readonly invitations: Invitations;
  readonly address: OwnAddress;
  readonly authenticate: Authenticate;
  readonly findAgain: FindAgain;
  /** Tests take rights away here. */
  readonly beforeTransaction?: StandingDependencies["beforeTransaction"];
  readonly secretBox: SecretBox;
  readonly lastUsed: LastUsed;
  readonly sessionsLastUsed: LastUsed<string>;
  readonly rateLimits: RateLimits;
  /** `undefined` when nobody may ask for them. */
  readonly metrics: (Pick<Metrics, "watchRequests"> & { readonly collect: () => Promise<string> }) | undefined;
  readonly readiness: () => Readiness;
  readonly passkeyRoutes: PasskeyRouteDependencies & PasskeySignInRouteDependencies;
  /** `undefined` where nobody signs in by an identity provider. */
  readonly oidc: (OidcRouteDependencies & IdentityRouteDependencies) | undefined;
  /** Deviations from the usual limits; tests can't wait as long. */
  readonly connections?: Partial<ConnectionLimits> | undefined;
}

const pluginName = Symbol.for("fastify.display-name");

/** The whole HTTP surface. Every route is in one of the files registered at the end, together with its schema. */
export async function createApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { config, address } = dependencies;
  const limits = { ...connectionLimits, connectionsMax: findConnectionsMax(), ...dependencies.connections };
  const findNotFoundPage = createNotFoundPage(dependencies);
  const app = Fastify(
    createServerOptions({
      ...config,
      ...{ log: dependencies.log, limits, isHttps: address.isHttps, findNotFoundPage },
    }),
  );

  const connections = limitConnections(app.server, limits.connectionsMax);
  app.addHook("preClose", async () => connections.end(limits.stopMilliseconds));
  answerExpectations(app.server);
  answerConnects(app.server, address.isHttps);

  installSchemaCompilers(app);
  installUnreadLimit(app, limits.unreadBytesMax, toClientNetwork);
  installHeaders(app, address.isHttps);
  installHostCheck(app, address);
  installUrlLimit(app);
  installErrorHandling(app, { findMethodPage, findNotFoundPage });
  installRequestLog(app);
  dependencies.metrics?.watchRequests(app);
  await installFormerCookies(app, dependencies);
  installRateLimits(app, {
    ...dependencies,
    onSignInsLimited: dependencies.accountActions.signInsLimited,
  });
  installBodyParsers(app);
  installAccess(app, {
    authenticate: dependencies.authenticate,
    findCredentialError,
    onRefused: (request, reply) => countRefused(request, reply, dependencies.rateLimits),
  });
  installStanding(app, dependencies);
  installUnfinishedBodyLimit(app, limits, toClientNetwork);
  installLastUsed(app, dependencies);
  installSchemas(app);
  installStrictQueries(app);
  await app.register(swagger, openApiOptions);
  // Fastify looks for the name of a plugin that has none among all modules that were ever loaded, at each start.
  const add = (routes: FastifyPluginAsync) => app.register(Object.assign(routes, { [pluginName]: "routes" }));

  await add(createHealthRoutes(dependencies));
  if (config.metricsToken !== undefined && dependencies.metrics !== undefined)
    await add(createMetricsRoutes({ token: config.metricsToken, collect: dependencies.metrics.collect }));
  if (config.securityContacts !== undefined)
    await add(createSecurityTextRoutes({ ...dependencies, contacts: config.securityContacts }));
  await add(createAccountRoutes(dependencies));
  await add(createVerificationRoutes(dependencies));
  await add(createSessionRoutes(dependencies));
  await add(createAddressRoutes(dependencies));
  await add(createAccountLifeRoutes(dependencies));
  await add(createAccountExportRoutes(dependencies));
  await add(createOrganizationRoutes(dependencies));
  await add(createSecondFactorRuleRoutes(dependencies));
  await add(createRecoveryRuleRoutes(dependencies));
  await add(createMemberRoutes(dependencies));
  await add(createMemberListRoutes(dependencies));
  await add(createAdmissionRoutes(dependencies));
  await add(createOwnAdmissionRoutes(dependencies));
  await add(createSignedHeadRoutes(dependencies));
  await add(createInvitationRoutes(dependencies));
  await add(createHandOverRoutes(dependencies));
  await add(createInstanceRoutes(dependencies));
  await add(createInstanceChangeRoutes({ ...dependencies, hasQuotas: config.hasQuotas }));
  await add(createInstanceInvitationRoutes(dependencies));
  await add(createFailedMailRoutes(dependencies));
  await add(createApiKeyRoutes(dependencies));
  await add(createAuditLogRoutes(dependencies));
  await add(createAuditExportRoutes(dependencies));
  await add(createFormReservationRoutes(dependencies));
  await add(createFormRoutes(dependencies));
  await add(createFormChangeRoutes(dependencies));
  await add(createFormKeyRoutes(dependencies));
  await add(createFormKeyClosingRoutes(dependencies));
  await add(createKeyLogRoutes(dependencies));
  await add(createPublicKeyLogRoutes(dependencies));
  await add(createRefusedKeyRoutes(dependencies));
  await add(createFormHoldRoutes(dependencies));
  await add(createEnvelopeRoutes(dependencies));
  await add(createUsageRoutes({ usage: dependencies.usage, hasQuotas: config.hasQuotas }));
  await add(createRetentionRoutes(dependencies));
  await add(createNotificationRoutes(dependencies));
  await add(createUnsubscribeRoutes(dependencies));
  if (dependencies.hasMail) await add(createPasswordResetRoutes(dependencies));
  if (dependencies.oidc !== undefined) {
    await add(createOidcRoutes(dependencies.oidc));
    await add(createIdentityRoutes(dependencies.oidc));
  }
  await add(createPasskeyRoutes(dependencies.passkeyRoutes));
  await add(createPasskeySignInRoutes(dependencies.passkeyRoutes));
  const keepSignedHead = dependencies.signedHeads.keep;
  await add(createPersonalKeyRoutes({ ...dependencies, keepSignedHead }));
  await add(createKeyCopyRoutes(dependencies));
  await add(createDeviceRequestRoutes(dependencies));
  await add(createStatisticsRoutes(dependencies));
  await add(createPublicFormRoutes(dependencies));
  await add(createSubmissionRoutes(dependencies));
  await add(createSubmissionDeletionRoutes(dependencies));
  await add(createBinRoutes(dependencies));
  await add(createSubmissionExportRoutes(dependencies));
  await add(createPublicSubmissionRoutes(dependencies));
  await add(createWebhookRoutes(dependencies));
  await add(createWebhookTestRoutes(dependencies));
  await add(createDeliveryRoutes(dependencies));
  await add(createHtmlFormRoutes(dependencies));
  await add(createEmbedRoutes(dependencies.embedScripts));
  await add(createDashboardRoutes(dependencies));
  const documentation = loadDocumentation(documentationFile);
  await add(createApiReferenceRoutes(documentation));
  await add(createDocumentationRoutes(documentation));
  await add(createDocumentRoutes(dependencies));
  return app;
}
