import { entryNumberMax } from "@sealpost/envelope/form";
import { type Static, Type } from "typebox";
import { roles, rolesOfNamedForms } from "../access/roles.ts";
import { addressLengthMax } from "../database/indexed-texts.ts";
import { closed, Milliseconds, reference } from "../http/schemas.ts";
import { namedFormsMax, organizationNameLengthMax } from "./organization.ts";

const roleText =
  "`owner`: everything · `manager`: forms, submissions, keys, webhooks, and readers and developers · `reader`: submissions of named forms · `developer`: settings and webhooks of named forms, no submissions · `auditor`: settings, statistics and the audit log.";
const RoleName = Type.Enum([...roles], { description: roleText });
const personId = Type.String({ description: "The person's id, `acc_…`." });
const NamedForms = Type.Union([Type.Array(Type.String()), Type.Null()], {
  description: "The ids of the forms that the role is for; null for all of the organization.",
});

const RequiredFrom = Type.Union([Milliseconds, Type.Null()], {
  description: "From when on it requires a second factor of its members; null: it does not.",
});

export const SecondFactorRuleBody = closed(
  { requiredFrom: RequiredFrom },
  { $id: "SecondFactorRule", description: "From when on an organization requires a second factor of its members." },
);

const RequireRecovery = Type.Boolean({
  description:
    "Whether the service takes envelopes only while the signed list of members has a recovery key, and keeps the last one in it.",
});

export const RecoveryRuleBody = closed(
  { requireRecovery: RequireRecovery },
  { $id: "RecoveryRule", description: "Whether an organization wants a recovery key." },
);

const UnprovenAddress = Type.Optional(
  Type.String({
    description:
      "The address that was invited, while nobody has proven that it is the person's: until then the membership gives no rights.",
  }),
);

export const OrganizationBody = closed(
  {
    id: Type.String({ description: "The organization's id, `acc_…`." }),
    name: Type.String({ description: "May be empty." }),
    role: RoleName,
    forms: NamedForms,
    since: Milliseconds,
    current: Type.Boolean({ description: "Whether this session acts for it." }),
    secondFactorRequiredFrom: RequiredFrom,
    requireRecovery: RequireRecovery,
    unprovenAddress: UnprovenAddress,
    deletedAt: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "When it is deleted for good, if it is to be: milliseconds since the Unix epoch.",
      }),
    ),
  },
  { $id: "Organization", description: "An organization that you belong to." },
);

export const OrganizationListBody = closed(
  {
    organizations: Type.Array(reference(OrganizationBody)),
    total: Type.Integer({ minimum: 0 }),
    canCreate: Type.Boolean({ description: "Whether you may make another one." }),
    secondFactor: Type.Boolean({ description: "Whether this session was opened with a second factor." }),
    lacksSecondFactor: Type.Boolean({
      description: "Whether the organization that the session acts for requires one now, and the session has none.",
    }),
    deletionsHeldBackUntil: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "For owners of the organization that the session acts for, in the days after a backup was restored: until then nothing is deleted for its age, so that legal holds and longer retention of since the backup can be set again. Milliseconds since the Unix epoch.",
      }),
    ),
  },
  { $id: "OrganizationList", description: "The organizations that you belong to, your own first." },
);

export const MemberBody = closed(
  {
    id: personId,
    name: Type.String(),
    email: Type.String(),
    role: RoleName,
    forms: NamedForms,
    since: Milliseconds,
    addedBy: Type.Union([Type.String(), Type.Null()], {
      description: "The person who invited them, `acc_…`; null for who made the organization.",
    }),
    disabled: Type.Boolean({ description: "Whether the operator keeps them from signing in." }),
    secondFactor: Type.Boolean({ description: "Whether they have a second factor." }),
    unprovenAddress: UnprovenAddress,
  },
  { $id: "Member", description: "A person with a role in the organization." },
);

export const MemberListBody = closed(
  { members: Type.Array(reference(MemberBody)), total: Type.Integer({ minimum: 0 }) },
  { $id: "MemberList", description: "The members of the organization, the oldest first." },
);

export const InvitationBody = closed(
  {
    id: Type.String({ description: "The invitation's id, `inv_…`." }),
    email: Type.String(),
    role: RoleName,
    forms: NamedForms,
    invitedBy: personId,
    createdAt: Milliseconds,
    expiresAt: Milliseconds,
  },
  { $id: "Invitation", description: "An invitation that can be accepted." },
);

export const InvitationListBody = closed(
  { invitations: Type.Array(reference(InvitationBody)), total: Type.Integer({ minimum: 0 }) },
  { $id: "InvitationList", description: "The open invitations, the newest first." },
);

export const CreatedInvitationBody = closed(
  {
    invitation: reference(InvitationBody),
    url: Type.String({ description: "The link to accept with. Shown in this one answer; only a hash is kept." }),
    mailed: Type.Boolean({ description: "Whether it is also sent to the address." }),
  },
  { $id: "CreatedInvitation", description: "The new invitation with its link, this one time." },
);

export const FoundInvitationBody = closed(
  {
    organization: Type.Union([closed({ name: Type.String({ description: "May be empty." }) }), Type.Null()], {
      description: "Null for an invitation to the instance: to make an account, with an organization of one's own.",
    }),
    email: Type.String({ description: "The address that it is for." }),
    role: Type.Union([RoleName, Type.Null()], { description: "Null for an invitation to the instance." }),
    expiresAt: Milliseconds,
  },
  { $id: "FoundInvitation", description: "What a link invites to." },
);

const forms = Type.Optional(
  Type.Array(Type.String(), {
    maxItems: namedFormsMax,
    uniqueItems: true,
    description: `The ids of forms, for the roles ${rolesOfNamedForms.join(" and ")} alone.`,
  }),
);

export const CreateInvitationInput = closed({
  email: Type.String({
    maxLength: addressLengthMax,
    description: "Who is invited. The invitation works for this address alone.",
  }),
  role: RoleName,
  forms,
});
export const ChangeMemberInput = closed({ role: Type.Optional(RoleName), forms });
export const OrganizationInput = closed({
  name: Type.String({ description: `1 to ${organizationNameLengthMax} characters.` }),
});
export const SecondFactorRuleInput = closed({ requiredFrom: RequiredFrom });
export const RecoveryRuleInput = closed({ requireRecovery: RequireRecovery });
export const InvitationTokenInput = closed({
  token: Type.String({ maxLength: 100, description: "The part of the link after the #." }),
});
export const HandOverInput = closed({
  organizationId: Type.String({ description: "The other organization, `acc_…`. You own both." }),
  webhook: Type.Optional(
    Type.Unsafe<{ readonly url: string; readonly secret: "new" | "kept" } | null>({
      ...closed({
        url: Type.String({ description: "The form's webhook address, to which its deliveries continue." }),
        secret: Type.Enum(["new", "kept"], {
          description:
            "`new`: another secret signs from now on, next to the ones before for 24 hours. `kept`: the same one, which the organization before knows; the form says so until it is rotated.",
        }),
      }),
      type: ["object", "null"],
      description:
        "What becomes of the form's webhook; needed where it has an address. Null: the address is removed, and the secret replaced at once.",
    }),
  ),
});

export const HandedOverWebhookBody = closed(
  {
    host: Type.String({ description: "The host of the address." }),
    kept: Type.Boolean({ description: "Whether deliveries continue to it." }),
    secret: Type.Enum(["new", "kept"], { description: "Whether the organization before knows the secret." }),
    previousSecretExpiresAt: Type.Optional(Milliseconds),
  },
  { $id: "HandedOverWebhook", description: "What became of the webhook of a form that was handed over." },
);

export type GrantInput = Pick<Static<typeof CreateInvitationInput>, "role" | "forms">;

const entryNumber = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: entryNumberMax, description }));
const pageEntry = { entry: entryNumber("The number of an entry of the page.") };
export const ListPageQuery = closed(pageEntry);
export const ListQuery = closed({
  ...pageEntry,
  from: entryNumber("The first entry to get, without `entry`: this one and the next, up to 4,096."),
});
