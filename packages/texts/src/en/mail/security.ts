import type { RoleOrNone, SecurityValues } from "../../mail-values.ts";
import { formatNumber } from "../formats.ts";
import { counted } from "../plurals.ts";

/** Advice where somebody else may be in the account. */
export const takeBack =
  "If neither you nor a program of yours did this, change your password and revoke the API keys when you are asked: that ends all other sessions too.";

export const countKeys = (count: number): string =>
  count === 0 ? "no API keys" : counted(count, { one: "API key", other: "API keys" });

/** Whatever a security email says around the sentence of its event. */
export const security = {
  more: ({ link }: { readonly link: string }): string => `More about it:\n${link}`,
  always: "This notice can't be switched off.",
  /** In place of a webhook's changed address. */
  webhookSwitchedOff: {
    subject: "A form's webhook was switched off",
    sentence: ({ at }: Pick<SecurityValues, "at">): string =>
      `One of your forms sends its events nowhere since ${at}: its webhook address was taken away. Submissions are stored all the same.`,
  },
  gathered: {
    subject: ({ count }: { readonly count: number }): string =>
      counted(count, { one: "more change to your account", other: "more changes to your account" }),
    opening: "So much was changed in your account within a day that it is reported together from here on:",
    /** One kind of event, and how often it was. */
    line: ({ count, line }: { readonly count: number; readonly line: string }): string =>
      `${formatNumber(count)} × ${line}`,
    link: ({ link }: { readonly link: string }): string => `Each of them, with its time:\n${link}`,
    /** The same for a person, who may have no audit log. */
    linkOfPerson: ({ link }: { readonly link: string }): string => `Your account:\n${link}`,
    remedy: takeBack,
  },
  /** Members that were changed from an account that was not its person's for a while. */
  changedMember: {
    kept: ({ address, role }: { readonly address: string; readonly role: string }): string =>
      `${address}: still ${role}, with other forms`,
    changed: ({ address, before, now }: { readonly address: string; readonly before: string; readonly now: string }) =>
      `${address}: was ${before}, is ${now} now`,
    more: ({ count }: { readonly count: number }): string =>
      `and ${formatNumber(count)} more: the audit log has every change`,
  },
  roles: {
    owner: "owner",
    manager: "manager",
    reader: "reader",
    developer: "developer",
    auditor: "auditor",
    none: "no member",
  } satisfies Readonly<Record<RoleOrNone, string>>,
} as const;
