import { type AccountId, type ApiKeyId, type FormId, isId, isInvisible, parseMoment } from "@sealpost/wire";
import { type Permission, permissions } from "../access/permission.ts";
import type { Membership } from "../access/principal.ts";
import type { Plan } from "../config/config.ts";
import { isDisplayable } from "../http/display-text.ts";
import type { Sentence } from "../problems/codes.ts";
import { excerpt } from "../problems/excerpt.ts";

export const nameLengthMax = 50;

/** How many API keys an account may have (contract, section 3.4). */
export const keysMax = {
  free: 5,
  starter: 10,
  pro: 25,
  enterprise: Number.POSITIVE_INFINITY,
} as const satisfies Record<Plan, number>;

export interface ApiKey {
  readonly id: ApiKeyId;
  readonly accountId: AccountId;
  readonly name: string;
  /** The first characters of the value. */
  readonly prefix: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
  /** The person who made it, and whose role bounds it. */
  readonly madeBy: AccountId;
  /** The forms that it is limited to; `undefined`: all that its maker reaches. */
  readonly formIds: readonly FormId[] | undefined;
  /** The moment from which it is refused; `undefined`: never. */
  readonly expiresAt: number | undefined;
}

/** An API key with its maker. */
export interface ListedApiKey extends ApiKey {
  readonly makerName: string;
}

/** An API key with what its maker may do now. */
export type UsableApiKey = Omit<ApiKey, "formIds"> & Membership;

export interface ApiKeyInput {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly formIds: readonly FormId[] | undefined;
  readonly expiresAt: number | undefined;
}

/** A key for more forms had better have no limit. */
export const formsMax = 100;

/**
 * A create request's body, or the sentence that says what is wrong with it, in the contract's words where it has some
 * (contract, section 4.4). An empty list of permissions is refused: a key that may do nothing is a mistake, and taking the
 * list for an absent one would hand out all that its maker holds, the `held` ones.
 */
export function parseApiKeyInput(
  body: unknown,
  now: number,
  held: readonly Permission[] = permissions,
): ApiKeyInput | Sentence {
  if (body === undefined) return "Key name is required";
  if (typeof body !== "object" || body === null || Array.isArray(body)) return invalidBody;
  const { name, permissions: wished = held, forms, expiresAt, ...others } = body as Record<string, unknown>; // an object, as just checked
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) return `Unknown member: ${excerpt(unknown)}`;
  const issue = describeNameError(name);
  if (issue !== undefined) return issue;
  if (!Array.isArray(wished)) return "Permissions must be a list";
  if (wished.length === 0) return "At least one permission is required";
  const stranger = wished.find((permission) => !isPermission(permission));
  if (stranger !== undefined) return `Invalid permission: ${describe(stranger)}`;
  const above = permissions.find((permission) => wished.includes(permission) && !held.includes(permission));
  if (above !== undefined) return `Your role in this organization does not hold the permission ${above}`;
  const formIds = parseForms(forms);
  if (typeof formIds === "string") return formIds;
  const end = parseExpiry(expiresAt, now);
  if (typeof end === "string") return end;
  const granted = permissions.filter((permission) => wished.includes(permission));
  return { name: String(name).trim(), permissions: granted, formIds, expiresAt: end };
}

function parseForms(forms: unknown): readonly FormId[] | undefined | Sentence {
  if (forms === undefined || forms === null) return undefined;
  if (!Array.isArray(forms)) return "Forms must be a list of form ids";
  if (forms.length === 0) return "At least one form is required; leave forms out for all";
  if (forms.length > formsMax) return `A key is limited to at most ${formsMax} forms; leave forms out for all`;
  const ids = [...new Set<unknown>(forms)].filter((id) => isId("form", id));
  return ids.length === new Set(forms).size ? ids : "Forms must be forms of this organization";
}

/** ISO 8601 with its zone. */
function parseExpiry(expiresAt: unknown, now: number): number | undefined | Sentence {
  if (expiresAt === undefined || expiresAt === null) return undefined;
  const end = typeof expiresAt === "string" ? parseMoment(expiresAt) : undefined;
  if (end === undefined) return "The end of a key must be a time such as 2027-01-31T12:00:00Z";
  return end > now ? end : "The end of a key must be in the future";
}

export const invalidBody = "The body must be a JSON object";

function isPermission(value: unknown): boolean {
  return permissions.some((permission) => permission === value);
}

function describeNameError(name: unknown): Sentence | undefined {
  if (name === undefined || name === null) return "Key name is required";
  if (typeof name !== "string") return "Key name must be a text";
  if (isInvisible(name)) return "Key name is required";
  if ([...name].length > nameLengthMax) return `Key name must be at most ${nameLengthMax} characters`;
  if (!isDisplayable(name)) return "Key name must not contain control characters";
  return undefined;
}

function describe(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return excerpt(text);
}
