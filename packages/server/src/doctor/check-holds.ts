import type { Database } from "../database/database.ts";
import { listHolds } from "../forms/form-hold-store.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** So many forms are named; the others are counted. */
const namedMax = 20;

/** Forms of which nothing is deleted, whatever their retention says: by their ids, nothing else. */
export async function checkHolds(database: Database, now: number): Promise<readonly Finding[]> {
  const all = await listHolds(database);
  if (all.length === 0) return [ok("holds", "No form is under a legal hold")];
  const holds = all.flatMap(({ formId, hold }) => (hold === "unreadable" ? [] : [{ formId, until: hold.until }]));
  const over = holds.filter(({ until }) => until !== undefined && until <= now);
  const unreadable = all.filter(({ hold }) => hold === "unreadable");
  return [
    ...(unreadable.length === 0
      ? []
      : [
          problem(
            "holds",
            `The legal holds of these forms can't be read, and nothing of them is deleted: ${nameForms(unreadable)}`,
            "Restore a backup from before they were damaged (sealpost-server restore --help). What the forms receive is not concerned",
          ),
        ]),
    ...(over.length > 0
      ? [
          warning(
            "holds",
            `Nothing of these forms is deleted, although the date of their legal holds has come: ${nameForms(over)}`,
            "Their owners lift the holds, or set later dates, in the settings of the forms",
          ),
        ]
      : []),
    ...(over.length === 0 && holds.length > 0
      ? [ok("holds", `Under a legal hold, so retention and bin delete nothing of them: ${nameForms(holds)}`)]
      : []),
  ];
}

function nameForms(forms: readonly { readonly formId: string }[]): string {
  const more = forms.length > namedMax ? `, and ${forms.length - namedMax} more` : "";
  const named = forms.slice(0, namedMax).map(({ formId }) => formId);
  return `${named.join(", ")}${more}`;
}
