import type { Member } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { orGone } from "../api/attempt.ts";
import { client } from "../api/client.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { RemovalDialog } from "../form-kit/removal-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { checkGrant, GrantFields, type GrantValues, readGrant } from "../organization/grant-fields.tsx";
import { manageableRoles, membersQuery } from "../organization/member-queries.ts";
import { organizationsQuery, useMembership } from "../organization/membership.ts";
import { nameOf } from "../organization/names.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { HelpLink } from "../ui/help-link.tsx";

const { members: texts } = text;

interface DialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

type WebhookForms = readonly { readonly id: string; readonly name: string }[];

/** Another role, or other forms. */
export function ChangeMember({
  member,
  onClose,
  onChanged,
}: DialogProps & { readonly onChanged: (webhookForms: WebhookForms) => void }) {
  const queryClient = useQueryClient();
  const roles = manageableRoles(useMembership()?.role);
  const fields = useFields({
    initial: { role: member.role, forms: member.forms ?? [] } as GrantValues,
    follows: true,
    check: checkGrant,
    send: (grant) => withFreshSession(() => client.members.change(member.id, readGrant(grant))),
    onSaved: async ({ webhookForms }) => {
      await queryClient.invalidateQueries(membersQuery);
      // It may be one's own.
      await queryClient.invalidateQueries(organizationsQuery);
      onChanged(webhookForms);
    },
  });
  return (
    <FormDialog action={text.common.save} fields={fields} onClose={onClose} title={texts.changeTitle(nameOf(member))}>
      <p className="text-muted">{texts.changeIntro}</p>
      <GrantFields
        mistake={fields.errorAt("forms")}
        radioOf={(role) => fields.radio("role", role)}
        role={fields.values.role}
        roles={roles}
        tickOf={(id) => fields.tickOf("forms", id)}
      />
    </FormDialog>
  );
}

/** Says what ends with the membership, and what does not. */
export function RemoveMember({
  member,
  onClose,
  onRemoved,
}: DialogProps & {
  /**
   * `webhookForms`: those that still send to an address that the member chose; `undefined` where nobody has heard of
   * it.
   */
  readonly onRemoved: (webhookForms: WebhookForms | undefined) => void;
}) {
  const queryClient = useQueryClient();
  const removing = useMutation({
    mutationFn: () => orGone(() => withFreshSession(() => client.members.remove(member.id)), "member_not_found"),
    onSuccess: async (removed) => {
      await queryClient.invalidateQueries(membersQuery);
      await queryClient.invalidateQueries({ queryKey: ["api-keys"] });
      onRemoved(removed?.webhookForms);
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
      <p>{texts.removeReaders}</p>
    </RemovalDialog>
  );
}
