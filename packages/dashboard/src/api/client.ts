import { createClient } from "@sealpost/sdk";
import { learnServiceTime } from "./service-clock.ts";

let organization: string | undefined;

/** The API of the instance that served this page. No token: the browser sends the session's cookie by itself. */
export const client = createClient({
  baseUrl: window.location.origin,
  organization: () => organization,
  fetch: fetchTimed,
});

async function fetchTimed(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  learnServiceTime(response.headers);
  return response;
}

/** The organization that this page shows: the server refuses what is sent once the session acts for another one. */
export const findShownOrganization = (): string | undefined => organization;

export function showOrganization(id: string | undefined): void {
  organization = id;
}
