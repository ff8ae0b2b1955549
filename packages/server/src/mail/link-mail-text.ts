import type { PageName } from "@sealpost/dashboard/pages";
import type { MailTexts } from "@sealpost/texts";
import { pageUrl } from "../instance/page-url.ts";
import type { AddressSubject, MailSubject, MailText } from "./mail.ts";

type LinkSubject = Extract<MailSubject, { readonly kind: keyof typeof linkPages | "address" }>;

/** Where the links lead. */
const linkPages = {
  invitation: "invitation",
  instance_invitation: "invitation",
  verify_email: "verifyEmail",
  password_reset: "resetPassword",
} as const satisfies Readonly<Record<string, PageName>>;

/** An email whose link does something, once. What is kept of it elsewhere has the page without the secret. */
export function writeLinkMail({ links }: MailTexts, subject: LinkSubject, baseUrl: string): MailText {
  if (subject.kind === "address") return writeAddressMail(links, subject, baseUrl);
  const page = linkPages[subject.kind];
  const words = links[subject.kind];
  return {
    subject: words.subject,
    link: pageUrl(baseUrl, page),
    text: `${words.text({ service: baseUrl, link: pageUrl(baseUrl, page, { secret: subject.token }) })}\n`,
  };
}

/** An email about a move of an account to another address. Each names the other one of the two. */
function writeAddressMail(
  links: MailTexts["links"],
  { step, token, other }: AddressSubject,
  baseUrl: string,
): MailText {
  const words = links[`address_${step}`];
  const page = step === "taken" ? "signIn" : "address";
  const link = pageUrl(baseUrl, page, { secret: step === "taken" ? undefined : token });
  return {
    subject: words.subject,
    link: pageUrl(baseUrl, page),
    text: `${words.text({ service: baseUrl, link, other })}\n`,
  };
}
