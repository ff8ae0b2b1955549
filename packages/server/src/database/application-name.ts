/** The name of the service's processes in `pg_stat_activity`. */
export const applicationName = "sealpost";
