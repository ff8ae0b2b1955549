import { createClient } from "@sealpost/sdk";

let organization: string | undefined;

/** The API of the instance that served this page. No token: the browser sends the session's cookie by itself. */
export const client = createClient({ baseUrl: window.location.origin, organization: () => organization });

/** The organization that this page shows: the server refuses what is sent once the session acts for another one. */
export const findShownOrganization = (): string | undefined => organization;

export function showOrganization(id: string | undefined): void {
  organization = id;
}
