import type { Config } from "../config/config.ts";
import { type Finding, ok, warning } from "./finding.ts";

interface SignUps {
  readonly accounts: number;
  /** Invitations to the instance that nobody has used yet. Organizations' invitations let people in too; those are for their owners to see. */
  readonly invitations: number;
}

/** Who can open an account here. */
export function checkSignUp({ signUp, oidc }: Config, { accounts, invitations }: SignUps): Finding {
  const count = `${accounts} ${accounts === 1 ? "account" : "accounts"}`;
  if (signUp === "open")
    return warning(
      "sign-up",
      `Everybody may sign up (${count})`,
      "Set SEALPOST_SIGNUP=closed, unless this instance is for strangers",
    );
  const others = [
    ...(oidc === undefined ? [] : ["those whom the identity provider signs in"]),
    ...(invitations === 0 ? [] : [`those who have one of ${invitations} open invitations to the instance`]),
  ];
  if (accounts > 0)
    return ok(
      "sign-up",
      others.length === 0
        ? `Nobody else may sign up but members whom an organization invites (${count})`
        : `Besides members whom an organization invites, these may sign up: ${others.join("; ")} (${count})`,
    );
  return signUp === "first"
    ? warning(
        "sign-up",
        "There is no account yet",
        "Open the set-up address that the service prints when it starts, or: sealpost-server account create --email you@example.com",
      )
    : warning(
        "sign-up",
        "There is no account yet, and sign-up is closed",
        "Create one: sealpost-server account create --email you@example.com",
      );
}

export function checkKeyProofs(count: number): Finding {
  if (count === 0)
    return ok("keys", "Of the forms that hold sealed submissions, each has a key that somebody has proved");
  const what = count === 1 ? "1 form receives" : `${count} forms receive`;
  return warning(
    "keys",
    `${what} sealed submissions, and nobody has shown that they can be opened`,
    "Their owners see which in the dashboard: each is opened once with its private key, or gets new keys",
  );
}

/** So many organizations are named at most. */
export const ownerlessMax = 20;

export function checkOwners(ids: readonly string[]): Finding {
  if (ids.length === 0) return ok("organizations", "Each organization has an owner whose account is not disabled");
  const named = `${ids.slice(0, ownerlessMax).join(", ")}${ids.length > ownerlessMax ? " and more" : ""}`;
  return warning(
    "organizations",
    `${ids.length === 1 ? "An organization has" : "Organizations have"} no owner whose account is not disabled: ${named}`,
    "Enable an owner again, or make somebody else one: sealpost-server organization make-owner --help",
  );
}
