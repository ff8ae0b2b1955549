import {
  type Network,
  parseBaseUrl,
  parseBytes,
  parseHost,
  parseInteger,
  parseIntegerFrom,
  parseNetworks,
  parseSecrets,
  parseToken,
} from "./config-values.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { type OidcSettings, oidcNames, readOidcSettings } from "./oidc-settings.ts";
import { parseSecurityContacts } from "./security-contact.ts";
import { defaultSessionLimits, type SessionLimits } from "./session-limits.ts";
import { type Mailbox, parseMailbox, parseSmtpUrl, type SmtpTarget } from "./smtp-target.ts";
import { findProxiesError } from "./trusted-proxies.ts";

export const plans = ["free", "starter", "pro", "enterprise"] as const;
export type Plan = (typeof plans)[number];

export const signUpModes = ["first", "open", "closed"] as const;
export type SignUpMode = (typeof signUpModes)[number];

/** `auto`: where strangers may sign up. */
const quotaModes = ["auto", "on", "off"] as const;

export const logLevels = ["fatal", "error", "warn", "info", "debug", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The whole configuration, parsed once (README, section Configuration). */
export interface Config {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The public origin without a trailing slash; `undefined` while it follows from the port. */
  readonly baseUrl: string | undefined;
  readonly dataFolder: string;
  /** PostgreSQL instead of SQLite in the data folder. */
  readonly databaseUrl: string | undefined;
  /** Past a pooler, for the connection that listens. */
  readonly databaseDirectUrl: string | undefined;
  /**
   * At least 32 bytes each, the newest first; several during a rotation. `undefined` means made on the first start and kept in the
   * data folder.
   */
  readonly secrets: readonly Uint8Array[] | undefined;
  readonly signUp: SignUpMode;
  readonly defaultPlan: Plan;
  /** Whether the plans bound what accounts store. */
  readonly hasQuotas: boolean;
  readonly webhookAllowNetworks: readonly Network[];
  readonly trustedProxies: readonly Network[];
  /** Requests a minute; 0 is off. */
  readonly submitRate: number;
  readonly apiRate: number;
  /** Bytes of the data folder's disk that stay free; 0 is off, `undefined` the usual. */
  readonly diskFreeMin: number | undefined;
  /** How large a PostgreSQL database may become; `undefined` and nobody knows. */
  readonly storageMax: number | undefined;
  /** Opens GET /metrics; `undefined` and there is none. */
  readonly metricsToken: string | undefined;
  /** Addresses for security researchers, in `/.well-known/security.txt`; `undefined` and there is none. */
  readonly securityContacts: readonly string[] | undefined;
  /** The mail server and the sender; `undefined` on an instance that sends no emails. */
  readonly mail: { readonly target: SmtpTarget; readonly from: Mailbox } | undefined;
  readonly sessionLimits: SessionLimits;
  /** The identity provider that people may sign in with; `undefined` and there is none. */
  readonly oidc: OidcSettings | undefined;
  /** How long a delivery stays in its form's log after its end. */
  readonly deliveryLogDays: number;
  /** How long the audit log keeps its entries. */
  readonly auditLogDays: number;
  /** For how long a service that is to stop still serves, and says that it is not ready. */
  readonly drainSeconds: number;
  readonly logLevel: LogLevel;
}

/** All errors of a configuration, so that one start shows them all. */
export class ConfigError extends Error {
  readonly errors: readonly string[];
  constructor(errors: readonly string[]) {
    super(
      `The configuration has ${errors.length === 1 ? "an error" : `${errors.length} errors`}:\n${errors.map((issue) => `  ${issue}`).join("\n")}`,
    );
    this.errors = errors;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Every variable that the service reads. */
export const settingNames = [
  "SEALPOST_HOST",
  "SEALPOST_PORT",
  "SEALPOST_BASE_URL",
  "SEALPOST_DATA",
  "SEALPOST_DATABASE_URL",
  "SEALPOST_DATABASE_DIRECT_URL",
  "SEALPOST_SECRET",
  "SEALPOST_SIGNUP",
  "SEALPOST_DEFAULT_PLAN",
  "SEALPOST_QUOTAS",
  "SEALPOST_WEBHOOK_ALLOW_NETWORKS",
  "SEALPOST_TRUSTED_PROXIES",
  "SEALPOST_SUBMIT_RATE",
  "SEALPOST_API_RATE",
  "SEALPOST_DISK_FREE_MIN",
  "SEALPOST_STORAGE_MAX",
  "SEALPOST_METRICS_TOKEN",
  "SEALPOST_SECURITY_CONTACT",
  "SEALPOST_SMTP_URL",
  "SEALPOST_MAIL_FROM",
  "SEALPOST_SESSION_IDLE_MINUTES",
  "SEALPOST_SESSION_MAX_HOURS",
  ...oidcNames,
  "SEALPOST_DELIVERY_LOG_DAYS",
  "SEALPOST_AUDIT_LOG_DAYS",
  "SEALPOST_DRAIN_SECONDS",
  "SEALPOST_LOG_LEVEL",
] as const;
type Name = (typeof settingNames)[number];

/** Their values never appear in a message, and each may be in a file instead (`config-files.ts`). */
export const secretNames: readonly Name[] = [
  "SEALPOST_SECRET",
  "SEALPOST_DATABASE_URL",
  "SEALPOST_DATABASE_DIRECT_URL",
  "SEALPOST_METRICS_TOKEN",
  "SEALPOST_SMTP_URL",
  "SEALPOST_OIDC_CLIENT_SECRET",
];

/** The variables that other programs of Sealpost read; the server leaves them alone. */
const foreign = ["SEALPOST_PROFILE", "SEALPOST_URL", "SEALPOST_TOKEN", "SEALPOST_BROWSER"];

const checkDatabaseUrl = (text: string) => (parseDatabaseUrl(text) === undefined ? undefined : text);
const databaseUrlWanted =
  "a URL like postgres://user:password@host/database, or postgres://user:password@a:5432,b:5432/database; with target_session_attrs it is read-write or primary";

/** Parses the `SEALPOST_` variables. Throws one ConfigError that names every error, unknown names (a typing mistake, mostly) included. */
export function parseConfig(environment: Environment): Config {
  const errors: string[] = [];

  function read<Value>(name: Name, fallback: Value, parse: (text: string) => Value | undefined, wanted: string): Value {
    const text = environment[name]?.trim();
    if (text === undefined || text === "") return fallback;
    const value = parse(text);
    if (value !== undefined) return value;
    // A secret is never repeated, whatever else is wrong with it.
    errors.push(`${name}${secretNames.includes(name) ? "" : ` is ${JSON.stringify(text)}: it`} must be ${wanted}`);
    return fallback;
  }
  const oneOf =
    <Value extends string>(values: readonly Value[]) =>
    (text: string) =>
      values.find((value) => value === text);

  const target = read(
    "SEALPOST_SMTP_URL",
    undefined,
    parseSmtpUrl,
    "a URL like smtp://user:password@mail.example.com:587 or smtps://…; ?tls=off for a relay without TLS",
  );
  const from = read(
    "SEALPOST_MAIL_FROM",
    undefined,
    parseMailbox,
    "an address like forms@example.com, or Forms <forms@example.com>",
  );
  const isSet = (name: Name) => (environment[name] ?? "").trim() !== "";
  if (isSet("SEALPOST_SMTP_URL") !== isSet("SEALPOST_MAIL_FROM"))
    errors.push("SEALPOST_SMTP_URL and SEALPOST_MAIL_FROM must be set together");
  const signUp = read("SEALPOST_SIGNUP", "first", oneOf(signUpModes), `one of ${signUpModes.join(", ")}`);
  const quotas = read("SEALPOST_QUOTAS", "auto", oneOf(quotaModes), `one of ${quotaModes.join(", ")}`);
  const config: Config = {
    host: read("SEALPOST_HOST", "127.0.0.1", parseHost, "an address or a host name"),
    port: read(
      "SEALPOST_PORT",
      8080,
      (text) => parseInteger(text, 65_535),
      "a port from 0 to 65535 (0 picks a free one)",
    ),
    baseUrl: read(
      "SEALPOST_BASE_URL",
      undefined,
      parseBaseUrl,
      "an origin without a path, like https://forms.example.com",
    ),
    dataFolder: read("SEALPOST_DATA", "./data", (text) => text, "a folder"),
    databaseUrl: read("SEALPOST_DATABASE_URL", undefined, checkDatabaseUrl, databaseUrlWanted),
    databaseDirectUrl: read("SEALPOST_DATABASE_DIRECT_URL", undefined, checkDatabaseUrl, databaseUrlWanted),
    secrets: read(
      "SEALPOST_SECRET",
      undefined,
      parseSecrets,
      "base64 of at least 32 random bytes (openssl rand -base64 32 makes one); during a rotation the former ones after it, with commas between",
    ),
    signUp,
    defaultPlan: read("SEALPOST_DEFAULT_PLAN", "free", oneOf(plans), `one of ${plans.join(", ")}`),
    hasQuotas: quotas === "auto" ? signUp === "open" : quotas === "on",
    webhookAllowNetworks: read(
      "SEALPOST_WEBHOOK_ALLOW_NETWORKS",
      [],
      parseNetworks,
      "networks separated by commas, like 10.0.0.0/8,::1/128",
    ),
    trustedProxies: read(
      "SEALPOST_TRUSTED_PROXIES",
      [],
      parseNetworks,
      "networks separated by commas, like 10.0.0.0/8,::1/128",
    ),
    submitRate: read(
      "SEALPOST_SUBMIT_RATE",
      60,
      (text) => parseInteger(text, 1_000_000),
      "requests a minute, a whole number (0 switches the limit off)",
    ),
    apiRate: read(
      "SEALPOST_API_RATE",
      600,
      (text) => parseInteger(text, 1_000_000),
      "requests a minute, a whole number (0 switches the limit off)",
    ),
    diskFreeMin: read(
      "SEALPOST_DISK_FREE_MIN",
      undefined,
      parseBytes,
      "a size like 2GiB, 500MiB or a number of bytes (0 switches it off)",
    ),
    storageMax: read(
      "SEALPOST_STORAGE_MAX",
      undefined,
      (text) => parseBytes(text) || undefined,
      "a size like 50GiB, 500MiB or a number of bytes",
    ),
    metricsToken: read(
      "SEALPOST_METRICS_TOKEN",
      undefined,
      parseToken,
      "at least 20 characters without spaces (openssl rand -hex 24 makes one)",
    ),
    securityContacts: read(
      "SEALPOST_SECURITY_CONTACT",
      undefined,
      parseSecurityContacts,
      "addresses separated by commas, like mailto:security@example.com, https://example.com/report or tel:+49-30-1234567",
    ),
    mail: target && from && { target, from },
    sessionLimits: {
      idleMilliseconds: read(
        "SEALPOST_SESSION_IDLE_MINUTES",
        defaultSessionLimits.idleMilliseconds,
        (text) => parseIntegerFrom(text, 10, 525_600, 60_000),
        "minutes, a whole number from 10 to 525600 (a year)",
      ),
      maxMilliseconds: read(
        "SEALPOST_SESSION_MAX_HOURS",
        defaultSessionLimits.maxMilliseconds,
        (text) => (text === "0" ? Number.POSITIVE_INFINITY : parseIntegerFrom(text, 1, 87_600, 3_600_000)),
        "hours, a whole number from 1 to 87600 (ten years; 0: for as long as the session is used)",
      ),
    },
    oidc: readOidcSettings({ read, isSet, errors }),
    deliveryLogDays: read(
      "SEALPOST_DELIVERY_LOG_DAYS",
      30,
      (text) => parseInteger(text, 3650) || undefined,
      "days, a whole number from 1 to 3650",
    ),
    auditLogDays: read(
      "SEALPOST_AUDIT_LOG_DAYS",
      365,
      (text) => parseInteger(text, 3650) || undefined,
      "days, a whole number from 1 to 3650",
    ),
    drainSeconds: read(
      "SEALPOST_DRAIN_SECONDS",
      0,
      (text) => parseInteger(text, 300),
      "seconds, a whole number from 0 to 300",
    ),
    logLevel: read("SEALPOST_LOG_LEVEL", "info", oneOf(logLevels), `one of ${logLevels.join(", ")}`),
  };
  if (config.storageMax !== undefined && config.databaseUrl === undefined)
    errors.push("SEALPOST_STORAGE_MAX is for PostgreSQL: SEALPOST_DISK_FREE_MIN bounds a database in the data folder");
  if (config.databaseDirectUrl !== undefined && config.databaseUrl === undefined)
    errors.push("SEALPOST_DATABASE_DIRECT_URL needs SEALPOST_DATABASE_URL: it is the same database, past its pooler");
  const proxiesError = findProxiesError(config.trustedProxies);
  if (proxiesError !== undefined) errors.push(proxiesError);
  if (config.databaseUrl !== undefined && config.secrets === undefined && environment.SEALPOST_SECRET === undefined) {
    errors.push("SEALPOST_SECRET must be set together with SEALPOST_DATABASE_URL, the same for every process");
  }
  for (const name of Object.keys(environment)) {
    if (
      name.startsWith("SEALPOST_") &&
      ![...settingNames, ...foreign].includes(name) &&
      !name.startsWith("SEALPOST_TEST_")
    ) {
      errors.push(`${name} is not a setting of this version`);
    }
  }
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}
