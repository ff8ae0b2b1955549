import assert from "node:assert/strict";
import { test } from "node:test";
import { findPage, type Page, pages } from "@sealpost/dashboard/pages";
import { languages } from "@sealpost/texts";
import { type AccountId, createId } from "@sealpost/wire";
import { makeUp } from "../../../texts/testing/made-up.ts";
import { findRoles, type Role, roles } from "../access/roles.ts";
import {
  type AddressSubject,
  isPersonal,
  type MailKind,
  type MailSubject,
  noticedCauses,
  organizationEvents,
  personEvents,
  securityEvents,
} from "./mail.ts";
import { writeMail } from "./mail-text.ts";

const baseUrl = "https://forms.example.com";
const formId = createId("form");
const occurredAt = Date.UTC(2026, 10, 27, 19, 43);
const counts = [0, 1, 2, 1005];
/** Data of other people, without an English letter: what is left of those is ours. */
const [address, other, token, snippet] = ["1@2.3", "4@5.6", "789", "<7>"];

const steps = {
  confirm_old: true,
  confirm_new: true,
  taken: true,
  moved: true,
} as const satisfies Readonly<Record<AddressSubject["step"], true>>;
const stepNames = Object.keys(steps) as AddressSubject["step"][]; // its own keys

const memberRoles = [...roles, null];
const members = memberRoles.flatMap((before) => memberRoles.map((now) => ({ address, before, now })));

const levels = [80, 100] as const;
const accountId = createId("account") as AccountId; // as one

/** One of each: a kind that is missing does not compile. */
const examples: { readonly [Kind in MailKind]: readonly (MailSubject & { readonly kind: Kind })[] } = {
  submissions: counts.map((count) => ({ kind: "submissions", formId, count })),
  webhook_failing: [{ kind: "webhook_failing", formId, since: occurredAt }],
  key_unproved: [{ kind: "key_unproved", formId, keyVersion: 2 }],
  refusal: noticedCauses.map((cause) => ({ kind: "refusal", formId, cause, since: occurredAt })),
  quota: levels.map((level) => ({ kind: "quota", accountId, formId, level })),
  account_quota: (["storage", "log"] as const).flatMap((room) =>
    levels.map((level) => ({ kind: "account_quota" as const, accountId, room, level })),
  ),
  password_reset: [{ kind: "password_reset", token }],
  verify_email: [{ kind: "verify_email", token }],
  invitation: [{ kind: "invitation", token, address }],
  instance_invitation: [{ kind: "instance_invitation", token, address }],
  address: stepNames.map((step) => ({ kind: "address", step, token, address, other })),
  keys_rotated: [{ kind: "keys_rotated", formId, keyVersion: 2 }],
  security: securityEvents.flatMap((event) =>
    counts.map((count) => {
      const moved = { address, since: occurredAt, members, more: count };
      return { kind: "security" as const, event, occurredAt, formId, count, snippet, moved };
    }),
  ),
  // Those for a person are never combined with those for the owners of an organization.
  security_gathered: [personEvents, organizationEvents].flatMap((events) =>
    counts.map((count) => ({
      kind: "security_gathered" as const,
      counts: events.map((event) => ({ event, count })),
    })),
  ),
};

const subjects: readonly MailSubject[] = Object.values(examples).flat();
const unsubscribeUrl = `${baseUrl}/unsubscribe/1`;

test("in a made-up language no email, of any kind and event, has an English letter outside of addresses", async () => {
  for (const language of languages) {
    const texts = makeUp(await language.load.mail());
    for (const subject of subjects) {
      const mail = writeMail(texts, subject, baseUrl, unsubscribeUrl);
      const words = `${mail.subject}\n${mail.text}`
        .replaceAll(/[\u2068\u2069]/g, "")
        .replaceAll(`POST ${baseUrl}`, baseUrl)
        .replaceAll(/https:\/\/forms\.example\.com\S*/g, "");
      assert.doesNotMatch(words, /[A-Za-z]/, JSON.stringify(subject));
    }
  }
});

test("every email has a subject of one line, its link, and whatever its sentence is given, in every language", async () => {
  for (const language of languages) {
    const texts = await language.load.mail();
    for (const subject of subjects) {
      const { subject: title, text, link } = writeMail(texts, subject, baseUrl, unsubscribeUrl);
      assert.match(title, /^\S.*\S$/);
      assert.ok(text.includes(link), JSON.stringify(subject));
      assert.doesNotMatch(text, /undefined|null|NaN|\[object|\n\n\n/);
      if ("token" in subject && subject.kind !== "address") assert.ok(text.includes(`${link}#${token}`));
      if (subject.kind === "address") assert.ok(text.includes(other));
    }
  }
});

test("the link of every email leads to a page that is for each role that may get it", async () => {
  const [{ load }] = languages;
  const texts = await load.mail();
  const astray = new Set<string>();
  for (const subject of subjects) {
    const { link } = writeMail(texts, subject, baseUrl, unsubscribeUrl);
    const name = findPage(new URL(link).pathname);
    assert.ok(name, link);
    const { audience, offers }: Page = pages[name];
    const event = subject.kind === "security" ? subject.event : subject.kind;
    if ((audience === "operator") !== (event === "operator_named")) astray.add(`${event} leads to ${name}`);
    const recipients = recipientsOf(subject);
    // A person may belong to no organization.
    if (audience === "member" && recipients.length > 1) astray.add(`${event} leads a person to ${name}`);
    for (const role of recipients)
      if (offers !== undefined && !offers.some((offer) => findRoles(offer)?.includes(role)))
        astray.add(`${event} leads a ${role} to ${name}`);
  }
  assert.deepEqual([...astray], []);
});

/** People have any role, or none; all other emails are for owners. */
function recipientsOf(subject: MailSubject): readonly Role[] {
  // `undo-changes.ts` sends it to the owners, each as a person.
  const isForOwners = subject.kind === "security" && subject.event === "member_move_undone";
  return isPersonal(subject) && !isForOwners ? roles : ["owner"];
}

test("no text of emails is without an email that shows it", async () => {
  const [{ load }] = languages;
  const unused = new Set<string>();
  const texts = watch(await load.mail(), "", unused);
  assert.ok(unused.size > 200, `${unused.size}`);
  for (const subject of subjects) writeMail(texts, subject, baseUrl, unsubscribeUrl);
  assert.deepEqual([...unused], []);
});

/** The same texts. `unused` has the paths of those that were not read yet. */
function watch<Texts extends object>(texts: Texts, path: string, unused: Set<string>): Texts {
  const members = Object.entries(texts).map(([name, value]) => {
    const own = `${path}/${name}`;
    if (typeof value === "object") return [name, { value: watch(value, own, unused), enumerable: true }] as const;
    unused.add(own);
    const get = () => {
      unused.delete(own);
      return value;
    };
    return [name, { get, enumerable: true }] as const;
  });
  return Object.defineProperties({}, Object.fromEntries(members)) as Texts; // of the same shape
}
