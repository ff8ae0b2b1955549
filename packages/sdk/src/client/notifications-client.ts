import type { Body, CallOptions, Calls } from "./call.ts";

/** Whether emails notify of the account's forms. These endpoints need a session token. */
export function createNotificationsClient({ call }: Calls) {
  return {
    /** `mail` is the account's switch; `available` says whether this instance sends emails at all. */
    get: (options?: CallOptions) => call("GET /api/notifications", {}, options),
    /** Switches the emails about all forms of the account on or off; a form's own switch also counts. */
    set: (body: Body<"PUT /api/notifications">, options?: CallOptions) =>
      call("PUT /api/notifications", { body }, options),
  };
}
