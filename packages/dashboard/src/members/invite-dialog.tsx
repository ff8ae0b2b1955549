import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { PersonToInvite } from "../admissions/invite-with-key.tsx";
import { client } from "../api/client.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { type TextProps, useFields } from "../form-kit/use-fields.ts";
import { checkGrant, type Grant, GrantFields, type GrantValues, readGrant } from "../organization/grant-fields.tsx";
import {
  invitationsQuery,
  manageableRoles,
  memberListTextQuery,
  readingRoles,
} from "../organization/member-queries.ts";
import { useMembership } from "../organization/membership.ts";
import { personalKeyQuery } from "../personal-key/personal-key-query.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { useNeedsVerification, VerifyFirstDialog } from "../session/verify-first.tsx";
import { loading } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { TextField } from "../ui/field.tsx";
import { InvitationLink } from "../ui/invitation-link.tsx";

const { admissions, members: texts } = text;

/** Needs the personal key, whose program nobody else has to load. */
const loadInviteWithKey = loading(() => import("../admissions/invite-with-key.tsx"));

/** Asks for an address and a role; then shows the link, this once. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const needsVerification = useNeedsVerification();
  if (needsVerification) return <VerifyFirstDialog onClose={onClose} title={texts.invite} />;
  return <NewInvitation onClose={onClose} />;
}

interface InvitationValues extends GrantValues {
  readonly email: string;
  /** Whether their key comes in with the invitation, once somebody has said so. */
  readonly withKey: boolean | undefined;
  readonly name: string;
}

function NewInvitation({ onClose }: { readonly onClose: () => void }) {
  const roles = manageableRoles(useMembership()?.role);
  const mayBringKey = useMayBringKey();
  const { invite, invitation, withKey, takeBack } = useInviting();
  const bringsKey = ({ role, withKey: wanted }: InvitationValues) =>
    readingRoles.includes(role) && mayBringKey !== undefined && (wanted ?? mayBringKey.isUsual);
  const fields = useFields<InvitationValues>({
    initial: { email: "", role: "reader", forms: [], withKey: undefined, name: "" },
    taken: "email",
    check: checkGrant,
    send: (values) => invite(values, bringsKey(values)),
  });
  if (invitation !== undefined)
    return (
      <InvitationLink
        {...invitation}
        hint={texts.keyHint}
        onClose={onClose}
        role={texts.roles[invitation.invitation.role]}
      />
    );
  if (withKey !== undefined)
    return <withKey.InviteWithKey onBack={takeBack} onClose={onClose} person={withKey.person} />;
  return (
    <FormDialog
      action={bringsKey(fields.values) ? text.common.next : texts.inviteNow}
      fields={fields}
      onClose={onClose}
      title={texts.invite}
    >
      <TextField
        {...fields.text("email")}
        autoComplete="off"
        data-focus
        hint={texts.emailHint}
        label={texts.email}
        maxLength={320}
        required
        type="email"
      />
      <GrantFields
        mistake={fields.errorAt("forms")}
        radioOf={(role) => fields.radio("role", role)}
        role={fields.values.role}
        roles={roles}
        tickOf={(id) => fields.tickOf("forms", id)}
      />
      {readingRoles.includes(fields.values.role) && mayBringKey !== undefined && (
        <KeyChoice
          isOn={bringsKey(fields.values)}
          name={fields.text("name")}
          onChange={(isOn) => fields.set("withKey", isOn)}
        />
      )}
    </FormDialog>
  );
}

/** Sends the invitation, or leads to the dialog that makes one with a key. */
function useInviting() {
  const queryClient = useQueryClient();
  // This dialog stays, and says that work is under way, until the next one is here.
  const leading = useMutation({
    mutationFn: async (person: PersonToInvite) => ({ person, InviteWithKey: (await loadInviteWithKey()).default }),
    throwOnError: true, // as every script of a page that can't be fetched
  });
  const inviting = useMutation({
    mutationFn: (invitation: Grant & { readonly email: string }) =>
      withFreshSession(() => client.invitations.create(invitation)),
    onSuccess: () => void queryClient.invalidateQueries(invitationsQuery),
    // The link must not outlive this dialog.
    gcTime: 0,
  });
  const invite = async ({ email, name, ...grant }: InvitationValues, withKey: boolean): Promise<void> => {
    if (withKey) await leading.mutateAsync({ ...readGrant(grant), email, name });
    else await inviting.mutateAsync({ email, ...readGrant(grant) });
  };
  return { invite, invitation: inviting.data, withKey: leading.data, takeBack: leading.reset };
}

/** Nobody who has no key of their own can bring one in; organizations with a signed list usually want it. */
function useMayBringKey(): { readonly isUsual: boolean } | undefined {
  const own = useQuery(personalKeyQuery).data;
  const list = useQuery(memberListTextQuery).data;
  const mayBring = own !== undefined && own !== null && list !== undefined;
  // Its program is fetched while the form is filled in: on a slow line nobody waits for it after the button.
  useEffect(() => {
    if (mayBring) loadInviteWithKey().catch(() => undefined);
  }, [mayBring]);
  return mayBring ? { isUsual: list !== "" } : undefined;
}

/** Whether their key comes in with the invitation. */
function KeyChoice({
  isOn,
  name,
  onChange,
}: {
  readonly isOn: boolean;
  readonly name: TextProps;
  readonly onChange: (isOn: boolean) => void;
}) {
  const { invite } = admissions;
  return (
    <div className="grid gap-3">
      <label className="flex items-start gap-3 pointer-coarse:min-h-11">
        <input checked={isOn} className="mt-1" onChange={() => onChange(!isOn)} type="checkbox" />
        <span>
          {invite.choice}
          <span className="block text-muted text-sm">{invite.choiceHint}</span>
        </span>
      </label>
      {isOn && (
        <TextField {...name} autoComplete="off" hint={invite.nameHint} label={invite.name} maxLength={100} required />
      )}
    </div>
  );
}
