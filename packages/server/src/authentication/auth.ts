import { randomBytes, randomInt } from "node:crypto";
import { kyselyAdapter } from "@better-auth/kysely-adapter";
import { type AccountId, createId } from "@sealpost/wire";
import { betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import { jwt } from "better-auth/plugins/jwt";
import { twoFactor } from "better-auth/plugins/two-factor";
import type { Plan, SignUpMode } from "../config/config.ts";
import { defaultSessionLimits, type SessionLimits } from "../config/session-limits.ts";
import type { Database } from "../database/database.ts";
import { throwFailedStatement } from "../database/failed-statements.ts";
import { kindOf } from "../database/kind.ts";
import { makeOwnOrganization } from "../database/membership.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import type { Clock } from "../time/clock.ts";
import { passwordLengthMax, passwordLengthMin } from "./account-input.ts";
import { labelBrowser, writeLabel } from "./browser-label.ts";
import { followKeys } from "./library-keys.ts";
import { findOpening, personSignIn } from "./person-sign-in.ts";

/** How long a session token (JWT) lives; its session lives longer. */
export const tokenLifetime = "15m";
/** How long the code may be entered after the password was right. */
const challengeLifetimeSeconds = 600;
/** Wrong codes in a row, over all sign-ins, after which no code is taken for a while (docs/decisions/0009-sign-in-limits.md). */
export const failedCodesMax = 10;
export const lockSeconds = 900;
/** How long a mailed link to set a new password works. */
const resetLifetimeSeconds = 3600;
/** Where the operator allows more time without use, the cookie and the library's own limit allow it too. */
const sessionLifetimeMilliseconds = defaultSessionLimits.idleMilliseconds;

export interface AuthDependencies {
  readonly clock: Clock;
  readonly database: Database;
  readonly address: OwnAddress;
  readonly secretBox: SecretBox;
  readonly signUp: SignUpMode;
  readonly defaultPlan: Plan;
  /** Called when a password was set by a mailed link. */
  readonly onPasswordReset?: OnPasswordReset | undefined;
  readonly isDisabled: (accountId: AccountId) => Promise<boolean>;
  readonly sessionLimits?: SessionLimits | undefined;
  /** Called before an account gets a session, so that it never has too many. */
  readonly endOldest: (accountId: AccountId) => Promise<void>;
  /** Whether an account that signs up has to verify its address before it makes anything. */
  readonly verifiesAddresses?: boolean | undefined;
  /** Names this instance in its tokens, so that another instance's are refused. */
  readonly instanceId: string;
  /** `undefined` when emails can't be sent: then nobody can ask for a reset. */
  readonly sendReset?: SendReset | undefined;
  /** Instead of the library's own. */
  readonly passwords?: Passwords | undefined;
}

/** How passwords become what is stored, and are compared with it. */
export interface Passwords {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (entered: { readonly hash: string; readonly password: string }) => Promise<boolean>;
}

export type OnPasswordReset = (accountId: AccountId, keepsApiKeys: boolean) => Promise<void>;

/** On the request of a reset whose API keys are to be kept. Only we write headers of what the library gets. */
export const keepApiKeysHeader = "x-keep-api-keys";

/** The coarse name of the browser that signs in. As above. */
export const browserHeader = "x-browser";

/** On a request for a link to set a password, in a browser that is known to the account. As above. */
export const knownBrowserHeader = "x-known-browser";

/** On the sign-up of somebody who was invited, with what to. As above. */
export const invitedHeader = "x-invited";
/** A person invited to an organization gets none of their own. */
export type InvitedTo = "organization" | "instance";

/** Brings the token that sets a new password to the account's owner, who may have asked in a browser that is known to the account. */
export type SendReset = (accountId: AccountId, token: string, isKnownBrowser: boolean) => Promise<void>;

export type Auth = ReturnType<typeof createAuth>;

/**
 * Accounts, passwords and sessions by the library better-auth, on our tables and names. It stores no address and no user
 * agent (contract, section 8.5), and logs nothing: its messages hold email addresses.
 */
export function createAuth({
  clock,
  database,
  address,
  secretBox,
  signUp,
  defaultPlan,
  instanceId,
  sendReset,
  onPasswordReset,
  passwords,
  isDisabled,
  sessionLimits: { idleMilliseconds } = defaultSessionLimits,
  endOldest,
  verifiesAddresses = false,
}: AuthDependencies) {
  const cookiePrefix = address.isHttps ? "__Host-sealpost_" : "sealpost_";
  const expiresIn = Math.max(sessionLifetimeMilliseconds, idleMilliseconds) / 1000;
  const auth = betterAuth({
    appName: "Sealpost",
    basePath: "/api/auth",
    // Which port it is shows when the service listens; of requests the library hears our own address alone.
    baseURL:
      address.isHttps || !address.isLoopbackOnly
        ? address.baseUrl()
        : { allowedHosts: ["localhost:*", "127.0.0.1:*", new URL(address.baseUrl()).host], protocol: "http" },
    trustedOrigins: async (request) => {
      const origin = request?.headers.get("origin");
      return origin !== null && origin !== undefined && address.isOwn(origin) ? [origin] : [];
    },
    secrets: [...secretBox.libraryKeys()],
    telemetry: { enabled: false },
    logger: { disabled: true },
    // Else it would print what it can't explain, with the text of the error.
    onAPIError: { throw: true },
    database: kyselyAdapter(database, { type: kindOf(database) }),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: passwordLengthMin,
      maxPasswordLength: passwordLengthMax,
      ...(passwords && { password: passwords }),
      resetPasswordTokenExpiresIn: resetLifetimeSeconds,
      revokeSessionsOnPasswordReset: true,
      // An account's id was made by createId("account") below.
      ...(sendReset && {
        sendResetPassword: ({ user, token }: { user: { id: string }; token: string }, request?: Request) =>
          sendReset(user.id as AccountId, token, request?.headers.has(knownBrowserHeader) ?? false),
      }),
      ...(onPasswordReset && {
        onPasswordReset: ({ user }: { user: { id: string } }, request?: Request) =>
          onPasswordReset(user.id as AccountId, request?.headers.has(keepApiKeysHeader) ?? false), // as above
      }),
    },
    user: {
      modelName: "person",
      fields: { emailVerified: "email_verified", createdAt: "created_at", updatedAt: "updated_at" },
      additionalFields: {
        verification: {
          type: "string",
          required: true,
          input: false,
          defaultValue: verifiesAddresses ? "needed" : "trusted",
        },
        joinedAt: {
          type: "number",
          required: false,
          input: false,
          returned: false,
          fieldName: "joined_at",
        },
        operatorSince: { type: "number", required: false, input: false, fieldName: "operator_since" },
        leavesAt: {
          type: "number",
          required: false,
          input: false,
          fieldName: "leaves_at",
        },
        signUpSlot: {
          type: "string",
          required: false,
          input: false,
          returned: false,
          unique: true,
          fieldName: "sign_up_slot",
        },
      },
    },
    session: {
      expiresIn,
      additionalFields: {
        authenticatedAt: {
          type: "number",
          required: true,
          input: false,
          returned: false,
          fieldName: "authenticated_at",
        },
        browser: { type: "string", required: true, input: false, returned: false },
        lastUsedAt: { type: "number", required: true, input: false, returned: false, fieldName: "last_used_at" },
        identityId: { type: "string", required: false, input: false, returned: false, fieldName: "identity_id" },
        endsAt: { type: "number", required: false, input: false, returned: false, fieldName: "ends_at" },
        secondFactor: { type: "string", required: false, input: false, returned: false, fieldName: "second_factor" },
        passkeyId: { type: "string", required: false, input: false, returned: false, fieldName: "passkey_id" },
      },
      fields: {
        userId: "person_id",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
    },
    account: {
      modelName: "credential",
      fields: {
        userId: "person_id",
        accountId: "provider_account_id",
        providerId: "provider_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
    },
    verification: {
      // Anyone who reads the database, or a backup of it, must not be able to set a password.
      storeIdentifier: { default: "plain", overrides: { "reset-password": "hashed" } },
      fields: { expiresAt: "expires_at", createdAt: "created_at", updatedAt: "updated_at" },
    },
    databaseHooks: {
      session: {
        create: {
          // Sessions come of a password, a code or an identity provider (`account-actions.ts` knows the exception).
          before: async (session, context) => {
            if (await isDisabled(session.userId as AccountId))
              // as below, made by createId("account")
              throw new APIError("FORBIDDEN", { code: "ACCOUNT_DISABLED" });
            await endOldest(session.userId as AccountId);
            const now = clock.now();
            const browser = context?.headers?.get(browserHeader) ?? writeLabel(labelBrowser(undefined));
            const ours = { browser, lastUsedAt: now, ...(await findOpening(session, context, now)) };
            // The library's own is by the machine's clock, which may have been set back.
            const expiresAt = new Date(Math.max(session.expiresAt.getTime(), now + expiresIn * 1000));
            return {
              data: { ...session, createdAt: new Date(now), expiresAt, ipAddress: null, userAgent: null, ...ours },
            };
          },
        },
      },
      user: {
        create: {
          // The unique slot lets the database decide which of two simultaneous first sign-ups wins.
          before: async (user, context) => {
            const invitedTo = context?.headers?.get(invitedHeader) ?? undefined;
            const isFirst = signUp === "first" && context?.path === "/sign-up/email" && invitedTo === undefined;
            const now = clock.now();
            const joinedAt = invitedTo === ("organization" satisfies InvitedTo) ? now : null;
            const [createdAt, updatedAt] = [new Date(now), new Date(now)];
            return { data: { ...user, createdAt, updatedAt, signUpSlot: isFirst ? "first" : null, joinedAt } };
          },
          // In the transaction of the sign-up (`runAsUnit`).
          after: async ({ id }) => {
            await database
              .transaction()
              // Made by createId("account") below.
              .execute((transaction) => makeOwnOrganization(transaction, id as AccountId, defaultPlan));
          },
        },
      },
    },
    rateLimit: { enabled: false },
    advanced: {
      ipAddress: { disableIpTracking: true },
      useSecureCookies: false, // the name below carries the stricter __Host- prefix instead
      cookies: {
        session_token: { name: `${cookiePrefix}session`, attributes: { secure: address.isHttps } },
        two_factor: { name: `${cookiePrefix}second_factor`, attributes: { secure: address.isHttps } },
      },
      database: {
        // In hex: an id never begins with a dash, which a command line takes for an option.
        generateId: ({ model }) =>
          model === "user" ? createId("account", clock.now()) : randomBytes(16).toString("hex"),
      },
    },
    plugins: [
      personSignIn(challengeLifetimeSeconds),
      jwt({
        disableSettingJwtHeader: true,
        jwks: { keyPairConfig: { alg: "EdDSA", crv: "Ed25519" } },
        jwt: {
          issuer: instanceId,
          audience: instanceId,
          expirationTime: tokenLifetime,
          definePayload: ({ session }) => ({ sid: session.id }),
        },
        schema: {
          jwks: {
            fields: {
              publicKey: "public_key",
              privateKey: "private_key",
              createdAt: "created_at",
              expiresAt: "expires_at",
            },
          },
        },
      }),
      // Its secret and backup codes are encrypted with a key of `secrets` above.
      twoFactor({
        issuer: "Sealpost",
        twoFactorTable: "second_factor",
        twoFactorCookieMaxAge: challengeLifetimeSeconds,
        backupCodeOptions: { customBackupCodesGenerate: createBackupCodes },
        // It counts after it has compared, so that many at once are all compared: `takeTry` of the store of accounts counts before.
        accountLockout: { enabled: false },
        schema: {
          user: { fields: { twoFactorEnabled: "second_factor_enabled" } },
          twoFactor: {
            fields: {
              backupCodes: "backup_codes",
              userId: "person_id",
              failedVerificationCount: "failed_verifications",
              lockedUntil: "locked_until",
            },
          },
        },
      }),
    ],
  });
  void auth.$context.then((context) => followKeys(context, secretBox));
  const { handler } = auth;
  return Object.assign(auth, {
    api: throwingFailures(auth.api),
    handler(request: Request) {
      // Without the secret some of its routes would answer that an email is on its way.
      secretBox.requireOpen();
      return throwFailedStatement(() => handler(request));
    },
  });
}

/** With endpoints that throw where the database did not answer, and say neither that nobody is signed in nor that something is done. */
function throwingFailures<Api extends object>(api: Api): Api {
  return new Proxy(api, {
    get(target, name) {
      const endpoint: unknown = Reflect.get(target, name);
      if (typeof endpoint !== "function") return endpoint;
      return new Proxy(endpoint, {
        apply: (called, self, asked) => throwFailedStatement(async () => Reflect.apply(called, self, asked)),
      });
    },
  });
}

/** No letter or digit that is taken for another when it is read from paper: 31 of them, so a code has 49 random bits. */
const backupCodeAlphabet = "23456789abcdefghjkmnpqrstuvwxyz";

function createBackupCodes(): string[] {
  const part = () => Array.from({ length: 5 }, () => backupCodeAlphabet[randomInt(backupCodeAlphabet.length)]).join("");
  return Array.from({ length: 10 }, () => `${part()}-${part()}`);
}
