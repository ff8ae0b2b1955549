import { createHmac, timingSafeEqual } from "node:crypto";
import { type AccountId, type FormId, isId } from "@sealpost/wire";
import type { SecretBox } from "../instance/secret-box.ts";
import { dayMilliseconds } from "../time/clock.ts";
import type { Instant } from "./mail.ts";

/** The notices that a link ends: those about its form, or, without one, about the account's storage. All of the account are its second choice. */
export interface UnsubscribeLink {
  readonly accountId: AccountId;
  /** The owner who got the mail. A link ends with its recipient's right to switch the emails off. */
  readonly personId: AccountId;
  /** The form that the mail is about; `undefined`: the account. */
  readonly formId: FormId | undefined;
  readonly sentAt: Instant;
}

/** How long a link works. Mailboxes keep emails, and people forward them, for years. */
export const unsubscribeMilliseconds = 90 * dayMilliseconds;

/** Links in a notice that end it without a sign-in (RFC 8058). They end notices and do nothing else. */
export interface UnsubscribeLinks {
  create(link: UnsubscribeLink): string;
  /** `undefined` when this instance made no such token. */
  parse(token: string): UnsubscribeLink | undefined;
}

export function createUnsubscribeLinks(
  secretBox: Pick<SecretBox, "signingKeys">,
  baseUrl: () => string,
): UnsubscribeLinks {
  /** The newest first. */
  const sign = (text: string): readonly string[] =>
    secretBox.signingKeys("unsubscribe").map((key) => createHmac("sha256", key).update(text).digest("base64url"));
  return {
    create({ accountId, personId, formId, sentAt }) {
      const text = [...(formId === undefined ? [] : [formId]), accountId, personId, sentAt.toString(36)].join(".");
      return `${baseUrl()}/unsubscribe/${text}.${sign(text)[0]}`;
    },
    parse(token) {
      const end = token.lastIndexOf(".");
      const text = token.slice(0, Math.max(0, end));
      const given = Buffer.from(token.slice(end + 1));
      const isOurs = sign(text).some(
        (wanted) => given.length === wanted.length && timingSafeEqual(given, Buffer.from(wanted)),
      );
      if (!isOurs) return undefined;
      // Only this service signs, so the parts are what it wrote.
      const parts = text.split(".");
      const formId = parts.find((part) => isId("form", part)) as FormId | undefined;
      const [accountId, personId] = parts.filter((part) => isId("account", part)) as AccountId[];
      if (accountId === undefined || personId === undefined) return undefined;
      return { accountId, personId, formId, sentAt: Number.parseInt(parts.at(-1) ?? "", 36) };
    },
  };
}
