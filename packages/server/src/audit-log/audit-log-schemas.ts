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
          personId: Type.String({ description: "The person who had the session, `acc_…`." }),
        }),
        closed({ type: Type.Literal("api_key"), id: Type.String({ description: "The key's id, `key_…`." }) }),
        closed({
          type: Type.Literal("operator"),
          personId: Type.Optional(
            Type.String({ description: "The person, `acc_…`; none for the command line on the server." }),
          ),
        }),
        closed({ type: Type.Literal("nobody") }),
      ],
      {
        description:
          "Who did it: a session or an API key of the account, an operator of the instance, or somebody who was not let in.",
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

const Hash = Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256 in hexadecimal digits." });
const Head = closed(
  { sequence: Type.Integer({ minimum: 0, description: "How many entries there ever were." }), hash: Hash },
  {
    description:
      "The end of the chain of entries. Keep it outside of the service: a later export that still has it proves that nothing up to there was changed or removed (`sealpost verify-log`).",
  },
);

const Removed = closed(
  { count: Type.Integer({ minimum: 1 }), timestamp: Milliseconds },
  {
    description:
      "How many entries were removed, for their age or by an owner, always the oldest, and the time of the last one.",
  },
);

export const AuditLogBody = closed(
  {
    entries: Type.Array(reference(AuditEntryBody)),
    nextCursor: NextCursor,
    head: Head,
    removed: Type.Optional(Removed),
  },
  { $id: "AuditLog", description: "A page of entries, newest first." },
);

const moment = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** The subjects of actions: the part before the dot. */
const kinds = [...new Set(actions.map(kindOfAction))];

export function kindOfAction(action: AuditAction): string {
  return action.split(".")[0] ?? "";
}

export const AuditLogQuery = closed({
  ...PageQuery.properties,
  action: Type.Optional(Type.Enum(actions, { description: "Only this action." })),
  kind: Type.Optional(
    Type.String({
      pattern: `^(${kinds.join("|")})$`,
      description:
        "Only actions of this kind, those that begin with it and a dot: `form`, `submissions`, `member`, say.",
    }),
  ),
  person: Type.Optional(
    Type.String({ maxLength: 100, description: "Only what sessions of this person did: their id, `acc_…`." }),
  ),
  target: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "Only what was done to this form, API key, session, member or invitation: its id.",
    }),
  ),
  actor: Type.Optional(Type.String({ maxLength: 100, description: "Only what this session or API key did: its id." })),
  from: Type.Optional(Type.Integer({ ...moment, description: "Only entries of this millisecond or later." })),
  to: Type.Optional(Type.Integer({ ...moment, description: "Only entries of this millisecond or earlier." })),
});

export const AuditExportQuery = closed({
  after: Type.Optional(
    Type.Integer({
      ...moment,
      description: "Only entries after this number: the `sequence` of the last one that you have.",
    }),
  ),
});

export const ShortenInput = closed({
  until: closed(
    { sequence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), hash: Hash },
    { description: "The last entry that goes: its number and hash, as the export has them." },
  ),
});

export const ShortenedBody = closed(
  {
    shortened: closed({
      count: Type.Integer({
        minimum: 1,
        description: "How many entries are gone, or soon will be: all up to this number.",
      }),
    }),
  },
  { $id: "ShortenedAuditLog", description: "Where the audit log begins." },
);

/** One line of an export. Described loosely: its first line is about the log, and each other one is an entry. */
export const AuditExportLine = Type.Object(
  {
    format: Type.Optional(Type.Literal("sealpost-audit/1", { description: "Of the first line alone." })),
    organization: Type.Optional(Type.String({ description: "Of the first line: whose log it is, `acc_…`." })),
    exportedAt: Type.Optional(Milliseconds),
    start: Type.Optional(Head),
    removed: Type.Optional(Removed),
    head: Type.Optional(Head),
    sequence: Type.Optional(
      Type.Integer({ minimum: 1, description: "Of an entry: its number, from 1, without gaps." }),
    ),
    previous: Type.Optional(Hash),
    hash: Type.Optional(Hash),
  },
  {
    $id: "AuditExportLine",
    description:
      "The first line has `format`, `organization`, `exportedAt`, `start` (the head before the first entry of the export), `removed` and `head`. Each other line is an entry as the list has it, but for the type of its target, with `sequence`, `previous` (the hash of the entry before) and `hash`: SHA-256 of `sealpost-audit/1`, a line feed, and the entry without `hash` as canonical JSON (RFC 8785).",
  },
);
