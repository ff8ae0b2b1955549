import { sql } from "kysely";

/** The approximate bytes of a submission's row besides its content, in tables and indexes: it limits what empty submissions can fill. */
export const rowBytes = 512;

/** The bytes of a stored submission in `form_count.bytes`. */
export const submissionBytes = sql<number>`${sql.lit(rowBytes)} + coalesce(octet_length(data), 0) + coalesce(octet_length("key"), 0) + coalesce(octet_length(iv), 0) + coalesce(octet_length(fields), 0)`;
