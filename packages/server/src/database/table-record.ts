import type { Tables } from "./schema.ts";

export type TableName = keyof Tables;

/** How the bytes of a table's rows are counted (docs/decisions/0041-counted-bytes.md). */
export type TableBytes<Column extends string = string> =
  | {
      /**
       * Row by row, by triggers that are made from this: the bytes of the columns, and some for the row, count for the form, the
       * organization or the person whose id is in `owner`.
       */
      readonly kind: "rows";
      readonly owner: Column;
      readonly columns: readonly Column[];
      /** Rows in which this column is null do not count. */
      readonly unless?: Column;
      /** Why no request asks for room before it adds a row (`requireRoom`): what bounds them besides, or must not be stopped. */
      readonly unasked?: string;
      /** `log`: the bytes do not count with others; the audit log has room of its own. */
      readonly room?: "log";
    }
  /** Content of submissions, in `form_count.bytes` (docs/decisions/0016-quotas.md). */
  | { readonly kind: "submissions" }
  /** Not counted; the reason says what bounds them instead. */
  | { readonly kind: "not"; readonly bound: string };

/**
 * How rows go with the row that they belong to:
 * - `cascade`: by a foreign key.
 * - `at_once`: by a statement of their own in the transaction that removes it.
 * - `last`: by a statement that is made from the record (`leads-store.ts`), in the last step of the purge: they are few.
 * - `in_steps`: by a step of the purge of their own: they are many, or large, or not all of them go.
 * - `emptied`: they stay until their own end, without content.
 */
export type Going = "cascade" | "at_once" | "last" | "in_steps" | "emptied";

/** Tables to whose rows others belong: they go when it goes for good. */
const ownerTables = ["form", "submission", "delivery", "mail", "person", "organization"] as const;
export type OwnerTable = (typeof ownerTables)[number];
export const isOwnerTable = (table: TableName): table is OwnerTable => ownerTables.some((owner) => owner === table);

/** A column that leads from a row to the one that it belongs to. A row may belong to several, and goes with the first of them. */
export type Lead<Column extends string = string> = {
  /** The column that leads there. */
  readonly by: Column;
  readonly goes: Going;
  /**
   * What others lose when the row goes with this owner: wanted where the row names another person, organization or address as well. A row
   * that protects them has no such lead, and stays until its own end: somebody could otherwise end the protection with their account.
   */
  readonly costsOthers?: string;
} & (
  | {
      readonly to: "form";
      /** Under a legal hold of the form: its rows are all kept, or still go at their own end. */
      readonly held: "kept" | "own_end";
    }
  | {
      readonly to: Exclude<OwnerTable, "form">;
      /** The column of the owner's row that `by` holds the value of; its id when omitted. */
      readonly key?: "email";
    }
);

/** The member of the export of a person's data that shows the table, and why some columns are left out; or why all of it is. */
export type Exported =
  | { readonly as: string; readonly without?: Readonly<Record<string, string>> }
  | { readonly not: string };

/** All that is decided about a table (docs/decisions/0043-a-table-is-declared-once.md). */
export interface TableRecord<Column extends string = string> {
  /** None: the rows are the instance's, or end by themselves. */
  readonly belongsTo: readonly Lead<Column>[];
  /** When its rows go, for documents and people. */
  readonly ends: string;
  readonly bytes: TableBytes<Column>;
  /**
   * On a cluster (docs/decisions/0021-citus.md): by the form, for what grows with submissions; a reference table, which each server
   * has all rows of, for small ones that statements on those join; or on the coordinator.
   */
  readonly spread: "form" | "reference" | "coordinator";
  /** How many rows one step of a copy, a backup or a restore takes; or why they have none of them. */
  readonly copied: { readonly rows: number } | { readonly not: string };
  readonly exported: Exported;
  /**
   * The effect of a restore to the rows of a backup: it ends some of them (`backup/restored-access-store.ts`), or leaves them as they
   * were, with the reason where they end by themselves or are found by a secret. `worksAgain`: they let somebody in, also where they
   * were taken back or replaced since the backup; the restore says how many of these there are, by this name of several.
   * `heldBack`: they go by themselves, with age or since somebody asked for it; in the days after a restore they do not
   * (`retention/held-back.ts`), and this says what may have kept them since the backup.
   */
  readonly restored:
    | "unchanged"
    | { readonly heldBack: string }
    | (({ readonly unchanged: string } | { readonly ends: string } | { readonly worksAgain: string }) & {
        readonly heldBack?: string;
      });
}

/** The records of all tables; a part of them, in each file of one owner. */
export type TableRecords = { readonly [Table in TableName]: TableRecord<keyof Tables[Table] & string> };

/** For records. */
export const inThousands = { rows: 1000 } as const;
/** Rows that may hold a megabyte each. */
export const inHundreds = { rows: 100 } as const;
export const notCounted = <const Bound extends string>(bound: Bound) => ({ kind: "not", bound }) as const;
