import type { Invitation } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { admissionsQuery } from "../admissions/admissions-query.ts";
import { client } from "../api/client.ts";
import { invitationsQuery, manageableRoles } from "../organization/member-queries.ts";
import { NamedForms } from "../organization/member-row.tsx";
import { useMembership } from "../organization/membership.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge, Section } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";

const { admissions, members: texts } = text;

/** The invitations that can still be accepted; nothing while there is none. */
export function InvitationList({ invitations }: { readonly invitations: readonly Invitation[] }) {
  const queryClient = useQueryClient();
  const manageable = manageableRoles(useMembership()?.role);
  const open = useQuery(admissionsQuery).data ?? [];
  /** The link for the key of somebody who has yet to join. */
  const findKeyLink = (address: string) => open.find(({ person, email }) => person === null && email === address);
  const revoking = useMutation({
    mutationFn: async ({ id, email }: Invitation) => {
      await client.invitations.revoke(id);
      const keyLink = findKeyLink(email);
      if (keyLink !== undefined) await client.admissions.revoke(keyLink.id);
    },
    // Also after a refusal: somebody may have accepted it meanwhile.
    onSettled: async () => {
      await queryClient.invalidateQueries(invitationsQuery);
      await queryClient.invalidateQueries(admissionsQuery);
    },
  });
  const status = useFocusInstead<HTMLDivElement>(revoking.isSuccess && invitations);
  return (
    <>
      <div className="outline-none empty:hidden" ref={status} role="status" tabIndex={-1}>
        {revoking.isSuccess && <Notice tone="good">{texts.revoked}</Notice>}
      </div>
      {revoking.isError && <ErrorNotice error={revoking.error} />}
      {invitations.length > 0 && (
        <Section intro={texts.pendingIntro} title={texts.pending}>
          <ul aria-label={texts.pending} className="divide-y divide-line">
            {invitations.map((invitation) => (
              <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3" key={invitation.id}>
                <div className="min-w-0 grow basis-56">
                  <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
                    <span className="min-w-0 break-all font-medium">{invitation.email}</span>
                    <Badge>{texts.roles[invitation.role]}</Badge>
                  </div>
                  {invitation.forms !== null && <NamedForms ids={invitation.forms} />}
                  <p className="text-muted text-sm">
                    {texts.expires}
                    <Time at={invitation.expiresAt} />
                  </p>
                  {findKeyLink(invitation.email) && <p className="text-muted text-sm">{admissions.invite.waiting}</p>}
                </div>
                {manageable.includes(invitation.role) && (
                  <Button
                    aria-label={texts.revokeOf(invitation.email)}
                    onClick={() => revoking.mutate(invitation)}
                    pending={revoking.isPending && revoking.variables.id === invitation.id}
                    small
                  >
                    {texts.revoke}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}
