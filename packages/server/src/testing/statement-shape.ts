import { formTables } from "../database/distributed-tables.ts";

/** Statements about all forms at once, by what only they say, and why there is no other way. */
const exceptions: readonly (readonly [says: string, reason: string])[] = [
  ["with recursive destinations", "the walk over the destinations that have something due"],
  [
    "with due as materialized",
    "claims what is due of a destination, of whatever form; the rows that it finds it changes by their forms",
  ],
  ["form_id, count(*) as due from delivery_queue where due_at", "what is due, on a cluster"],
  ["select form_id from form_retention where form_id >", "the next forms that keep their submissions for a time"],
  ["select form_id from form_bin where form_id >", "the next forms that have a bin"],
  ["select bin.form_id from", "the forms with something in the bin that is to be removed"],
  [
    "in (select held.form_id from form_count as held where held.hold",
    "what belongs to forms with a legal hold, of which there are few, or to the others",
  ],
  ["select due_at from delivery_queue order by due_at limit", "when the next delivery is due"],
  ["select due_at from delivery_queue where due_at <=", "how many deliveries are due, for metrics and doctor"],
  ["from delivery where finished_at <", "the oldest of the log, of all forms"],
  ["from submission_tombstone where deleted_at <", "the oldest tombstones, of all forms"],
  ["select distinct form_id from submission_purge where form_id >", "the next forms with a job of the purge"],
  [
    "select form_id, hold from form_count where hold is not null",
    "the forms under a legal hold, of which there are few",
  ],
  ["select form_id from form_count where hold is not null and form_id >", "the next forms under a legal hold"],
  [
    "select delivery_id as id from delivery_queue where octet_length(destination) >",
    "texts that are too long for an index, of whatever form, for doctor",
  ],
  ["select received_at from submission order by sequence", "the newest submission of all, for doctor"],
  ["update delivery_queue set due_at = $1 where due_at >", "what a clock that was ahead has put off, of whatever form"],
  ["update delivery_queue set due_at = $1 where ((attempt =", "the same where it has gone back just now"],
  [
    "update delivery_queue set is_waiting = 0 where is_waiting = 1",
    "what waits, of whatever form, before the table is spread",
  ],
  ["update delivery_queue set claim_token = $1, due_at = case", "what a process that is gone had claimed"],
  ["declare backup", "a backup reads everything"],
  ["declare copied", "a copy is compared as a whole"],
  ["select count(*) as count from", "a backup or a copy counts everything"],
];

/**
 * A sentence about a table of `formTables` that a statement reads or changes without saying of which form, or joining it by the
 * form; `undefined` if there is none. It reads the text as Kysely and our own templates write it.
 */
export function findUnscoped(statement: string): string | undefined {
  const text = normalize(statement);
  if (!/^(select|insert|update|delete|with|declare)\b/.test(text)) return undefined;
  if (exceptions.some(([says]) => text.includes(says))) return undefined;
  for (const scope of listScopes(text)) {
    const unscoped = listReferences(scope).find((reference) => !isScoped(scope, reference));
    if (unscoped !== undefined) return `does not say of which form's ${unscoped.table} it is: ${text}`;
  }
  return undefined;
}

function normalize(statement: string): string {
  return statement
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll('"', "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

/** The statement and each query inside of it, every one without those inside of it. */
function listScopes(text: string): readonly string[] {
  const scopes: string[] = [];
  const open: string[] = [""];
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "(") open.push("");
    else if (character === ")" && open.length > 1) {
      const inner = open.pop() ?? "";
      const isQuery = /^\s*(select|with|update|insert|delete)\b/.test(inner);
      if (isQuery) scopes.push(inner);
      open[open.length - 1] += isQuery ? "(…)" : `(${inner})`;
    } else open[open.length - 1] += character;
  }
  return [...scopes, open.join("(")];
}

interface Reference {
  readonly table: string;
  readonly alias: string;
}

const keywords =
  "as|on|where|set|using|join|left|inner|cross|order|limit|for|values|group|union|returning|select|from|default";
const reference = new RegExp(
  `\\b(?:from|join|update|into|using)\\s+(${formTables.join("|")})\\b(?:\\s+(?:as\\s+)?(?!(?:${keywords})\\b)(\\w+))?`,
  "g",
);

function listReferences(scope: string): readonly Reference[] {
  return [...scope.matchAll(reference)].map(([, table = "", alias = table]) => ({ table, alias }));
}

function isScoped(scope: string, { alias, table }: Reference): boolean {
  if (new RegExp(`\\binto ${table} ?\\([^)]*\\bform_id\\b`).test(scope)) return true;
  const column = `${alias}\\.form_id`;
  if (new RegExp(`${column}\\)? (=|in\\b)|= ${column}\\b`).test(scope)) return true;
  // A column without a table's name is that of the only one.
  const tables = [...scope.matchAll(/\b(?:from|join|update|using) (?!\(|(?:only|of|skip)\b)\w+/g)];
  return tables.length === 1 && /(?<![.\w])form_id\)? (=|in\b)/.test(scope);
}
