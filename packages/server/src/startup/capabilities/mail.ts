import { createPasswordResetRoutes } from "../../accounts/password-reset-routes.ts";
import { createNotificationRoutes } from "../../forms/notification-routes.ts";
import { createUnsubscribeRoutes } from "../../mail/unsubscribe-routes.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";

/** Emails, who gets them, and what people do from them. */
export function openMail(core: Core): Capability {
  const { emails, hasMail } = core;
  const dependencies = { ...core, mailSwitches: emails.switches, unsubscribeLinks: emails.unsubscribeLinks };
  return {
    routes: [
      createNotificationRoutes(dependencies),
      createUnsubscribeRoutes(dependencies),
      ...(hasMail ? [createPasswordResetRoutes(dependencies)] : []),
    ],
    worker: emails,
  };
}
