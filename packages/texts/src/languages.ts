import type { Language } from "./language.ts";

/** Every language there is. The first one is shown to people who want none of them. A further one is a folder next to `en`, and a row in here. */
export const languages: readonly [Language, ...Language[]] = [
  {
    tag: "en",
    name: "English",
    direction: "ltr",
    load: {
      dashboardFirst: () => import("./en/dashboard/first.ts"),
      dashboardLater: () => import("./en/dashboard/later.ts"),
      mail: () => import("./en/mail/mail.ts"),
      served: () => import("./en/served/served.ts"),
      errors: () => import("./en/errors.ts"),
    },
  },
];
