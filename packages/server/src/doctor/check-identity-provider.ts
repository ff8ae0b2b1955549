import type { Config } from "../config/config.ts";
import { createOwnAddress } from "../instance/own-address.ts";
import { clockToleranceSeconds } from "../oidc/claims.ts";
import { callbackPath } from "../oidc/oidc-sign-in.ts";
import { createProviderClient } from "../oidc/provider-client.ts";
import { OidcRefusal } from "../oidc/refusal.ts";
import type { Clock } from "../time/clock.ts";
import { createFindTarget } from "../webhooks/webhook-target.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const name = "identity provider";

/** The way to the identity provider, as far as it can be gone without a person: its document, the clocks, id and secret. */
export async function checkIdentityProvider(config: Config, clock: Clock): Promise<readonly Finding[]> {
  const { oidc: settings, webhookAllowNetworks } = config;
  if (settings === undefined) return [];
  const provider = createProviderClient({ settings, clock, findTarget: createFindTarget(webhookAllowNetworks) });
  try {
    const ahead = await provider.probe();
    const redirectUri = `${createOwnAddress(config).baseUrl()}${callbackPath}`;
    await provider.tryClient(redirectUri);
    const found = ok(
      name,
      `${settings.issuer} takes our client id and secret; its redirect URI must be ${redirectUri}`,
    );
    return [found, ...checkClocks(ahead), ...checkName(settings)];
  } catch (error) {
    if (!(error instanceof OidcRefusal)) throw error;
    const { code, detail } = error;
    return [problem(name, explain(settings.issuer, code, detail), remedyFor(code, detail))];
  }
}

function explain(issuer: string, code: string, detail: string): string {
  const reason = detail === "" ? "" : ` (${detail})`;
  return code === "away" ? `${issuer} does not answer${reason}` : `${issuer} cannot be used${reason}`;
}

function remedyFor(code: string, detail: string): string {
  if (code === "away")
    return "Look whether it runs, whether SEALPOST_OIDC_ISSUER is spelt right, and whether a firewall is between. Passwords continue to work";
  if (detail === "invalid_client" || detail === "unauthorized_client")
    return "Correct SEALPOST_OIDC_CLIENT_ID and SEALPOST_OIDC_CLIENT_SECRET; the secret may have expired";
  if (detail.includes("calls itself")) return "Set SEALPOST_OIDC_ISSUER to what it calls itself, if that is yours";
  if (detail.includes("answers 404"))
    return "Correct SEALPOST_OIDC_ISSUER: below it, /.well-known/openid-configuration must exist";
  return "Compare the settings with docs/sign-in.md";
}

function checkClocks(ahead: number | undefined): readonly Finding[] {
  if (ahead === undefined || Math.abs(ahead) <= clockToleranceSeconds) return [];
  return [
    problem(
      name,
      `Our clock is ${Math.abs(ahead)} seconds too ${ahead > 0 ? "fast" : "slow"}, by the provider's, so nobody can sign in with it`,
      "Set both clocks by NTP",
    ),
  ];
}

/** Over plain HTTP the provider can be anybody; on this machine it is meant for trying. */
function checkName({ issuer }: { readonly issuer: string }): readonly Finding[] {
  if (issuer.startsWith("https:")) return [];
  return [warning(name, `${issuer} is asked without TLS`, "Use HTTPS for anything but trying it out on this machine")];
}
