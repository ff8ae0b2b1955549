import type { MailTexts } from "@sealpost/texts";
import { pageUrl } from "../instance/page-url.ts";
import {
  type GatheredCount,
  isPersonal,
  type MailText,
  type MovedMembers,
  type SecurityEvent,
  type SecuritySubject,
} from "./mail.ts";
import { securityPages } from "./security-pages.ts";

export function writeSecurityMail(texts: MailTexts, subject: SecuritySubject, baseUrl: string): MailText {
  const event: SecurityEvent = subject.kind === "security" ? subject.event : subject.kind;
  const words = texts.securityEvents[event];
  const { subject: title, sentence } = isSwitchedOff(subject) ? texts.security.webhookSwitchedOff : words;
  const link = pageUrl(baseUrl, securityPages[event], { formId: subject.formId });
  const { more, always } = texts.security;
  const happened = sentence(valuesOf(texts, subject));
  return {
    subject: title,
    link,
    text: `${[happened, more({ link }), words.remedy, always].join("\n\n")}\n`,
  };
}

/** One mail for many, so that nobody hides one of them under the rest. */
export function writeGatheredMail(
  { security, securityEvents }: MailTexts,
  counts: readonly GatheredCount[],
  baseUrl: string,
): MailText {
  // The audit log is for owners; a person may have any role.
  const isOfPerson = isPersonal({ kind: "security_gathered", counts });
  const link = pageUrl(baseUrl, isOfPerson ? "account" : "auditLog");
  const { subject, opening, line, remedy, ...links } = security.gathered;
  const withLink = isOfPerson ? links.linkOfPerson : links.link;
  const list = counts.map(({ event, count }) => `  ${line({ count, line: securityEvents[event].line })}`).join("\n");
  return {
    subject: subject({ count: counts.reduce((sum, { count }) => sum + count, 0) }),
    link,
    text: `${[opening, list, withLink({ link }), remedy, security.always].join("\n\n")}\n`,
  };
}

/** An address that was taken away has words of its own. */
function isSwitchedOff(subject: SecuritySubject): boolean {
  return subject.kind === "security" && subject.event === "webhook_url_changed" && subject.count === 0;
}

/** Values for the sentence of an event: no more than the event was recorded with. */
function valuesOf(texts: MailTexts, subject: SecuritySubject) {
  const isRotation = subject.kind === "keys_rotated";
  return {
    at: isRotation ? "" : texts.formatTime(subject.occurredAt),
    apiKeys: isRotation ? 0 : (subject.count ?? 0),
    days: isRotation ? 0 : (subject.count ?? 0),
    webhookForms: isRotation ? 0 : (subject.count ?? 0),
    keyVersion: isRotation ? subject.keyVersion : 0,
    snippet: (!isRotation && subject.snippet) || "",
    moved: describeMoved(texts, isRotation ? undefined : subject.moved),
  };
}

function describeMoved({ formatTime, security }: MailTexts, moved: MovedMembers | undefined) {
  if (moved === undefined) return { address: "", since: "", changes: "" };
  const { changedMember, roles } = security;
  const changes = moved.members.map(({ address, before, now }) => {
    const [former, current] = [roles[before ?? "none"], roles[now ?? "none"]];
    return before === now
      ? changedMember.kept({ address, role: current })
      : changedMember.changed({ address, before: former, now: current });
  });
  if (moved.more > 0) changes.push(changedMember.more({ count: moved.more }));
  return {
    address: moved.address,
    since: formatTime(moved.since),
    changes: changes.map((change) => `  ${change}`).join("\n"),
  };
}
