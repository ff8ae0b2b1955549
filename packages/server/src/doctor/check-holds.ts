import type { Database } from "../database/database.ts";
import { listHolds } from "../forms/form-hold-store.ts";
import { type Finding, ok, warning } from "./finding.ts";

/** So many forms are named; the others are counted. */
const namedMax = 20;

/** Forms of which nothing is deleted, whatever their retention says: by their ids, nothing else. */
export async function checkHolds(database: Database, now: number): Promise<Finding> {
  const holds = await listHolds(database);
  if (holds.length === 0) return ok("holds", "No form is under a legal hold");
  const over = holds.filter(({ hold }) => hold.until !== undefined && hold.until <= now);
  const found = over.length > 0 ? over : holds;
  const more = found.length > namedMax ? `, and ${found.length - namedMax} more` : "";
  const named = `${found
    .slice(0, namedMax)
    .map(({ formId }) => formId)
    .join(", ")}${more}`;
  if (over.length === 0)
    return ok("holds", `Under a legal hold, so retention and bin delete nothing of them: ${named}`);
  return warning(
    "holds",
    `Nothing of these forms is deleted, although the date of their legal holds has come: ${named}`,
    "Their owners lift the holds, or set later dates, in the settings of the forms",
  );
}
