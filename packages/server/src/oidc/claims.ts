import { findNameError } from "../authentication/account-input.ts";
import { hasSharedLetter, lowerAddress } from "../authentication/email-address.ts";
import type { OidcSettings } from "../config/oidc-settings.ts";
import { addressLengthMax } from "../database/indexed-texts.ts";
import { toDisplayable } from "../http/display-text.ts";
import { OidcRefusal } from "./refusal.ts";

/** How far the clocks of the provider and this server may differ. */
export const clockToleranceSeconds = 60;

/** Claims of a token that was verified, or of the provider's answer about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/** A person as the provider knows them. */
export interface ProviderPerson {
  readonly subject: string;
  /** Lower case; `undefined` when there is none that could be one. */
  readonly email: string | undefined;
  /** Whether the provider, or the operator for it, vouches for the address. */
  readonly isVerified: boolean;
  /** Empty when there is none. */
  readonly name: string;
  /** For lists: an address or a name there. */
  readonly label: string;
  /** `undefined` when the provider did not say. */
  readonly groups: readonly string[] | undefined;
  /** When they last entered what the provider asks for, in milliseconds. */
  readonly authenticatedAt: number | undefined;
  /** Whether the provider asked for more than one factor (RFC 8176). */
  readonly usedSecondFactor: boolean;
}

type ReadSettings = Pick<OidcSettings, "groupsClaim" | "trustsEmail">;

const groupsMax = 10_000;

/** Whether the token alone leaves open what is needed, so that the provider has to be asked about the person. */
export function lacksClaims(token: Claims, { groupsClaim, allowedGroups }: OidcSettings): boolean {
  return (
    readEmail(token) === undefined || (allowedGroups !== undefined && readGroups(token, groupsClaim) === undefined)
  );
}

/**
 * The token's word counts first; address and its verification are taken from the same place. Throws an `OidcRefusal` when the
 * subject is not one.
 */
export function readPerson(token: Claims, answer: Claims, settings: ReadSettings): ProviderPerson {
  const source = readEmail(token) === undefined ? answer : token;
  const email = readEmail(source);
  const isVouchedFor = source.email_verified === true || source.email_verified === "true";
  return {
    subject: readSubject(token),
    email,
    isVerified: email !== undefined && (isVouchedFor || settings.trustsEmail),
    name: readName(token.name) ?? readName(answer.name) ?? "",
    label: email ?? readName(token.preferred_username) ?? readName(answer.preferred_username) ?? "",
    groups: readGroups(token, settings.groupsClaim) ?? readGroups(answer, settings.groupsClaim),
    authenticatedAt: typeof token.auth_time === "number" ? token.auth_time * 1000 : undefined,
    usedSecondFactor: Array.isArray(token.amr) && token.amr.includes("mfa"),
  };
}

/**
 * OpenID Connect Core 1.0, section 2: at most 255 ASCII characters, compared byte for byte. Anything else is refused, also what
 * a database would store in another form than it compares (lone surrogates, NUL): two people must never share one account.
 */
function readSubject({ sub }: Claims): string {
  if (typeof sub === "string" && /^[\x20-\x7e]{1,255}$/.test(sub) && sub.trim() !== "") return sub;
  throw new OidcRefusal("refused", "the subject (sub) is not 1 to 255 printable ASCII characters");
}

function readEmail({ email }: Claims): string | undefined {
  if (typeof email !== "string" || email.length > addressLengthMax || !email.isWellFormed() || hasSharedLetter(email))
    return undefined;
  const address = lowerAddress(email.trim());
  const isPlain = !/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(address);
  return isPlain && /^[^\s@]+@[^\s@]+$/.test(address) ? address : undefined;
}

function readName(name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  // Cleaned rather than refused: nobody here can type it again.
  const text = toDisplayable(name);
  return text !== undefined && findNameError(text) === undefined ? text : undefined;
}

/** One group may come as a text; a path with dots leads into objects, as Keycloak nests its roles. */
function readGroups(claims: Claims, path: string): readonly string[] | undefined {
  const value = Object.hasOwn(claims, path) ? claims[path] : path.split(".").reduce<unknown>(enter, claims);
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, groupsMax).filter((group) => typeof group === "string");
}

function enter(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Object.entries(value).find(([own]) => own === name)?.[1]
    : undefined;
}
