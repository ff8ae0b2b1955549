import { sql } from "kysely";
import type { Database } from "../database.ts";
import { kindOf } from "../kind.ts";

/** A foreign key of one column: `member.person_id` leads to `person`. */
export interface ForeignKey {
  readonly table: string;
  readonly column: string;
  readonly target: string;
  /** Whether a changed id, or a deleted row, takes this one along. */
  readonly follows: boolean | number;
  readonly goes: boolean | number;
}

export async function listForeignKeys(database: Database): Promise<readonly ForeignKey[]> {
  if (kindOf(database) === "sqlite") {
    const { rows } = await sql<ForeignKey>`
      select "table".name as "table", "key"."from" as "column", "key"."table" as target,
        "key".on_update = 'CASCADE' as follows, "key".on_delete = 'CASCADE' as goes
      from sqlite_schema as "table", pragma_foreign_key_list("table".name) as "key"
      where "table".type = 'table'`.execute(database);
    return rows;
  }
  const { rows } = await sql<ForeignKey>`
    select source.relname as "table", attribute.attname as "column", target.relname as target,
      held.confupdtype = 'c' as follows, held.confdeltype = 'c' as goes
    from pg_constraint as held
    join pg_class as source on source.oid = held.conrelid
    join pg_class as target on target.oid = held.confrelid
    join pg_attribute as attribute on attribute.attrelid = held.conrelid and attribute.attnum = any (held.conkey)
    where held.contype = 'f' and source.relnamespace = to_regnamespace(current_schema())`.execute(database);
  return rows;
}
