import { randomBytes } from "node:crypto";
import type { AccountId } from "@sealpost/wire";
import type { GenericEndpointContext } from "better-auth";
import { APIError, createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";

/** A sign-in by an identity provider, as far as the session keeps it. */
export interface ProviderOpening {
  readonly identityId: string;
  /** When the session ends, whatever is done in it. */
  readonly endsAt: number;
  /** `provider`: the provider asked for a second factor, as far as the operator believes it. */
  readonly secondFactor?: "provider" | undefined;
}

/** A sign-in by a passkey, as far as the session keeps it. */
export interface PasskeyOpening {
  readonly passkeyId: string;
  readonly secondFactor: "passkey";
}

interface Person {
  readonly accountId: AccountId;
  /** When they last entered what the provider asks for, or used the passkey; 0 when nobody knows. */
  readonly authenticatedAt: number;
}

/** A sign-in by other means than a password. */
export type PersonSignIn =
  /** `wantsCode`: whether a code is still asked for, where the account has a second factor. */
  (Person & ProviderOpening & { readonly wantsCode: boolean }) | (Person & PasskeyOpening);

const signInPath = "/person/sign-in";
export const challengeCookie = "two_factor";

/**
 * Adds to the sign-in library what its routes do not offer: a session, or the step with the code, for a person that we have
 * found ourselves. Only our own code can call it; no route leads there.
 */
export function personSignIn(challengeSeconds: number) {
  return {
    id: "person-sign-in",
    endpoints: {
      signInPerson: createAuthEndpoint(
        signInPath,
        { method: "POST", metadata: { SERVER_ONLY: true, $Infer: { body: {} as PersonSignIn } } },
        async (ctx) => {
          const asked: PersonSignIn = ctx.body;
          const { accountId } = asked;
          const user = await ctx.context.internalAdapter.findUserById(accountId);
          if (user === null) throw new APIError("UNAUTHORIZED");
          const wantsCode = "identityId" in asked && asked.wantsCode;
          if (wantsCode && "twoFactorEnabled" in user && user.twoFactorEnabled === true) {
            await startChallenge(ctx, accountId, asked, challengeSeconds);
            return ctx.json({ token: undefined });
          }
          const { authenticatedAt, secondFactor } = asked;
          const opened =
            "identityId" in asked
              ? { identityId: asked.identityId, endsAt: asked.endsAt }
              : { passkeyId: asked.passkeyId };
          const kept = { ...opened, authenticatedAt, ...(secondFactor !== undefined && { secondFactor }) };
          const session = await ctx.context.internalAdapter.createSession(accountId, false, kept, true);
          await setSessionCookie(ctx, { session, user });
          return ctx.json({ token: session.token });
        },
      ),
    },
  };
}

/** The name of a sign-in by an identity that waits for a code begins like this. */
export function challengePrefix(identityId: string): string {
  return `2fa-by-${identityId}-`;
}

/** As the library does after a right password; the name of the challenge, which it signs, also says what the session keeps. */
async function startChallenge(
  ctx: GenericEndpointContext,
  accountId: AccountId,
  { identityId, endsAt }: ProviderOpening,
  challengeSeconds: number,
): Promise<void> {
  const identifier = `${challengePrefix(identityId)}${endsAt}-${randomBytes(16).toString("hex")}`;
  const expiresAt = new Date(Date.now() + challengeSeconds * 1000);
  const { internalAdapter, secret } = ctx.context;
  await internalAdapter.createVerificationValue({ identifier, value: accountId, expiresAt });
  await internalAdapter.createVerificationValue({ identifier: `2fa-attempts-${identifier}`, value: "0", expiresAt });
  const cookie = ctx.context.createAuthCookie(challengeCookie, { maxAge: challengeSeconds });
  await ctx.setSignedCookie(cookie.name, identifier, secret, cookie.attributes);
}

/** For a session that is being made: its provider, and when its owner proved who they are. */
export async function findOpening(
  session: Readonly<Record<string, unknown>>,
  context: GenericEndpointContext | null,
  now: number,
): Promise<Partial<ProviderOpening> & { readonly authenticatedAt: number }> {
  if (context?.path === signInPath) return { authenticatedAt: Number(session.authenticatedAt) };
  const challenge = context === null ? undefined : await findChallenge(context);
  const [, identityId, endsAt] = /^2fa-by-([0-9a-f]+)-([0-9]+)-/.exec(challenge ?? "") ?? [];
  return { authenticatedAt: now, ...(identityId !== undefined && { identityId, endsAt: Number(endsAt) }) };
}

async function findChallenge(context: GenericEndpointContext): Promise<string | undefined> {
  if (context.path?.startsWith("/two-factor/verify-") !== true) return undefined;
  const { name } = context.context.createAuthCookie(challengeCookie);
  const found = await context.getSignedCookie(name, context.context.secret);
  return typeof found === "string" ? found : undefined;
}
