import { ApiError } from "@sealpost/sdk";
import { queryOptions } from "@tanstack/react-query";
import { client } from "../api/client.ts";

/** Who is being brought into the signed list. */
export const admissionsQuery = queryOptions({
  queryKey: ["admissions"],
  queryFn: ({ signal }) =>
    client.admissions.list({ signal }).catch((error: unknown) => {
      // An older process of the service knows none.
      if (error instanceof ApiError && error.status === 404) return [];
      throw error;
    }),
});
