import { createClient } from "@sealpost/receiver";

/** The API of the instance that served this page. No token: the browser sends the session's cookie by itself. */
export const client = createClient({ baseUrl: window.location.origin });

/** The same for the last requests of a page: they go on when it is closed. Their bodies may have 64 KiB together. */
export const lastClient = createClient({
  baseUrl: window.location.origin,
  fetch: (address, init) => fetch(address, { ...init, keepalive: true }),
});
