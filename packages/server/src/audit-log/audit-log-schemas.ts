import { type TInteger, type TOptional, Type } from "typebox";
import { closed, Milliseconds, NextCursor, PageQuery, reference } from "../http/schemas.ts";
import { type AuditAction, type AuditValue, auditActions, auditCounts } from "./audit-entry.ts";

export const actions = Object.keys(auditActions) as AuditAction[]; // its keys are just these
const name = Type.String({ description: "The name that it had then." });

/** No type: for a list of types or a union, the generators for Go and Java write code that does not compile. */
const value = Type.Unsafe<AuditValue>({ description: "A text, a number, true or false, a list of texts, or null." });

const Details = closed(
  {
    changes: Type.Optional(
      Type.Array(
        closed({
          setting: Type.String({ description: "As the API names it: `webhookUrl`, `encryption`, `name`." }),
          from: value,
          to: value,
        }),
        { description: "The changed settings, with old and new values." },
      ),
    ),
    since: Type.Optional(Type.Integer({ minimum: 0, description: "When what is counted began, in milliseconds." })),
    backupAt: Type.Optional(
      Type.Integer({ minimum: 0, description: "Of a restore: when the backup was made, in milliseconds." }),
    ),
    counts: Type.Optional(
      closed(
        Object.fromEntries(auditCounts.map((name) => [name, Type.Optional(Type.Integer({ minimum: 0 }))])) as Record<
          (typeof auditCounts)[number],
          TOptional<TInteger>
        >, // one for each name
        {
          description:
            "How many lists, single submissions (`opened`) and exports were asked for and how many submissions they held; how many passwords and codes were wrong; how many sessions a restore ended, and how many API keys it brought back or revoked.",
        },
      ),
    ),
  },
  { description: "More about it. Never anything that was submitted." },
);

export const AuditEntryBody = closed(
  {
    id: Type.String({ description: "`aud_…`." }),
    timestamp: Milliseconds,
    action: Type.Enum(actions, {
      description: actions.map((action) => `\`${action}\`: ${auditActions[action]}`).join("\n\n"),
    }),
    actor: Type.Union(
      [
        closed({
          type: Type.Literal("session"),
          id: Type.String({ description: "The session's id." }),
          personId: Type.Optional(Type.String({ description: "The person who had the session, `acc_…`." })),
        }),
        closed({ type: Type.Literal("api_key"), id: Type.String({ description: "The key's id, `key_…`." }) }),
        closed({ type: Type.Literal("operator") }),
        closed({ type: Type.Literal("nobody") }),
      ],
      {
        description:
          "Who did it: a session or an API key of the account, the operator at the command line, or somebody who was not let in.",
      },
    ),
    target: Type.Optional(
      Type.Union(
        [
          closed({ type: Type.Literal("form"), id: Type.String(), name }),
          closed({ type: Type.Literal("api_key"), id: Type.String(), name }),
          closed({ type: Type.Literal("session"), id: Type.String() }),
          closed({ type: Type.Literal("member"), id: Type.String(), name }),
          closed({ type: Type.Literal("invitation"), id: Type.String() }),
        ],
        { description: "What it was done to, if not to the account." },
      ),
    ),
    count: Type.Optional(Type.Integer({ minimum: 0, description: "How many submissions." })),
    details: Type.Optional(Details),
  },
  { $id: "AuditEntry", description: "One thing that was done." },
);

export const AuditLogBody = closed(
  { entries: Type.Array(reference(AuditEntryBody)), nextCursor: NextCursor },
  { $id: "AuditLog", description: "A page of entries, newest first." },
);

const moment = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

export const AuditLogQuery = closed({
  ...PageQuery.properties,
  action: Type.Optional(Type.Enum(actions, { description: "Only this action." })),
  actor: Type.Optional(Type.String({ maxLength: 100, description: "Only what this session or API key did: its id." })),
  from: Type.Optional(Type.Integer({ ...moment, description: "Only entries of this millisecond or later." })),
  to: Type.Optional(Type.Integer({ ...moment, description: "Only entries of this millisecond or earlier." })),
});
