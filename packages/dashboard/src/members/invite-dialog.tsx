import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { useNeedsVerification, VerifyFirstDialog } from "../session/verify-first.tsx";
import { members as texts } from "../texts/english/members.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";
import { type Grant, GrantFields, readGrant } from "./grant-fields.tsx";
import { InvitationLink } from "./invitation-link.tsx";
import { invitationsQuery, manageableRoles } from "./member-queries.ts";
import { useMembership } from "./membership.ts";

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
  const inviting = useMutation({
    mutationFn: (invitation: Grant & { readonly email: string }) =>
      withFreshSession(() => client.invitations.create(invitation)),
    onSuccess: () => queryClient.invalidateQueries(invitationsQuery),
    // The link must not outlive this dialog.
    gcTime: 0,
  });
  const fieldErrors = useFieldErrors(inviting.error, ["email"], "email");
  if (inviting.data !== undefined) return <InvitationLink {...inviting.data} hint={texts.keyHint} onClose={onClose} />;
  return (
    <ActionDialog
      action={texts.inviteNow}
      form={fieldErrors.form}
      isPending={inviting.isPending}
      onClose={onClose}
      onConfirm={(data) => {
        const grant = readGrant(data);
        setIsFormMissing(grant === undefined);
        if (grant !== undefined) inviting.mutate({ email: String(data.get("email")), ...grant });
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
      <GrantFields initial={{ role: "reader", forms: [] }} isFormMissing={isFormMissing} roles={roles} />
    </ActionDialog>
  );
}
