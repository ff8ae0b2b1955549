import { formRecords } from "./records/form-records.ts";
import { instanceRecords } from "./records/instance-records.ts";
import { mailRecords } from "./records/mail-records.ts";
import { organizationRecords } from "./records/organization-records.ts";
import { personRecords } from "./records/person-records.ts";
import { submissionRecords } from "./records/submission-records.ts";
import type { Lead, OwnerTable, TableName, TableRecord, TableRecords } from "./table-record.ts";

/**
 * Every table, declared once: whose its rows are and how they go, what they count for, where they are on a cluster, and what a copy,
 * an export and a restore do with them. In the order in which rows are copied: a table comes after those that its foreign keys lead to.
 */
export const tableRecords = {
  ...instanceRecords,
  ...personRecords,
  ...organizationRecords,
  ...formRecords,
  ...submissionRecords,
  ...mailRecords,
} as const satisfies TableRecords;

type Records = typeof tableRecords;

/** The names of the tables in whose record a member is of this type. */
export type TablesWhere<Member extends keyof TableRecord, Value> = {
  [Table in TableName]: Records[Table][Member] extends Value ? Table : never;
}[TableName];

export const tableNames = Object.keys(tableRecords) as readonly TableName[]; // they are its keys
export const recordOf = (table: TableName): TableRecord => tableRecords[table];

export type CopiedTable = TablesWhere<"copied", { readonly rows: number }>;
/** The tables that copies and backups have, in this order. */
export const copiedTables = tableNames.filter((table): table is CopiedTable => "rows" in recordOf(table).copied);

/** How many rows of a table one step of a copy takes. */
export const batchOf = (table: CopiedTable): number => tableRecords[table].copied.rows;

/** The names of the tables with a lead to `Owner` that goes like this. */
export type TablesThatGo<Owner extends OwnerTable, Going extends Lead["goes"]> = {
  [Table in TableName]: Extract<Records[Table]["belongsTo"][number], { to: Owner; goes: Going }> extends never
    ? never
    : Table;
}[TableName];

/** The leads to an owner, with the tables that have them. */
export function leadsTo(owner: OwnerTable): readonly (Lead & { readonly table: TableName })[] {
  return tableNames.flatMap((table) =>
    recordOf(table).belongsTo.flatMap((lead) => (lead.to === owner ? [{ table, ...lead }] : [])),
  );
}
