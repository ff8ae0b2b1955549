import type { Generated } from "kysely";

/** The owner's last notice about the quota of an account or a form. */
export interface QuotaNoticeTable {
  id: string;
  /** The room of the form or the account, or that of the account's audit log. */
  room: "storage" | "log";
  /** 80 or 100; no row is 0. */
  level: number;
}

/** The bytes of everything but submissions: a row for each change, and one for those that were folded. */
export interface CountedBytesTable {
  id: Generated<number>;
  /** The form, organization or person; for the log of one of these, `log ` and its id. */
  owner_id: string;
  bytes: number;
}
