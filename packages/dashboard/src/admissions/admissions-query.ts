import { queryOptions } from "@tanstack/react-query";
import { client } from "../api/client.ts";

/** Who is being brought into the signed list. */
export const admissionsQuery = queryOptions({
  queryKey: ["admissions"],
  queryFn: ({ signal }) => client.admissions.list({ signal }),
});
