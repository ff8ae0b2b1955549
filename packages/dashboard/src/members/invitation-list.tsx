import type { Invitation } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { members as texts } from "../texts/english/members.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge, Section } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import { invitationsQuery, manageableRoles } from "./member-queries.ts";
import { NamedForms } from "./member-row.tsx";
import { useMembership } from "./membership.ts";

/** The invitations that can still be accepted; nothing while there is none. */
export function InvitationList({ invitations }: { readonly invitations: readonly Invitation[] }) {
  const queryClient = useQueryClient();
  const manageable = manageableRoles(useMembership()?.role);
  const revoking = useMutation({
    mutationFn: (id: string) => client.invitations.revoke(id),
    // Also after a refusal: somebody may have accepted it meanwhile.
    onSettled: () => queryClient.invalidateQueries(invitationsQuery),
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
            {invitations.map(({ id, email, role, forms, expiresAt }) => (
              <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3" key={id}>
                <div className="min-w-0 grow basis-56">
                  <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
                    <span className="min-w-0 break-all font-medium">{email}</span>
                    <Badge>{texts.roles[role]}</Badge>
                  </div>
                  {forms !== null && <NamedForms ids={forms} />}
                  <p className="text-muted text-sm">
                    {texts.expires}
                    <Time at={expiresAt} />
                  </p>
                </div>
                {manageable.includes(role) && (
                  <Button
                    aria-label={texts.revokeOf(email)}
                    onClick={() => revoking.mutate(id)}
                    pending={revoking.isPending && revoking.variables === id}
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
