import { Type } from "typebox";
import { permissions } from "../access/permission.ts";
import { CodeText, closed, reference } from "../http/schemas.ts";
import { formsMax, nameLengthMax } from "./api-key.ts";

const Permissions = Type.Array(Type.Enum([...permissions]), {
  description:
    "`forms:read` lists and views forms · `forms:write` creates, changes and deletes them · `submissions:read` reads submissions (still sealed) · `submissions:delete` deletes them.",
});
const id = Type.String({ description: "The key's id, `key_…`." });
const name = Type.String({ description: "What the key is for." });
const Time = Type.String({ format: "date-time", description: "ISO 8601, UTC." });

const forms = Type.Optional(
  Type.Array(Type.String(), {
    description:
      "The forms that the key is limited to, and that its maker reaches. Absent: all that its maker reaches.",
  }),
);
const expiresAt = Type.Optional(
  Type.String({ format: "date-time", description: "When the key ends: from then on it is refused. Absent: never." }),
);

export const ApiKeyListItemBody = closed(
  {
    id,
    name,
    prefix: Type.String({ description: "The first 10 characters of the key, to tell keys apart." }),
    permissions: Permissions,
    forms,
    expiresAt,
    createdAt: Time,
    lastUsed: Type.Union([Time, Type.Null()], {
      description: "When the key was last used, exact to a minute; null when it never was.",
    }),
    maker: closed(
      { id: Type.String({ description: "`acc_…`" }), name: Type.String() },
      {
        description: "The person who made it, whose role bounds what it may do.",
      },
    ),
  },
  { $id: "ApiKeyListItem", description: "An API key without its value." },
);

export const ApiKeyListBody = closed(
  { keys: Type.Array(reference(ApiKeyListItemBody)), total: Type.Integer({ minimum: 0 }) },
  { $id: "ApiKeyList", description: "The account's API keys." },
);

export const CreatedApiKeyBody = closed(
  {
    key: closed({
      id,
      name,
      key: Type.String({ description: "The key itself, `sp_…`. Shown in this one answer; only its hash is kept." }),
      permissions: Permissions,
      forms,
      expiresAt,
      createdAt: Time,
    }),
    warning: Type.String(),
    warningCode: CodeText,
  },
  { $id: "CreatedApiKey", description: "The new API key with its value, this one time." },
);

export const RevokedApiKeyBody = closed(
  { success: Type.Literal(true), revoked: id },
  { $id: "RevokedApiKey", description: "The key is refused from now on." },
);

/** For the document; `parseApiKeyInput` checks the body, with the contract's sentences. */
export const CreateApiKeyInput = closed({
  name: Type.String({
    minLength: 1,
    maxLength: nameLengthMax,
    pattern:
      "^[^\\S\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$",
    description: `1 to ${nameLengthMax} characters, at least one of them visible and none a control character.`,
  }),
  permissions: Type.Optional({ ...Permissions, minItems: 1 }),
  forms: Type.Optional(
    Type.Unsafe<readonly string[] | null>({
      type: ["array", "null"],
      items: { type: "string" },
      minItems: 1,
      maxItems: formsMax,
      description:
        "Limits the key to these forms: any other is one that does not exist for it, it makes none, and it reads no usage.",
    }),
  ),
  expiresAt: Type.Optional(
    Type.Unsafe<string | null>({
      type: ["string", "null"],
      format: "date-time",
      description: "When the key ends, with its zone: `2027-01-31T12:00:00Z`. The owners get an email a week before.",
    }),
  ),
});

export const ApiKeyProblemBody = closed(
  {
    error: Type.String({ description: "A sentence for people." }),
    retryAfter: Type.Optional(
      Type.Integer({ description: "Seconds until it is worth another try; on a 429, and on a 503 that knows it." }),
    ),
    code: CodeText,
  },
  { $id: "ApiKeyProblem", description: "Errors of the API key endpoints have this shape; all others have `Problem`." },
);
