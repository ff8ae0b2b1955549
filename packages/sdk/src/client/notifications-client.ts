import type { Body, CallOptions, Calls } from "./call.ts";

/** Whether mails tell of the account's forms. These endpoints want a session token. */
export function createNotificationsClient({ call }: Calls) {
  return {
    /** `mail` is the account's switch; `available` says whether this instance sends mails at all. */
    get: (options?: CallOptions) => call("GET /api/notifications", {}, options),
    /** Switches the mails about all forms of the account on or off; a form's own switch counts beside it. */
    set: (body: Body<"PUT /api/notifications">, options?: CallOptions) =>
      call("PUT /api/notifications", { body }, options),
  };
}
