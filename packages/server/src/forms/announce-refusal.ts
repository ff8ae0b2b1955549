import type { FormId } from "@sealpost/wire";
import type { SendRefusalNotice } from "../mail/refusal-notice-store.ts";
import { byNobody, type SendSecurityMail } from "../mail/security-mail-store.ts";
import type { RefusedVisitorsDependencies } from "./refused-visitors.ts";

export interface AnnounceRefusalDependencies {
  /** Whether the instance sends emails. */
  readonly hasMail: boolean;
  readonly sendSecurityMail: SendSecurityMail;
  readonly sendRefusalNotice: SendRefusalNotice;
  /** The snippet that pins this fingerprint. */
  readonly createSnippet: (formId: FormId, fingerprint: string) => string;
}

/** The one email about a cause. That of an old key is about keys, and only a page that once had the right snippet causes it; the others are notices. */
export function createAnnounceRefusal({
  hasMail,
  sendSecurityMail,
  sendRefusalNotice,
  createSnippet,
}: AnnounceRefusalDependencies): RefusedVisitorsDependencies["announce"] {
  return async (transaction, { form, fingerprint, hybrid }, cause, now) => {
    const { id: formId, accountId } = form;
    if (cause !== "old_key") return sendRefusalNotice(transaction, { accountId, formId, cause, since: now });
    if (!hasMail) return false;
    const snippet = createSnippet(formId, hybrid?.fingerprint ?? fingerprint);
    const refused = { accountId, event: "visitors_refused", by: byNobody, occurredAt: now } as const;
    await sendSecurityMail(transaction, { ...refused, formId, snippet });
    return true;
  };
}
