import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  clockSkew,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  genericGrantRequest,
  getJwksCache,
  ResponseBodyError,
  type ServerMetadata,
  setJwksCache,
} from "openid-client";
import type { OidcSettings } from "../config/oidc-settings.ts";
import type { Clock } from "../time/clock.ts";
import { hourMilliseconds } from "../time/clock.ts";
import type { FindTarget } from "../webhooks/webhook-target.ts";
import { answerMilliseconds, createBoundedFetch } from "./bounded-fetch-client.ts";
import { type Claims, clockToleranceSeconds, lacksClaims, type ProviderPerson, readPerson } from "./claims.ts";
import { type Flow, randomValue } from "./flow.ts";
import { explainProviderError } from "./provider-errors.ts";
import { OidcRefusal } from "./refusal.ts";

/** So old may be what is known of the provider before it is asked again. */
const metadataMilliseconds = hourMilliseconds;

/** The identity provider. Each method throws an `OidcRefusal`, and asks it for its document first when that is not known. */
export interface ProviderClient {
  /** The page of the provider that a browser goes to. `isFresh`: it asks for the password even who is signed in there. */
  findSignInUrl(flow: Flow, isFresh: boolean): Promise<URL>;
  /** The person of the answer that came back with the browser; uses its code up. */
  findPerson(answer: URL, flow: Flow): Promise<ProviderPerson>;
  /** Asks for the document again, and compares the clocks: how many seconds ours is ahead; `undefined` when nobody knows. */
  probe(): Promise<number | undefined>;
  /** Tries client id and secret. */
  tryClient(redirectUri: string): Promise<void>;
  /** The page that signs out there; `undefined` when the provider has none. */
  findSignOutUrl(returnTo: string): Promise<URL | undefined>;
}

export interface ProviderClientDependencies {
  readonly settings: OidcSettings;
  readonly findTarget: FindTarget;
  readonly clock: Clock;
}

export function createProviderClient({ settings, findTarget, clock }: ProviderClientDependencies): ProviderClient {
  const { issuer, clientId, clientSecret } = settings;
  const fetchBounded = createBoundedFetch(issuer, findTarget);
  const isInsecure = new URL(issuer).protocol === "http:";
  let known: { readonly metadata: ServerMetadata; readonly at: number } | undefined;
  let pending: Promise<ServerMetadata> | undefined;
  let keys: ReturnType<typeof getJwksCache>;

  return {
    findSignInUrl: (flow, isFresh) =>
      explaining(async () =>
        buildAuthorizationUrl(await configure(), {
          redirect_uri: flow.redirectUri,
          scope: settings.scopes,
          state: flow.state,
          nonce: flow.nonce,
          code_challenge: await calculatePKCECodeChallenge(flow.verifier),
          code_challenge_method: "S256",
          ...(isFresh && { prompt: "login", max_age: "0" }),
        }),
      ),
    findPerson: (answer, flow) =>
      explaining(async () => {
        const configuration = await configure();
        const tokens = await authorizationCodeGrant(configuration, answer, {
          expectedState: flow.state,
          expectedNonce: flow.nonce,
          pkceCodeVerifier: flow.verifier,
          idTokenExpected: true,
        });
        keys = getJwksCache(configuration) ?? keys;
        const claims = tokens.claims();
        if (claims === undefined) throw new OidcRefusal("refused", "there is no ID token");
        // OpenID Connect Core 1.0, section 3.1.3.7, 5: also where the audience is this client alone.
        if (claims.azp !== undefined && claims.azp !== clientId)
          throw new OidcRefusal("refused", "the token was issued to another client (azp)");
        if (claims.iat > clock.now() / 1000 + clockToleranceSeconds)
          throw new OidcRefusal("clock", "the token was issued in the future");
        const canAsk = configuration.serverMetadata().userinfo_endpoint !== undefined;
        const about: Claims =
          canAsk && lacksClaims(claims, settings)
            ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
            : {};
        return readPerson(claims, about, settings);
      }),
    probe: () =>
      explaining(async () => {
        let ahead: number | undefined;
        const asked: typeof fetchBounded = async (address, options) => {
          const answer = await fetchBounded(address, options);
          const date = Date.parse(answer.headers.get("date") ?? "");
          ahead = Number.isNaN(date) ? undefined : Math.round((clock.now() - date) / 1000);
          return answer;
        };
        await discover(asked);
        return ahead;
      }),
    tryClient: (redirectUri) =>
      explaining(async () => {
        const parameters = { code: "a code that nobody made", redirect_uri: redirectUri, code_verifier: randomValue() };
        try {
          await genericGrantRequest(await configure(), "authorization_code", parameters);
        } catch (error) {
          // The code is wrong, so the client is right.
          if (!(error instanceof ResponseBodyError && error.error === "invalid_grant")) throw error;
        }
      }),
    findSignOutUrl: (returnTo) =>
      explaining(async () => {
        const configuration = await configure();
        if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
        return buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo });
      }),
  };

  /** Made for each use, with what is known: the library's own has the difference of the clocks for good. */
  async function configure(): Promise<Configuration> {
    const metadata = await loadMetadata();
    const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const authentication = methods.includes("client_secret_post") ? ClientSecretPost : ClientSecretBasic;
    const configuration = new Configuration(
      metadata,
      clientId,
      {
        client_secret: clientSecret,
        [clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
        [clockTolerance]: clockToleranceSeconds,
      },
      authentication(clientSecret),
    );
    configuration[customFetch] = fetchBounded;
    configuration.timeout = answerMilliseconds / 1000;
    if (isInsecure) allowInsecureRequests(configuration);
    // The token's signature is checked although it comes from the provider itself: an answer that was changed has none.
    enableNonRepudiationChecks(configuration);
    if (keys !== undefined) setJwksCache(configuration, keys);
    return configuration;
  }

  /** Many who come at once ask once; when the provider is away, what was known is good enough. */
  async function loadMetadata(): Promise<ServerMetadata> {
    if (known !== undefined && clock.now() - known.at < metadataMilliseconds && clock.now() >= known.at)
      return known.metadata;
    pending ??= discover().finally(() => {
      pending = undefined;
    });
    try {
      return await pending;
    } catch (error) {
      if (known !== undefined) return known.metadata;
      throw error;
    }
  }

  async function discover(ask = fetchBounded): Promise<ServerMetadata> {
    const found = await discovery(new URL(issuer), clientId, undefined, undefined, {
      [customFetch]: ask,
      timeout: answerMilliseconds / 1000,
      ...(isInsecure && { execute: [allowInsecureRequests] }),
    });
    const metadata = { ...found.serverMetadata() };
    // The library takes any tenant's tokens of some providers; an identity is of this issuer alone.
    if (metadata.issuer !== issuer)
      throw new OidcRefusal("misconfigured", `the provider calls itself ${metadata.issuer}, not ${issuer}`);
    known = { metadata, at: clock.now() };
    keys = undefined;
    return metadata;
  }
}

async function explaining<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw explainProviderError(error);
  }
}
