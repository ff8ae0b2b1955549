import assert from "node:assert/strict";
import { type FormId, verifyKeyLog } from "@sealpost/wire";
import type { Database } from "../../database/database.ts";
import { createKeyLogStore } from "../key-log-store.ts";

/** Adds an entry as a service in bad hands does: with any keys as signers. */
export async function plantKeyLogEntry(database: Database, id: string, entry: string): Promise<void> {
  const formId = id as FormId; // of a form that the service has made
  const keyLogs = createKeyLogStore(database);
  const last = await keyLogs.findLast(formId);
  const log = await verifyKeyLog(new TextEncoder().encode(`${last?.entry ?? ""}${entry}`), { formId, head: last });
  assert.ok(typeof log !== "string", String(log));
  await database.transaction().execute((transaction) => keyLogs.add(transaction, formId, { ...log.head, entry }, 1));
}
