import { type AccountId, type ApiKeyId, isInvisible } from "@sealpost/wire";
import { type Permission, permissions } from "../access/permission.ts";
import type { Membership } from "../access/principal.ts";
import type { Plan } from "../config/config.ts";
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
}

/** An API key with its maker. */
export interface ListedApiKey extends ApiKey {
  readonly makerName: string;
}

/** An API key with what its maker may do now. */
export interface UsableApiKey extends ApiKey, Membership {}

export interface ApiKeyInput {
  readonly name: string;
  readonly permissions: readonly Permission[];
}

/**
 * A create request's body, or the sentence that says what is wrong with it, in the contract's words where it has some
 * (contract, section 4.4). An empty list of permissions is refused: a key that may do nothing is a mistake, and taking the
 * list for an absent one would hand out all that its maker holds, the `held` ones.
 */
export function parseApiKeyInput(body: unknown, held: readonly Permission[] = permissions): ApiKeyInput | Sentence {
  if (body === undefined) return "Key name is required";
  if (typeof body !== "object" || body === null || Array.isArray(body)) return invalidBody;
  const { name, permissions: wished = held, ...others } = body as Record<string, unknown>; // an object, as just checked
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
  return { name: String(name).trim(), permissions: permissions.filter((permission) => wished.includes(permission)) };
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
  // Control characters and halves of surrogate pairs would come out of the database as something else.
  if (!name.isWellFormed() || /\p{Cc}/u.test(name)) return "Key name must not contain control characters";
  return undefined;
}

function describe(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return excerpt(text);
}
