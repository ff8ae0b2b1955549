import { createHash } from "node:crypto";
import { domainToASCII } from "node:url";
import { canSignInWith, hasSharedLetter, lowerAddress, notAnAddress } from "../authentication/email-address.ts";
import type { MailSubject } from "./mail.ts";

/** The most emails that an address gets within a day because others entered it: invitations, moves of accounts to it, and links of accounts that never verified it. */
export const strangerEmailsPerDay = 10;

/**
 * An email address in the form in which it is kept, or `undefined` for any other text: one dot-atom, `@` and a domain (RFC 5321 section 4.1.2,
 * without quoted local parts and literals, which no mailbox of a person has). Nothing else reaches a mail server, so `<v@example.com>` and
 * `v@example.com>`, which it would read as the same mailbox, are no addresses. Nor is one with which nobody could sign up.
 */
export function parseAddress(text: string): string | undefined {
  if (hasSharedLetter(text)) return undefined;
  const email = lowerAddress(text.trim());
  const [, local = "", domain = ""] = /^([^@]{1,64})@([^@]{1,253})$/.exec(email) ?? [];
  // Nothing that is not seen, or that turns the text around it: it is shown to people.
  const isPlain = email.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(email);
  const isAtom = /^[^\s.()<>[\]:;\\,"]+(?:\.[^\s.()<>[\]:;\\,"]+)*$/.test(local);
  const isDomain = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*$/u.test(domain) && domainToASCII(domain) !== "";
  return isPlain && isAtom && isDomain && canSignInWith(email) ? email : undefined;
}

/** The error of an address that somebody enters for an account or an invitation, in a sentence. */
export function findAddressError(text: unknown): typeof notAnAddress | undefined {
  return typeof text === "string" && parseAddress(text) !== undefined ? undefined : notAnAddress;
}

/** The address as mail servers see it, to compare two: with the domain in its ASCII form (RFC 5890), and the characters composed. */
export function toOneForm(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1);
  return `${address.slice(0, at).normalize("NFC")}@${domainToASCII(domain) || domain}`;
}

/** The mailbox as mail servers tell it: without a tag after `+`, and the domain in its ASCII form (RFC 5233, RFC 5890). */
export function toMailbox(address: string): string {
  const at = address.lastIndexOf("@");
  const [local = ""] = address.slice(0, at).normalize("NFC").split("+");
  return `${local.toLowerCase()}@${domainToASCII(address.slice(at + 1)).replace(/\.$/, "")}`;
}

/** Emails with a link to the account's own address, which is somebody else's where somebody else has entered it. */
const ownLinkKinds: readonly MailSubject["kind"][] = ["password_reset", "verify_email"];

export function isOwnLink({ kind }: MailSubject): boolean {
  return ownLinkKinds.includes(kind);
}

/** The hash by which emails to the mailbox of a stranger are counted; `undefined` for emails to the account's own address (see `isOwnLink`). */
export function recipientOf(subject: MailSubject): string | undefined {
  const isStrangers =
    subject.kind === "invitation" ||
    subject.kind === "instance_invitation" ||
    (subject.kind === "address" && (subject.step === "confirm_new" || subject.step === "taken"));
  return isStrangers ? hashMailbox(subject.address) : undefined;
}

/** The row outlives what its email held, by a day. */
export function hashMailbox(address: string): string {
  return createHash("sha256").update(toMailbox(address)).digest("base64url");
}
