import { sql } from "kysely";

/** What a row of a submission takes beside its content, in tables and indexes, near enough: it bounds what empty submissions can fill. */
export const rowBytes = 512;

/** What a stored submission counts for in `form_count.bytes`. */
export const submissionBytes = sql<number>`${sql.lit(rowBytes)} + coalesce(octet_length(data), 0) + coalesce(octet_length("key"), 0) + coalesce(octet_length(iv), 0) + coalesce(octet_length(fields), 0)`;
