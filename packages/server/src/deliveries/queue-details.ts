import { CompiledQuery } from "kysely";
import type { DatabaseTransaction } from "../database/database.ts";
import { encodeForms, isDistributed } from "../database/distribution.ts";
import { kindOf } from "../database/kind.ts";
import { keepPlanned } from "../database/prepared-statements.ts";
import { type BodyRow, bodyColumns, bodyJoins } from "../outbox/event-body.ts";
import { leaseMilliseconds } from "./claim.ts";
import type { Instant } from "./delivery.ts";

// Repeated for each table: Citus does not infer a list of forms through a join.
const ofForms = ["q", "d", "e"].map((table) => `and ${table}.form_id = any($3::text[])`).join(" ");

/** The parts of a claimed delivery from the other tables. */
export interface Detail extends BodyRow {
  readonly id: string;
  readonly is_test: number;
  readonly created_at: number;
  readonly next_attempt_at: number | null;
  readonly url: string | null;
  readonly webhook_destination: string | null;
  readonly redirects: "post" | "get";
  readonly secret: string;
  readonly earlier_secrets: string | null;
  readonly secret_known_since: number | null;
  readonly accepted_secret: string | null;
}

/**
 * The details of what was claimed at `now` with this token: it needs no ids, so it can be sent together with the claims. On a
 * cluster, which would ask all servers for it, the forms are needed.
 */
export function compileDetails(
  transaction: DatabaseTransaction,
  token: string,
  now: Instant,
  formIds?: readonly string[],
): CompiledQuery<Detail> {
  const [dueAt, claimToken] = kindOf(transaction) === "postgres" ? ["$1", "$2"] : ["?", "?"];
  const text = `
    select d.id, d.is_test, d.created_at, d.next_attempt_at, w.url, w.destination as webhook_destination, w.redirects, w.secret, w.earlier_secrets, w.secret_known_since, w.accepted_secret, ${bodyColumns}
    from delivery_queue q join delivery d on d.form_id = q.form_id and d.id = q.delivery_id
      join event e on e.form_id = d.form_id and e.id = d.event_id
      join webhook w on w.form_id = d.form_id ${bodyJoins}
    where q.due_at = ${dueAt} and q.claim_token = ${claimToken}`;
  const claimed = [now + leaseMilliseconds, token];
  return isDistributed(transaction) && formIds !== undefined
    ? CompiledQuery.raw(`${text} ${ofForms}`, [...claimed, encodeForms(formIds)])
    : keepPlanned(CompiledQuery.raw(text, claimed));
}
