/** The name of this version's processes in `pg_stat_activity`, and the one of those before 0013-bodies-from-rows. */
export const applicationName = "sealpost/2";
export const olderApplicationName = "sealpost";
