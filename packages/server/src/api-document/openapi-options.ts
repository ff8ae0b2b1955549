import type { SwaggerOptions } from "@fastify/swagger";
import type { FastifyContextConfig, FastifyInstance } from "fastify";
import * as accountLifeSchemas from "../account-life/account-life-schemas.ts";
import * as sessionSchemas from "../accounts/session-schemas.ts";
import * as apiKeySchemas from "../api-keys/api-key-schemas.ts";
import * as auditLogSchemas from "../audit-log/audit-log-schemas.ts";
import * as deliverySchemas from "../deliveries/delivery-schemas.ts";
import * as envelopeSchemas from "../forms/envelope-schemas.ts";
import * as formHoldSchemas from "../forms/form-hold-schemas.ts";
import * as formSchemas from "../forms/form-schemas.ts";
import { AccountNotificationsBody, NotificationsBody } from "../forms/notification-routes.ts";
import { ProblemBody } from "../http/schemas.ts";
import { version } from "../instance/version.ts";
import * as instanceSchemas from "../operators/instance-schemas.ts";
import * as admissionSchemas from "../organizations/admission-schemas.ts";
import * as organizationSchemas from "../organizations/organization-schemas.ts";
import * as signedHeadSchemas from "../organizations/signed-head-schemas.ts";
import { DeviceRequestBody } from "../personal-keys/device-request-schemas.ts";
import * as personalKeySchemas from "../personal-keys/personal-key-schemas.ts";
import * as usageSchemas from "../quotas/usage-schemas.ts";
import { RetentionBody } from "../retention/retention-routes.ts";
import { StatisticsBody } from "../statistics/statistics-routes.ts";
import * as binSchemas from "../submissions/bin-schemas.ts";
import * as submissionSchemas from "../submissions/submission-schemas.ts";
import { RotatedSecretBody, WebhookSecretBody } from "../webhooks/webhook-routes.ts";
import * as eventSchemas from "./event-schemas.ts";
import { publishDocument } from "./publish.ts";

/** The head of the document at `/api/openapi.json`; its operations come from the routes' own schemas. */
export const openApiOptions: SwaggerOptions = {
  openapi: {
    openapi: "3.1.0",
    info: {
      title: "Sealpost API",
      version,
      description:
        'Collects form submissions that only the form\'s owner can read. Answers may have more members than are named here, and get some with new versions; requests may not. A method that an address does not have is answered with 405 and `Allow`. Every answer has `X-Request-Id`. A request about an organization can name it in the header `Sealpost-Organization`: where the session or the API key acts for another one, it is refused (403, `code: "organization_changed"`).',
      contact: { name: "The operator of this instance" },
      license: { name: "MIT", identifier: "MIT" },
    },
    // The instance puts its own address here.
    servers: [{ url: "http://localhost:8080", description: "This instance." }],
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key (`sp_…`) with all the permissions that the operation names.",
        },
        sessionToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "A session token of the account, from `GET /api/auth/token`.",
        },
      },
    },
    tags: [
      { name: "Forms", description: "Forms, their settings and keys." },
      { name: "Submissions", description: "What was submitted, as the service keeps it: sealed." },
      { name: "Webhooks", description: "Where events go, and what became of them." },
      { name: "API keys", description: "Credentials for programs, with permissions." },
      {
        name: "Organizations",
        description: "Who belongs to an organization, with which role. A session acts for one.",
      },
      { name: "Account", description: "What was done to the account, and where you are signed in." },
      {
        name: "Instance",
        description:
          "For the operators of the instance, with a session and a second factor. Nothing that was submitted.",
      },
      { name: "Events", description: "What the service posts to your webhook URL." },
      { name: "Public", description: "What browsers call; no credential." },
    ],
  },
  transform: ({ schema, url, route }) => ({
    schema: schema === undefined ? schema : { ...schema, security: describeAccess(route.config?.access) },
    url,
  }),
  transformObject: (made) => ("openapiObject" in made ? publishDocument(made.openapiObject) : made.swaggerObject),
  refResolver: {
    buildLocalReference: (json, _baseUri, _fragment, index) =>
      typeof json.$id === "string" ? json.$id : `schema${index}`,
  },
};

/** A route's access in the document. OpenAPI 3.1 lets a bearer scheme name the roles that it needs, all of them. */
function describeAccess(access: FastifyContextConfig["access"]) {
  if (access === undefined || access === "public") return [];
  if (access === "operator") return [{ sessionToken: ["operator"] }];
  return access === "session" || access === "person"
    ? [{ sessionToken: [] }]
    : [{ apiKey: [access].flat() }, { sessionToken: [] }];
}

/** Makes every schema with an `$id` a component of the document. */
export function installSchemas(app: FastifyInstance): void {
  const all = [
    ProblemBody,
    WebhookSecretBody,
    RotatedSecretBody,
    ...Object.values(deliverySchemas),
    RetentionBody,
    AccountNotificationsBody,
    NotificationsBody,
    StatisticsBody,
    ...Object.values(formSchemas),
    ...Object.values(formHoldSchemas),
    ...Object.values(envelopeSchemas),
    ...Object.values(submissionSchemas),
    ...Object.values(binSchemas),
    ...Object.values(apiKeySchemas),
    ...Object.values(accountLifeSchemas),
    ...Object.values(personalKeySchemas),
    ...Object.values(admissionSchemas),
    ...Object.values(signedHeadSchemas),
    DeviceRequestBody,
    ...Object.values(auditLogSchemas),
    ...Object.values(organizationSchemas),
    ...Object.values(instanceSchemas),
    ...Object.values(usageSchemas),
    ...Object.values(sessionSchemas),
    ...Object.values(eventSchemas),
  ];
  for (const schema of all) {
    if (typeof schema === "object" && "$id" in schema) app.addSchema(schema);
  }
}
