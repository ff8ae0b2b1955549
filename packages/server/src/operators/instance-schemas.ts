import { Type } from "typebox";
import { auditActions } from "../audit-log/audit-entry.ts";
import { plans } from "../config/config.ts";
import { addressLengthMax } from "../database/indexed-texts.ts";
import { closed, Milliseconds, NextCursor, PageQuery, reference } from "../http/schemas.ts";
import { organizationOrders, personOrders } from "./instance.ts";

const Count = Type.Integer({ minimum: 0 });
const Bytes = Type.Integer({ minimum: 0, description: "Bytes." });
const orNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ["integer", "null"], minimum: 0, description });
const PersonId = Type.String({ description: "The person's id, `acc_…`." });
const OrganizationId = Type.String({ description: "The organization's id, `acc_…`." });
const PlanName = Type.Enum([...plans]);
const Email = Type.String({ description: "The email address." });

export const InstanceBody = closed(
  {
    version: Type.String(),
    signUp: Type.Enum(["first", "open", "closed"], { description: "SEALPOST_SIGNUP." }),
    sendsEmails: Type.Boolean({ description: "Whether a mail server is set." }),
    hasQuotas: Type.Boolean({ description: "Whether plans bound what is stored." }),
    counts: closed({ organizations: Count, accounts: Count, operators: Count, disabled: Count, failedEmails: Count }),
    backlog: closed(
      {
        deliveriesDue: Count,
        oldestDeliveryAt: orNull("Since when the delivery that waits the longest is due."),
        mailsWaiting: Count,
        oldestMailAt: orNull("Since when the email that waits the longest does."),
      },
      { description: "What waits to be sent; counted up to 100,000." },
    ),
    lastBackupAt: orNull("When `sealpost-server backup` made the last backup; null for never, as far as is known."),
    checks: Type.Array(
      closed({
        check: Type.String({ description: "What was looked at." }),
        level: Type.Enum(["ok", "warning", "problem"]),
        message: Type.String(),
        remedy: Type.Optional(Type.String({ description: "What to do about it, where it is not ok." })),
      }),
      { description: "What `sealpost-server doctor` finds from inside; at most ten seconds old." },
    ),
  },
  { $id: "Instance", description: "The instance and its health." },
);

export const InstanceOrganizationBody = closed(
  {
    id: OrganizationId,
    name: Type.String({ description: "May be empty." }),
    plan: Type.String(),
    createdAt: Milliseconds,
    bytes: Bytes,
    bytesMax: orNull("Bytes; null where nothing limits them, or where they are still counted."),
    forms: Count,
    members: Count,
    owners: Type.Integer({ minimum: 0, description: "Owners who can sign in." }),
  },
  { $id: "InstanceOrganization", description: "An organization, as operators see it." },
);

export const InstanceOrganizationListBody = closed(
  { organizations: Type.Array(reference(InstanceOrganizationBody)), total: Count, nextCursor: NextCursor },
  { $id: "InstanceOrganizationList", description: "A page of the instance's organizations." },
);

export const InstanceAccountBody = closed(
  {
    id: PersonId,
    name: Type.String({ description: "May be empty." }),
    email: Email,
    createdAt: Milliseconds,
    disabledAt: orNull("Since when nobody gets in; null while its owner does."),
    verified: Type.Boolean({ description: "Whether the email address is verified." }),
    secondFactor: Type.Boolean({ description: "Codes of an app, or a passkey." }),
    operatorSince: orNull("Since when they are an operator; null for all others."),
    organizations: Type.Integer({ minimum: 0, description: "To how many they belong." }),
    sessions: Count,
    apiKeys: Type.Integer({ minimum: 0, description: "Those that they made." }),
  },
  { $id: "InstanceAccount", description: "A person, as operators see them." },
);

export const InstanceAccountListBody = closed(
  { accounts: Type.Array(reference(InstanceAccountBody)), total: Count, nextCursor: NextCursor },
  { $id: "InstanceAccountList", description: "A page of the instance's accounts." },
);

export const FailedMailBody = closed(
  {
    id: Type.String(),
    kind: Type.String({ description: "`submissions`, `security`, `invitation` and others." }),
    accountId: Type.String({
      description:
        "The person or the organization that it is for, `acc_…`; `instance` for an invitation to the instance.",
    }),
    to: Type.Array(Type.String(), { description: "The addresses that it did not arrive at." }),
    failedAt: Milliseconds,
    failure: Type.String({ description: "What the mail server said, without links." }),
    attempts: Count,
    nextAt: orNull("When it is tried again by itself; null once it is given up."),
    canTryAgain: Type.Boolean({ description: "False where its link is too old by now." }),
  },
  { $id: "FailedMail", description: "An email that did not arrive, without what was in it." },
);

export const FailedMailListBody = closed(
  { emails: Type.Array(reference(FailedMailBody)), total: Count, nextCursor: NextCursor },
  { $id: "FailedMailList", description: "A page of failed emails, the newest first." },
);

const Named = closed({
  id: Type.String({ description: "`acc_…`, or `inv_…` of an invitation." }),
  name: Type.String({ description: "The name that it has now; empty for an invitation, and once it is gone." }),
  email: Type.Union([Type.String(), Type.Null()], {
    description: "Null for an organization, and for one that is gone.",
  }),
});

export const InstanceLogEntryBody = closed(
  {
    id: Type.String({ description: "`aud_…`." }),
    timestamp: Milliseconds,
    action: Type.String({
      description: "As in the audit log of an organization.",
      examples: Object.keys(auditActions).slice(0, 2),
    }),
    operator: Type.Union([Named, Type.Null()], {
      description:
        "Who did it; null for a command on the server, and for somebody who made an account by an invitation.",
    }),
    subject: Type.Union([Named, Type.Null()], {
      description: "The person, the organization or the invitation that it was done to.",
    }),
    count: Type.Optional(Count),
    plan: Type.Optional(Type.String({ description: "Of a changed plan: the new one." })),
  },
  { $id: "InstanceLogEntry", description: "One thing that an operator did." },
);

export const InstanceLogBody = closed(
  { entries: Type.Array(reference(InstanceLogEntryBody)), nextCursor: NextCursor },
  { $id: "InstanceLog", description: "A page of what operators did, the newest first." },
);

export const InstanceInvitationBody = closed(
  {
    id: Type.String({ description: "The invitation's id, `inv_…`." }),
    email: Email,
    invitedBy: Type.Union([Named, Type.Null()], { description: "The operator; null for a command on the server." }),
    createdAt: Milliseconds,
    expiresAt: Milliseconds,
  },
  { $id: "InstanceInvitation", description: "An invitation to make an account, which can be used." },
);
export const InstanceInvitationListBody = closed(
  { invitations: Type.Array(reference(InstanceInvitationBody)), total: Count },
  { $id: "InstanceInvitationList", description: "The open invitations to the instance, the newest first." },
);
export const CreatedInstanceInvitationBody = closed(
  {
    invitation: reference(InstanceInvitationBody),
    url: Type.String({
      description:
        "The link to make the account with. Shown in this one answer; only a hash is kept. The emailed one is another.",
    }),
    mailed: Type.Boolean({
      description: "Whether a link is also sent to the address. Three a day are, from the whole instance.",
    }),
  },
  { $id: "CreatedInstanceInvitation", description: "The new invitation with its link, this one time." },
);
export const InstanceInvitationInput = closed({
  email: Type.String({
    maxLength: addressLengthMax,
    description: "Who is invited. The invitation works for this address alone.",
  }),
});
export const InvitationIdParameters = closed({
  invitation_id: Type.String({ description: "The invitation's id, `inv_…`." }),
});

const search = Type.Optional(
  Type.String({ maxLength: 100, description: "A part of a name or an email address, or an id." }),
);
export const OrganizationQuery = closed({
  ...PageQuery.properties,
  search,
  sort: Type.Optional(Type.Enum([...organizationOrders], { description: "`newest` unless it is said." })),
});
export const AccountQuery = closed({
  ...PageQuery.properties,
  search,
  sort: Type.Optional(Type.Enum([...personOrders], { description: "`newest` unless it is said." })),
});
export const PlanInput = closed({ plan: PlanName });
export const AccountChangeInput = closed({
  disabled: Type.Optional(Type.Boolean({ description: "True: nobody gets in. False: its owner does again." })),
  verified: Type.Optional(Type.Literal(true, { description: "Vouches for the email address." })),
  leavesWithoutOwner: Type.Optional(
    Type.Boolean({ description: "Disables also the only owner of an organization of several members." }),
  ),
});
export const OrganizationIdParameters = closed({ organization_id: OrganizationId });
export const AccountIdParameters = closed({ account_id: PersonId });
export const MailIdParameters = closed({ mail_id: Type.String({ maxLength: 100, description: "The email's id." }) });
export const EndedBody = closed(
  { success: Type.Literal(true), ended: Type.Integer({ minimum: 0, description: "How many there were." }) },
  { description: "They have ended." },
);
export const RevokedInvitationBody = closed(
  { success: Type.Literal(true), revoked: Type.String({ description: "The invitation's id." }) },
  { description: "Its links are worth nothing now." },
);
export const TriedBody = closed({ success: Type.Literal(true) }, { description: "The email is due now." });
export const ChangedOrganizationBody = closed(
  { organization: reference(InstanceOrganizationBody) },
  { description: "The organization after the change." },
);
export const ChangedAccountBody = closed(
  { account: reference(InstanceAccountBody) },
  { description: "The account after the change." },
);
