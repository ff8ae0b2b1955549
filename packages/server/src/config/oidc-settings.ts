import { isId } from "@sealpost/wire";
import { isLoopback } from "./config-values.ts";

/** When a sign-in at the identity provider counts as second factor: never, where `amr` says so, or always. */
export const oidcSecondFactors = ["never", "amr", "always"] as const;
export type OidcSecondFactor = (typeof oidcSecondFactors)[number];

/** The identity provider that people may sign in with (docs/sign-in.md). */
export interface OidcSettings {
  /** As the operator wrote it; the provider has to call itself the same. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** On the button: "Sign in with …". */
  readonly name: string;
  readonly scopes: string;
  /** Where the groups are: a claim's name, or a path with dots. */
  readonly groupsClaim: string;
  /** `undefined`: no group is asked for. */
  readonly allowedGroups: readonly string[] | undefined;
  /** Organizations whose guests come in whatever their groups: their ids. */
  readonly guestOrganizations: readonly string[];
  readonly secondFactor: OidcSecondFactor;
  /** Whether the operator vouches for the addresses of a provider that does not say `email_verified`. */
  readonly trustsEmail: boolean;
  /** So long a session lasts that it opened, whatever is done in it. */
  readonly sessionHours: number;
  /** Whether signing out here signs out there as well. */
  readonly signsOut: boolean;
}

export const oidcNames = [
  "SEALPOST_OIDC_ISSUER",
  "SEALPOST_OIDC_CLIENT_ID",
  "SEALPOST_OIDC_CLIENT_SECRET",
  "SEALPOST_OIDC_NAME",
  "SEALPOST_OIDC_SCOPES",
  "SEALPOST_OIDC_GROUPS_CLAIM",
  "SEALPOST_OIDC_ALLOWED_GROUPS",
  "SEALPOST_OIDC_GUEST_ORGANIZATIONS",
  "SEALPOST_OIDC_SECOND_FACTOR",
  "SEALPOST_OIDC_TRUST_EMAIL",
  "SEALPOST_OIDC_SESSION_HOURS",
  "SEALPOST_OIDC_SIGN_OUT",
] as const;
type OidcName = (typeof oidcNames)[number];

export interface OidcReader {
  read<Value>(name: OidcName, fallback: Value, parse: (text: string) => Value | undefined, wanted: string): Value;
  isSet(name: OidcName): boolean;
  readonly errors: string[];
}

const needed = ["SEALPOST_OIDC_ISSUER", "SEALPOST_OIDC_CLIENT_ID", "SEALPOST_OIDC_CLIENT_SECRET"] as const;
const sessionHoursMax = 168;
const issuerLengthMax = 300;
const onOff = (text: string) => (text === "on" ? true : text === "off" ? false : undefined);

/** `undefined` while none is configured. */
export function readOidcSettings({ read, isSet, errors }: OidcReader): OidcSettings | undefined {
  const settings = {
    issuer: read(
      needed[0],
      "",
      parseIssuer,
      `the provider's issuer, a URL like https://id.example.org/realms/house, of at most ${issuerLengthMax} characters`,
    ),
    clientId: read(needed[1], "", parseLine(200), "the id that the provider gave this instance"),
    clientSecret: read(needed[2], "", parseLine(1000), "the secret that the provider gave this instance"),
    name: read("SEALPOST_OIDC_NAME", "", parseLine(40), "a name of at most 40 characters"),
    scopes: read(
      "SEALPOST_OIDC_SCOPES",
      "openid email profile",
      parseScopes,
      "scopes separated by spaces, openid among them",
    ),
    groupsClaim: read("SEALPOST_OIDC_GROUPS_CLAIM", "groups", parseLine(200), "the name of a claim"),
    allowedGroups: read(
      "SEALPOST_OIDC_ALLOWED_GROUPS",
      undefined,
      parseGroups,
      "names of groups separated by commas, as the provider writes them",
    ),
    guestOrganizations: read(
      "SEALPOST_OIDC_GUEST_ORGANIZATIONS",
      [],
      parseOrganizations,
      "ids of organizations separated by commas, as `sealpost-server organization list` shows them",
    ),
    secondFactor: read(
      "SEALPOST_OIDC_SECOND_FACTOR",
      "never",
      (text): OidcSecondFactor | undefined => oidcSecondFactors.find((value) => value === text),
      `one of ${oidcSecondFactors.join(", ")}`,
    ),
    trustsEmail: read("SEALPOST_OIDC_TRUST_EMAIL", false, onOff, "on or off"),
    sessionHours: read(
      "SEALPOST_OIDC_SESSION_HOURS",
      12,
      (text) => (/^[0-9]{1,3}$/.test(text) && Number(text) <= sessionHoursMax ? Number(text) || undefined : undefined),
      `hours, a whole number from 1 to ${sessionHoursMax}`,
    ),
    signsOut: read("SEALPOST_OIDC_SIGN_OUT", false, onOff, "on or off"),
  };
  if (!oidcNames.some(isSet)) return undefined;
  if (!needed.every(isSet)) {
    errors.push(`${needed.slice(0, -1).join(", ")} and ${needed.at(-1)} must be set together`);
    return undefined;
  }
  return { ...settings, name: settings.name || hostOf(settings.issuer) };
}

/** Over plain HTTP anybody on the way could sign in as anybody; on this machine itself there is no way. */
function parseIssuer(text: string): string | undefined {
  // A browser reads backslashes as slashes; anything else that is not seen leads elsewhere than it seems to.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text)) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    return undefined;
  // Percent signs and what the parser mends would show another host.
  if (!text.toLowerCase().includes(`//${url.host}`)) return undefined;
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  // It is part of a key in the database.
  return isSafe && text.length <= issuerLengthMax && !url.pathname.includes("/.well-known/") ? text : undefined;
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : "";
}

/** No control characters: they go into requests and pages. */
function parseLine(lengthMax: number) {
  return (text: string) => (text.length <= lengthMax && !/\p{Cc}/u.test(text) ? text : undefined);
}

function parseScopes(text: string): string | undefined {
  const scopes = text.split(/ +/);
  return scopes.includes("openid") && scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
    ? scopes.join(" ")
    : undefined;
}

function parseOrganizations(text: string): readonly string[] | undefined {
  const ids = text.split(",").map((id) => id.trim());
  return ids.every((id) => isId("account", id)) ? ids : undefined;
}

function parseGroups(text: string): readonly string[] | undefined {
  const groups = text.split(",").map((group) => group.trim());
  return groups.includes("") || /\p{Cc}/u.test(text) ? undefined : groups;
}
