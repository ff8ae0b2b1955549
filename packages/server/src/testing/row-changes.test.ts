import assert from "node:assert/strict";
import { test } from "node:test";
import { countedTables } from "../database/counted-tables.ts";
import { leadsTo } from "../database/table-records.ts";
import { findRowChanges } from "./row-changes.ts";

const changesOf = (text: string) => {
  const { adds, removes } = findRowChanges(text);
  return [[...adds], [...removes]];
};

test("the text of a statement says whose rows it adds, and which it removes that a hold keeps, on both databases", () => {
  for (const { table, bytes } of countedTables) {
    const adds = bytes.unasked === undefined ? [table] : [];
    const [column = ""] = bytes.columns;
    assert.deepEqual(changesOf(`insert into "${table}" ("${column}") values (?)`), [adds, []]);
    assert.deepEqual(changesOf(`update "${table}" set "${column}" = $1 where "${bytes.owner}" = $2`)[0], adds);
    assert.deepEqual(changesOf(`update "${table}" set "used_at" = $1 where "${column}" = $2`), [[], []]);
  }
  const held = leadsTo("form").filter((lead) => lead.to === "form" && lead.held === "kept");
  assert.ok(held.length > 10);
  for (const { table } of held) {
    const removes = [[], [table]];
    assert.deepEqual(changesOf(`delete from "${table}" where "form_id" = ?`), removes);
    assert.deepEqual(changesOf(`with gone as (delete from ${table} where form_id = $1 returning *) select 1`), removes);
    assert.deepEqual(changesOf(`select * from "${table}" where "form_id" = ? for update`), [[], []]);
  }
  assert.deepEqual(changesOf(`update "envelope" set "removed_at" = ? where "form_id" = ?`), [[], ["envelope"]]);
  assert.deepEqual(changesOf(`update "form" set "name" = ? where "id" = ?`), [["form"], []]);
});
