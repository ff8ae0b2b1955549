import { isId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { type Clock, hourMilliseconds } from "../time/clock.ts";
import type { Form } from "./form.ts";
import type { PublicForm } from "./form-store.ts";
import { printConcerned, type RefusalCause, refusalCauses } from "./refusal-causes.ts";
import {
  forgottenMilliseconds,
  listRefusals,
  markAnnounced,
  noteRefusal,
  toStored,
  touchRefusal,
  unmarkAnnounced,
} from "./refusal-store.ts";

/** When visitors of a form were first refused for this cause with the form's settings of now, and when last: milliseconds since the Unix epoch. */
export interface RefusedVisitorsOfCause {
  readonly cause: RefusalCause;
  readonly since: number;
  readonly lastAt: number;
}

/**
 * Remembers which forms refuse visitors, and for which causes: their owners see none of it. It is what was seen, and anybody can make a
 * request that is refused, so it says nothing certain of an owner's page.
 */
export interface RefusedVisitors {
  note(form: PublicForm, cause: RefusalCause): Promise<void>;
  /** Not those that nobody has seen for a day: then the page was mended. */
  find(form: Pick<Form, "id" | "keyVersion" | "settings">): RefusedVisitorsOfCause[];
  /** Reads what a process before had noted: once, before the first request. */
  restore(): Promise<void>;
  /** Takes the line that another process gave to its `tell`. */
  hear(line: string): void;
}

export interface RefusedVisitorsDependencies {
  readonly database: Database;
  /** Puts the one email into the queue. `false` where it has no room today, or nobody would get it. */
  readonly announce: (
    transaction: DatabaseTransaction,
    form: PublicForm,
    cause: RefusalCause,
    now: number,
  ) => Promise<boolean>;
  readonly wakeEmails: () => void;
  /** Gives the other processes of the instance a line. */
  readonly tell: (line: string) => void;
  readonly clock: Clock;
}

interface Noted {
  readonly settings: string;
  readonly since: number;
  readonly lastAt: number;
  /** When the other processes were last notified. */
  readonly notifiedAt: number;
  /** When the database last heard of it. */
  readonly writtenAt: number;
  /** When to try the email again, where the day had no room for it. */
  readonly announceAt: number;
}

const notedMax = 10_000;
/** However many visitors are refused, the other processes hear of it this often. */
const tellingMilliseconds = 60_000;
/** And the database this often, so that a restart knows when it was last. */
const writingMilliseconds = 600_000;

/**
 * In memory, for each form and cause two times and a print of settings: nothing of the visitor or of their page. The database has the same, so
 * that there is one email, and that a start forgets nothing. After the first, it hears of a cause every ten minutes at most.
 */
export function createRefusedVisitors(dependencies: RefusedVisitorsDependencies): RefusedVisitors {
  const { database, announce, wakeEmails, tell, clock } = dependencies;
  /** By form and cause. The one that was noted longest ago comes first. */
  const noted = new Map<string, Noted>();
  /** The first refusals that are being written: of a hundred at once, one asks the database. */
  const beginning = new Set<string>();

  function remember(key: string, one: Noted): void {
    noted.delete(key);
    noted.set(key, one);
    const [oldest] = noted.keys();
    if (noted.size > notedMax && oldest !== undefined) noted.delete(oldest);
  }

  /** Since when, by the database: the first of all processes to ask sends the email. */
  async function begin(found: PublicForm, cause: RefusalCause, settings: string, now: number) {
    const refusal = { formId: found.form.id, cause, settings };
    // A cause that memory had no room for is read, and not written again.
    const before = await touchRefusal(database, refusal, now);
    if (before !== undefined && before.announceAt > now) return before;
    let isSent = false;
    const begun = await database.transaction().execute(async (transaction) => {
      const stored = await noteRefusal(transaction, refusal, now);
      if (!stored?.isDue) return stored;
      // First, so that of two processes one sends it. Where nobody could be notified, nobody knows of it.
      if (!(await markAnnounced(transaction, refusal, now))) return stored;
      isSent = await announce(transaction, found, cause, now);
      if (!isSent) await unmarkAnnounced(transaction, refusal, now);
      return stored;
    });
    if (isSent) wakeEmails();
    if (begun === undefined) return undefined;
    const later = begun.isDue ? now + hourMilliseconds : begun.announceAt;
    return { since: begun.since, announceAt: isSent ? Number.POSITIVE_INFINITY : later };
  }

  return {
    async note(found, cause) {
      const { form } = found;
      const [key, settings, now] = [keyOf(form.id, cause), printConcerned(form, cause), clock.now()];
      const before = noted.get(key);
      const isKnown = before?.settings === settings && now - before.lastAt < forgottenMilliseconds;
      const known = isKnown ? before : undefined;
      let begun: Pick<Noted, "since" | "announceAt"> | undefined = known;
      if (known === undefined || known.announceAt <= now) {
        if (beginning.has(key)) return;
        beginning.add(key);
        begun = await begin(found, cause, settings, now).finally(() => beginning.delete(key));
      }
      if (begun === undefined) return;
      const isDue = known === undefined || now - known.notifiedAt >= tellingMilliseconds;
      const isWritten = known === undefined || now - known.writtenAt >= writingMilliseconds;
      // The database says when to try the email again: other owners may have the form, or nobody got the last one.
      if (isWritten && known !== undefined && begun === known) {
        const stored = await touchRefusal(database, { formId: form.id, cause, settings }, now);
        begun = { since: known.since, announceAt: stored?.announceAt ?? 0 };
      }
      const { announceAt } = begun;
      const since = known?.since ?? begun.since;
      remember(key, {
        ...{ settings, since, lastAt: now, announceAt },
        notifiedAt: isDue ? now : known.notifiedAt,
        writtenAt: isWritten ? now : known.writtenAt,
      });
      if (isDue) tell([form.id, cause, settings, since, now].join(" "));
    },
    find(form) {
      return refusalCauses.flatMap((cause) => {
        const one = noted.get(keyOf(form.id, cause));
        if (one === undefined || clock.now() - one.lastAt >= forgottenMilliseconds) return [];
        if (one.settings !== printConcerned(form, cause)) return [];
        return [{ cause, since: one.since, lastAt: one.lastAt }];
      });
    },
    async restore() {
      const now = clock.now();
      const rows = await listRefusals(database, now - forgottenMilliseconds, notedMax);
      for (const row of rows.reverse()) {
        const { form_id: formId, cause: named, settings, last_at: writtenAt } = row;
        const cause = refusalCauses.find((one) => one === named);
        if (cause === undefined || noted.has(keyOf(formId, cause))) continue;
        // One from later than now was written by a clock that was put back.
        const lastAt = Math.min(writtenAt, now);
        remember(keyOf(formId, cause), {
          ...{ settings, ...toStored(row, now), lastAt, writtenAt: lastAt, notifiedAt: 0 },
        });
      }
    },
    hear(line) {
      const [formId, named, settings = "", ...numbers] = line.split(" ");
      const [since = 0, lastAt = 0] = numbers.map(Number);
      const cause = refusalCauses.find((one) => one === named);
      if (!isId("form", formId) || cause === undefined) return;
      const key = keyOf(formId, cause);
      const before = noted.get(key);
      if (before !== undefined && before.settings !== settings && before.lastAt > lastAt) return;
      const known = before?.settings === settings ? before : undefined;
      remember(key, {
        ...{ settings, since, notifiedAt: known?.notifiedAt ?? 0, writtenAt: known?.writtenAt ?? lastAt },
        lastAt: Math.max(lastAt, known?.lastAt ?? 0),
        // The process that tells it has sent the email, or tries again.
        announceAt: known?.announceAt ?? Number.POSITIVE_INFINITY,
      });
    },
  };
}

const keyOf = (formId: string, cause: RefusalCause) => `${formId} ${cause}`;
