import { Type } from "typebox";
import { browsers, systems } from "../authentication/browser-label.ts";
import { closed, Milliseconds, reference } from "../http/schemas.ts";

const orNull = (values: readonly string[], description: string) =>
  Type.Union([Type.Enum([...values]), Type.Null()], { description });

export const SessionBody = closed(
  {
    id: Type.String({ description: "The session's id, as in the audit log." }),
    browser: orNull(
      browsers,
      "The browser's name; `program` for a client that names itself no browser. Null for one that this version does not know.",
    ),
    system: orNull(systems, "The system's name. Null for one that this version does not know."),
    createdAt: Milliseconds,
    lastUsedAt: Type.Integer({ minimum: 0, description: "To within five minutes." }),
    expiresAt: Milliseconds,
    current: Type.Boolean({ description: "Whether it is the session that asks." }),
  },
  { $id: "Session", description: "Somewhere that you are signed in." },
);

export const SessionListBody = closed(
  { sessions: Type.Array(reference(SessionBody)), total: Type.Integer({ minimum: 0 }) },
  { $id: "SessionList", description: "Your sessions, the newest first." },
);
