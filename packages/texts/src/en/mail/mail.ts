import { createUtcFormat } from "../../utc-format.ts";
import { organizationSecurity } from "./organization-security.ts";
import { personSecurity } from "./person-security.ts";

export { links } from "./links.ts";
export { notices, unsubscribe } from "./notices.ts";
export { security } from "./security.ts";

/** Security emails by event. */
export const securityEvents = { ...personSecurity, ...organizationSecurity } as const;

/** A moment, given in milliseconds since the Unix epoch. An email does not know its reader's time zone, so it names one. */
export const formatTime = createUtcFormat("en", (time) => `${time} UTC`);
