import { type FormId, isId } from "@sealpost/wire";
import type { Database } from "../database/database.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { type Clock, dayMilliseconds } from "../time/clock.ts";
import type { Form } from "./form.ts";
import type { FormStore, PublicForm } from "./form-store.ts";

/** When pages that pin a former key of a form were first refused after its last rotation, and when last: milliseconds since the Unix epoch. */
export interface RefusedVisitors {
  readonly since: number;
  readonly lastAt: number;
}

/** Remembers which forms have pages that are refused for their old snippet: visitors can't seal there, and their owners do not see it. */
export interface RefusedKeys {
  /** A page says that it pins these fingerprints, and that the form has none of them. Anybody can say so: only former keys count. */
  note(form: PublicForm, fingerprints: readonly string[]): Promise<void>;
  /** `undefined` when nothing was noted for a day: then the page was mended. */
  find(form: Pick<Form, "id" | "keyVersion">): RefusedVisitors | undefined;
  /** Takes the line that another process gave to its `tell`. */
  hear(line: string): void;
}

export interface RefusedKeysDependencies {
  readonly database: Database;
  readonly forms: Pick<FormStore, "isFormer" | "noteRefused">;
  readonly sendSecurityMail: SendSecurityMail;
  readonly wakeEmails: () => void;
  /** The snippet that pins this fingerprint. */
  readonly createSnippet: (formId: FormId, fingerprint: string) => string;
  /** Gives the other processes of the instance a line. */
  readonly tell: (line: string) => void;
  readonly clock: Clock;
}

interface Noted extends RefusedVisitors {
  readonly version: number;
  /** When the other processes were last notified. */
  readonly notifiedAt: number;
}

const formsMax = 10_000;
/** However many visitors are refused, the other processes hear of it this often. */
const tellingMilliseconds = 60_000;

/**
 * In memory alone, for each form two times and a key version: nothing of the visitor or of their page. The database only has the time of the
 * one email about a key version, so that there is one, and so that a start does not forget since when.
 */
export function createRefusedKeys(dependencies: RefusedKeysDependencies): RefusedKeys {
  const { database, forms, sendSecurityMail, wakeEmails, createSnippet, tell, clock } = dependencies;
  /** The form that was noted longest ago comes first. */
  const noted = new Map<string, Noted>();

  function remember(formId: string, one: Noted): void {
    noted.delete(formId);
    noted.set(formId, one);
    const [oldest] = noted.keys();
    if (noted.size > formsMax && oldest !== undefined) noted.delete(oldest);
  }

  /** Since when, by the database: the first of all processes to ask sends the email. */
  async function begin({ form, fingerprint, hybrid }: PublicForm, now: number): Promise<number | undefined> {
    const { id: formId, accountId, keyVersion } = form;
    const begun = await database.transaction().execute(async (transaction) => {
      const first = await forms.noteRefused(transaction, formId, keyVersion, now);
      if (!first?.isFirst) return first;
      const snippet = createSnippet(formId, hybrid?.fingerprint ?? fingerprint);
      const event = "visitors_refused" as const;
      await sendSecurityMail(transaction, { accountId, event, occurredAt: now, formId, snippet });
      return first;
    });
    if (begun?.isFirst) wakeEmails();
    return begun?.since;
  }

  return {
    async note(found, fingerprints) {
      const { form, fingerprint, hybrid } = found;
      // The page accepts the newest key: whatever it was refused for, an old snippet was not the reason.
      if (fingerprints.includes(fingerprint) || (hybrid && fingerprints.includes(hybrid.fingerprint))) return;
      if (!(await forms.isFormer(form.id, form.keyVersion, fingerprints))) return;
      const now = clock.now();
      const before = noted.get(form.id);
      const known = before?.version === form.keyVersion ? before : undefined;
      const since = known?.since ?? (await begin(found, now));
      if (since === undefined) return;
      const isDue = known === undefined || now - known.notifiedAt >= tellingMilliseconds;
      remember(form.id, { version: form.keyVersion, since, lastAt: now, notifiedAt: isDue ? now : known.notifiedAt });
      if (isDue) tell([form.id, form.keyVersion, since, now].join(" "));
    },
    find({ id, keyVersion }) {
      const one = noted.get(id);
      if (one?.version !== keyVersion || clock.now() - one.lastAt >= dayMilliseconds) return undefined;
      return { since: one.since, lastAt: one.lastAt };
    },
    hear(line) {
      const [formId, ...numbers] = line.split(" ");
      const [version = 0, since = 0, lastAt = 0] = numbers.map(Number);
      const before = formId === undefined ? undefined : noted.get(formId);
      if (!isId("form", formId) || version < (before?.version ?? 0)) return;
      const notifiedAt = before?.version === version ? before.notifiedAt : 0;
      const newest = Math.max(lastAt, before?.version === version ? before.lastAt : 0);
      remember(formId, { version, since, lastAt: newest, notifiedAt });
    },
  };
}
