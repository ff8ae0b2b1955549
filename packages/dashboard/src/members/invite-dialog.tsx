import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PersonToInvite } from "../admissions/invite-with-key.tsx";
import { client } from "../api/client.ts";
import { type Grant, GrantFields, readGrant } from "../organization/grant-fields.tsx";
import {
  invitationsQuery,
  manageableRoles,
  memberListTextQuery,
  readingRoles,
} from "../organization/member-queries.ts";
import { useMembership } from "../organization/membership.ts";
import type { Role } from "../organization/offers.ts";
import { personalKeyQuery } from "../personal-key/personal-key-query.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { useNeedsVerification, VerifyFirstDialog } from "../session/verify-first.tsx";
import { loading } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { InvitationLink } from "../ui/invitation-link.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";

const { admissions, members: texts } = text;

/** Needs the personal key, whose program nobody else has to load. */
const loadInviteWithKey = loading(() => import("../admissions/invite-with-key.tsx"));

/** Asks for an address and a role; then shows the link, this once. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const needsVerification = useNeedsVerification();
  if (needsVerification) return <VerifyFirstDialog onClose={onClose} title={texts.invite} />;
  return <NewInvitation onClose={onClose} />;
}

function NewInvitation({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const roles = manageableRoles(useMembership()?.role);
  const [isFormMissing, setIsFormMissing] = useState(false);
  const [role, setRole] = useState<Role>("reader");
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
  const fieldErrors = useFieldErrors(inviting.error, ["email"], "email");
  if (inviting.data !== undefined)
    return (
      <InvitationLink
        {...inviting.data}
        hint={texts.keyHint}
        onClose={onClose}
        role={texts.roles[inviting.data.invitation.role]}
      />
    );
  if (leading.data !== undefined) return <leading.data.InviteWithKey onClose={onClose} person={leading.data.person} />;
  return (
    <ActionDialog
      action={texts.inviteNow}
      form={fieldErrors.form}
      isPending={inviting.isPending || leading.isPending}
      onClose={onClose}
      onConfirm={(data) => {
        const grant = readGrant(data);
        setIsFormMissing(grant === undefined);
        if (grant === undefined) return;
        const [email, name] = [String(data.get("email")), data.get("name")];
        if (typeof name === "string") leading.mutate({ ...grant, email, name });
        else inviting.mutate({ email, ...grant });
      }}
      title={texts.invite}
    >
      {fieldErrors.isElsewhere && <ErrorNotice error={inviting.error} />}
      <TextField
        autoComplete="off"
        data-focus
        error={fieldErrors.at("email")}
        hint={texts.emailHint}
        label={texts.email}
        maxLength={320}
        name="email"
        required
        type="email"
      />
      <GrantFields
        initial={{ role: "reader", forms: [] }}
        isFormMissing={isFormMissing}
        onRole={setRole}
        roles={roles}
      />
      {readingRoles.includes(role) && <KeyChoice />}
    </ActionDialog>
  );
}

/** Whether their key comes in with the invitation: what organizations with a signed list want, and nobody who has no key of their own can do. */
function KeyChoice() {
  const own = useQuery(personalKeyQuery).data;
  const list = useQuery(memberListTextQuery).data;
  const [isWanted, setIsWanted] = useState<boolean>();
  if (!own || list === undefined) return null;
  const isOn = isWanted ?? list !== "";
  const { invite } = admissions;
  return (
    <div className="grid gap-3">
      <label className="flex items-start gap-3 pointer-coarse:min-h-11">
        <input checked={isOn} className="mt-1" onChange={() => setIsWanted(!isOn)} type="checkbox" />
        <span>
          {invite.choice}
          <span className="block text-muted text-sm">{invite.choiceHint}</span>
        </span>
      </label>
      {isOn && (
        <TextField autoComplete="off" hint={invite.nameHint} label={invite.name} maxLength={100} name="name" required />
      )}
    </div>
  );
}
