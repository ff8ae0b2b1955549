import type { Member } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { type Grant, GrantFields, readGrant } from "../organization/grant-fields.tsx";
import { manageableRoles, membersQuery } from "../organization/member-queries.ts";
import { organizationsQuery, useMembership } from "../organization/membership.ts";
import { nameOf } from "../organization/names.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { RemovalDialog } from "../ui/removal-dialog.tsx";

const { members: texts } = text;

interface DialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Another role, or other forms. */
export function ChangeMember({ member, onClose, onChanged }: DialogProps & { readonly onChanged: () => void }) {
  const queryClient = useQueryClient();
  const roles = manageableRoles(useMembership()?.role);
  const [isFormMissing, setIsFormMissing] = useState(false);
  const changing = useMutation({
    mutationFn: (grant: Grant) => withFreshSession(() => client.members.change(member.id, grant)),
    onSuccess: async () => {
      await queryClient.invalidateQueries(membersQuery);
      // It may be one's own.
      await queryClient.invalidateQueries(organizationsQuery);
      onChanged();
    },
  });
  return (
    <ActionDialog
      action={text.common.save}
      isPending={changing.isPending}
      onClose={onClose}
      onConfirm={(data) => {
        const grant = readGrant(data);
        setIsFormMissing(grant === undefined);
        if (grant !== undefined) changing.mutate(grant);
      }}
      title={texts.changeTitle(nameOf(member))}
    >
      {changing.isError && <ErrorNotice error={changing.error} />}
      <p className="text-muted">{texts.changeIntro}</p>
      <GrantFields
        initial={{ role: member.role, forms: member.forms ?? [] }}
        isFormMissing={isFormMissing}
        roles={roles}
      />
    </ActionDialog>
  );
}

/** Says what ends with the membership, and what does not. */
export function RemoveMember({ member, onClose, onRemoved }: DialogProps & { readonly onRemoved: () => void }) {
  const queryClient = useQueryClient();
  const removing = useMutation({
    mutationFn: () => withFreshSession(() => client.members.remove(member.id)),
    onSuccess: async () => {
      await queryClient.invalidateQueries(membersQuery);
      await queryClient.invalidateQueries({ queryKey: ["api-keys"] });
      onRemoved();
    },
  });
  return (
    <RemovalDialog
      action={texts.removeNow}
      onClose={onClose}
      removing={removing}
      title={texts.removeTitle(nameOf(member))}
    >
      <ul className="grid list-disc gap-1.5 pl-5">
        {texts.removeEnds.map((end) => (
          <li key={end}>{end}</li>
        ))}
      </ul>
      <p>
        {texts.removeKeys} <HelpLink page="rotateKeys">{texts.rotateLink}</HelpLink>
      </p>
    </RemovalDialog>
  );
}

export function LeaveOrganization({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const name = useMembership()?.name ?? "";
  const leaving = useMutation({
    mutationFn: () => client.members.leave(),
    onSuccess: async () => {
      // The person may have got another id.
      await queryClient.invalidateQueries({ queryKey: ["session"] });
      // The frame then shows what is left to choose from, in place of this page.
      await queryClient.invalidateQueries(organizationsQuery);
    },
  });
  return (
    <ActionDialog
      action={texts.leave}
      isPending={leaving.isPending}
      look="danger"
      onClose={onClose}
      onConfirm={() => leaving.mutate()}
      title={texts.leaveTitle(name || texts.unnamed)}
    >
      {leaving.isError && <ErrorNotice error={leaving.error} />}
      <p>{texts.leaveIntro}</p>
    </ActionDialog>
  );
}
