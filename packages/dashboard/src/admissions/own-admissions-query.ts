import { queryOptions } from "@tanstack/react-query";
import { client } from "../api/client.ts";

/** Where somebody wants to bring the person in, and whether they have answered: by the server's word. */
export const ownAdmissionsQuery = queryOptions({
  queryKey: ["account", "admissions"],
  queryFn: ({ signal }) => client.admissions.listOwn({ signal }),
  staleTime: 60_000,
});
