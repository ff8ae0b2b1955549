import { createSign, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeAtEnd, type TestScope } from "../../testing/temporary-folder.ts";

/** A person as the identity provider knows them; `sub` is who signs in next. */
export interface ProviderAccount {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

export type Token = { readonly header: object; readonly claims: Readonly<Record<string, unknown>> };

export interface TestProvider {
  readonly issuer: string;
  /** `SEALPOST_OIDC_…` of a service that is its client. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes the service at this origin known to it. */
  admit(origin: string): Promise<void>;
  /** The person at the browser when the provider asks. */
  person: ProviderAccount | "refuses";
  /** Alters the ID tokens before they are signed; a returned text goes out unchanged. */
  tamper: ((token: Token) => Token | string) | undefined;
  /** Answers instead of the provider. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  readonly requests: string[];
  sign(token: Token): string;
}

const clientId = "sealpost";
const clientSecret = "the secret of the client";
/** One for the process: to make one takes a tenth of a second. */
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const keyId = "test";

/** The certified `oidc-provider` on loopback, with a person who signs in at once whenever they are asked. */
export async function startTestProvider(t: TestScope): Promise<TestProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => {
    response.writeHead(503).end();
  };
  const server = createServer((request, response) => {
    provider.requests.push(`${request.method} ${request.url?.split("?")[0]}`);
    if (provider.intercept?.(request, response) !== true) handle(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAtEnd(t, async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const provider: TestProvider = {
    issuer,
    environment: {
      SEALPOST_OIDC_ISSUER: issuer,
      SEALPOST_OIDC_CLIENT_ID: clientId,
      SEALPOST_OIDC_CLIENT_SECRET: clientSecret,
      SEALPOST_OIDC_NAME: "the house",
    },
    admit: async (origin) => {
      handle = await createHandler(provider, origin);
    },
    person: { sub: "ada" },
    tamper: undefined,
    intercept: undefined,
    requests: [],
    sign,
  };
  return provider;
}

async function createHandler(test: TestProvider, origin: string) {
  // Loaded here: it takes a while, and warns of what a test does not need.
  const { default: Provider } = await silently(() => import("oidc-provider"));
  const { issuer } = test;
  const provider = await silently(
    async () =>
      new Provider(issuer, {
        clients: [
          {
            client_id: clientId,
            client_secret: clientSecret,
            redirect_uris: [`${origin}/api/auth/oidc/callback`],
            post_logout_redirect_uris: [`${origin}/sign-in`],
          },
        ],
        jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: keyId, use: "sig", alg: "RS256" }] },
        cookies: { keys: ["only a test's"] },
        ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
        claims: {
          openid: ["sub", "auth_time", "amr"],
          email: ["email", "email_verified"],
          profile: ["name", "preferred_username", "groups"],
        },
        conformIdTokenClaims: false,
        features: { devInteractions: { enabled: false } },
        interactions: { url: () => "/interaction" },
        findAccount: async (_context: unknown, sub: string) => ({
          accountId: sub,
          claims: async () => (test.person === "refuses" ? { sub } : { ...test.person, sub }),
        }),
        // biome-ignore lint/suspicious/noExplicitAny: the provider's own context, of which it publishes no types
        loadExistingGrant: async (context: any) => {
          const { client, session } = context.oidc;
          const grant = new context.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
          grant.addOIDCScope("openid email profile");
          await grant.save();
          return grant;
        },
      }),
  );
  const answer = provider.callback();
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url?.startsWith("/interaction")) void interact(request, response);
    else {
      if (request.url === "/token") rewriteTokens(test, response);
      answer(request, response);
    }
  };

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { person } = test;
    const result =
      person === "refuses"
        ? { error: "access_denied" }
        : { login: { accountId: person.sub, amr: person.amr ?? ["pwd"] } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
}

/** The answer of the token endpoint, with the ID token that the test wants. */
function rewriteTokens(test: TestProvider, response: ServerResponse): void {
  const end = response.end.bind(response);
  Object.assign(response, {
    end(body: unknown) {
      const { tamper } = test;
      const tokens = tamper === undefined ? undefined : JSON.parse(String(body));
      if (tamper === undefined || typeof tokens?.id_token !== "string") return end(body);
      const [header = "", claims = ""] = tokens.id_token.split(".");
      const changed = tamper({ header: parse(header), claims: parse(claims) });
      const text = JSON.stringify({ ...tokens, id_token: typeof changed === "string" ? changed : sign(changed) });
      response.setHeader("content-length", Buffer.byteLength(text));
      return end(text);
    },
  });
}

const parse = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
const write = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");

function sign({ header, claims }: Token): string {
  const signed = `${write(header)}.${write(claims)}`;
  return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey).toString("base64url")}`;
}

/** It warns at length that it runs with the settings of a test. */
async function silently<Result>(work: () => Promise<Result>): Promise<Result> {
  const { info, warn } = console;
  Object.assign(console, { info: () => {}, warn: () => {} });
  try {
    return await work();
  } finally {
    Object.assign(console, { info, warn });
  }
}
