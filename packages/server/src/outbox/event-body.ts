import { type SqlBool, sql } from "kysely";
import type { Database } from "../database/database.ts";
import { isOfForm } from "../database/form-scope.ts";
import { type PayloadColumns, parseStoredPayload, type StoredPayload, toPayload } from "../database/stored-payload.ts";
import type { NewEvent } from "./event.ts";

/** The layout of the bodies that are built from now on. A change of what they hold is another number, and the old one stays. */
export const newestLayout = 1;

/** The submission as a `submission.created` event shows it. The last three are never null in a row that is there. */
interface EventSubmission {
  readonly id: string;
  readonly payload: StoredPayload;
  readonly keyVersion: number | null;
  readonly timestamp: number | null;
  readonly receivedAt: number | null;
}

/** The `submission` of a `submission.created` event (contract, section 9.2). */
export function toEventSubmission({ id, payload, keyVersion, timestamp, receivedAt }: EventSubmission) {
  return { id, payload: toPayload(payload), keyVersion, timestamp, receivedAt };
}

/** The bytes that are signed and sent: `{event, timestamp, form: {id, name}, …}` as UTF-8 JSON. */
export function encodeBody({
  kind,
  occurredAt,
  formId,
  formName,
  content,
  isTest,
}: Pick<NewEvent, "kind" | "occurredAt" | "isTest"> & {
  readonly formId: string;
  readonly formName: string | null;
  readonly content: object;
}): Uint8Array<ArrayBuffer> {
  return Buffer.from(
    JSON.stringify({
      event: kind,
      timestamp: occurredAt,
      form: { id: formId, name: formName },
      ...content,
      ...(isTest === true && { test: true }),
    }),
  );
}

/** Everything that a body is read from: an event's columns, and those of its submission's row where it is built from that. */
export interface BodyRow extends Pick<PayloadColumns, "data" | "key" | "iv" | "fields"> {
  readonly kind: string;
  readonly form_id: string;
  readonly occurred_at: number;
  readonly submission_id: string | null;
  readonly body: Uint8Array | null;
  readonly body_layout: number | null;
  readonly form_name: string | null;
  readonly key_version: number | null;
  readonly version: string | null;
  readonly timestamp: number | null;
  readonly received_at: number | null;
}

const ofRow = ["key_version", "version", "data", "key", "iv", "fields", "timestamp", "received_at"];

/** The columns of a `BodyRow` in a query whose `event` is called `e`, and the joins that they need. The row may be in the bin. */
export const bodyColumns = [
  ...["kind", "form_id", "occurred_at", "submission_id", "body", "body_layout", "form_name"].map((name) => `e.${name}`),
  ...ofRow.map((name) => `coalesce(stored."${name}", binned."${name}") as "${name}"`),
].join(", ");
export const bodyJoins = ["submission stored", "submission_bin binned"]
  .map((table) => {
    const [, alias] = table.split(" ");
    return `left join ${table} on e.body_layout is not null and ${alias}.form_id = e.form_id and ${alias}.id = e.submission_id`;
  })
  .join(" ");

/** Whether an event's body can still be sent. */
export const hasBody = sql<SqlBool>`(event.body is not null or event.body_layout is not null)`;

/** The bytes of an event's body, the same at every call; `undefined` once they were wiped with the submission. */
export function readBody(row: BodyRow): Uint8Array<ArrayBuffer> | undefined {
  if (row.body !== null) return new Uint8Array(row.body);
  const { body_layout, submission_id: id, key_version: keyVersion, version, timestamp, received_at: receivedAt } = row;
  if (body_layout === null || id === null || version === null) return undefined;
  if (body_layout !== newestLayout) throw new Error(`The body of an event has layout ${body_layout}, which is unknown`);
  const payload = parseStoredPayload({ ...row, version });
  return encodeBody({
    kind: "submission.created",
    formId: row.form_id,
    formName: row.form_name,
    occurredAt: row.occurred_at,
    content: { submission: toEventSubmission({ id, payload, keyVersion, timestamp, receivedAt }) },
  });
}

/** The bodies of these events of a form by their ids; one that was wiped, or can't be read, is absent: its submission can be deleted. */
export async function findBodies(
  database: Database,
  formId: string,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  const { rows } = await sql<BodyRow & { readonly id: string }>`
    select e.id, ${sql.raw(bodyColumns)} from event e ${sql.raw(bodyJoins)}
    where ${isOfForm(database, formId, "e.form_id")} and e.id in (${sql.join(eventIds)})`.execute(database);
  return new Map(
    rows.flatMap((row) => {
      const body = tryReadBody(row);
      return body === undefined ? [] : [[row.id, body]];
    }),
  );
}

function tryReadBody(row: BodyRow): Uint8Array<ArrayBuffer> | undefined {
  try {
    return readBody(row);
  } catch (error) {
    // A newer version reads it.
    if (row.body_layout !== newestLayout) throw error;
    return undefined;
  }
}
