import { Type } from "typebox";
import { closed, Milliseconds, NextCursor, reference } from "../http/schemas.ts";
import { type AuditAction, auditActions } from "./audit-entry.ts";

const actions = Object.keys(auditActions) as AuditAction[]; // its keys are just these
const name = Type.String({ description: "The name that it had then." });

export const AuditEntryBody = closed(
  {
    id: Type.String({ description: "`aud_…`." }),
    timestamp: Milliseconds,
    action: Type.Enum(actions, {
      description: actions.map((action) => `\`${action}\`: ${auditActions[action]}`).join("\n\n"),
    }),
    actor: Type.Union(
      [
        closed({ type: Type.Literal("session"), id: Type.String({ description: "The session's id." }) }),
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
        ],
        { description: "What it was done to, if not to the account." },
      ),
    ),
    count: Type.Optional(Type.Integer({ minimum: 0, description: "How many submissions." })),
  },
  { $id: "AuditEntry", description: "One thing that was done." },
);

export const AuditLogBody = closed(
  { entries: Type.Array(reference(AuditEntryBody)), nextCursor: NextCursor },
  { $id: "AuditLog", description: "A page of entries, newest first." },
);
