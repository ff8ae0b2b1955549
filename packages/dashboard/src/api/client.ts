import { createClient } from "@sealpost/sdk";

/** The API of the instance that served this page. No token: the browser sends the session's cookie by itself. */
export const client = createClient({ baseUrl: window.location.origin });
