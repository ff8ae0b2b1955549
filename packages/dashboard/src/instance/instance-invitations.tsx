import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { client } from "../api/client.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { InvitationLink } from "../ui/invitation-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import { instanceInvitations } from "./instance-queries.ts";
import { useOpened } from "./use-opened.ts";

const { instance: texts, members } = text;

/** Inviting people to make an account, and the invitations that wait. */
export function InstanceInvitations() {
  const queryClient = useQueryClient();
  const { opened, open, close } = useOpened();
  const list = useQuery(instanceInvitations);
  const renew = () => void queryClient.invalidateQueries({ queryKey: ["instance"] });
  const inviting = useMutation({
    mutationFn: (email: string) => withFreshSession(() => client.instance.invite({ email })),
    onSuccess: () => {
      if (opened !== "invite") open("invite");
      renew();
    },
    gcTime: 0,
  });
  const revoking = useMutation({
    mutationFn: (id: string) => withFreshSession(() => client.instance.revokeInvitation(id)),
    // Also after a refusal: somebody may have used it meanwhile.
    onSettled: renew,
  });
  const status = useFocusInstead<HTMLDivElement>(revoking.isSuccess && list.data);
  const invitations = list.data ?? [];
  const isInviting = opened === "invite";
  const { reset } = inviting;
  useEffect(() => {
    // The link is shown once.
    if (!isInviting) reset();
  }, [isInviting, reset]);
  return (
    <Section
      actions={
        <Button icon={<PlusIcon />} look="primary" onClick={() => open("invite")}>
          {members.invite}
        </Button>
      }
      intro={texts.inviteIntro}
      title={texts.invitations}
    >
      <div className="outline-none empty:hidden" ref={status} role="status" tabIndex={-1}>
        {revoking.isSuccess && <Notice tone="good">{members.revoked}</Notice>}
      </div>
      {[list, revoking].map(({ error }, index) => error !== null && <ErrorNotice error={error} key={String(index)} />)}
      {inviting.isError && !isInviting && <ErrorNotice error={inviting.error} />}
      {list.isSuccess && invitations.length === 0 && <p className="text-muted">{texts.noInvitations}</p>}
      <ul aria-label={members.pending} className="divide-y divide-line">
        {invitations.map((invitation) => (
          <InvitationRow
            invitation={invitation}
            isRevoking={revoking.isPending && revoking.variables === invitation.id}
            isSending={inviting.isPending && inviting.variables === invitation.email}
            key={invitation.id}
            onRevoke={() => revoking.mutate(invitation.id)}
            onSend={() => inviting.mutate(invitation.email)}
          />
        ))}
      </ul>
      {isInviting && inviting.data !== undefined && (
        <InvitationLink
          {...inviting.data}
          hint={inviting.data.mailed ? texts.linkHint : texts.oneLinkHint}
          onClose={close}
        />
      )}
      {isInviting && inviting.data === undefined && <AskAddress onClose={close} onInvite={inviting.mutateAsync} />}
    </Section>
  );
}

type Invitation = Awaited<ReturnType<typeof client.instance.invitations>>[number];

function InvitationRow({
  invitation: { email, expiresAt, invitedBy },
  isSending,
  isRevoking,
  onSend,
  onRevoke,
}: {
  readonly invitation: Invitation;
  readonly isSending: boolean;
  readonly isRevoking: boolean;
  readonly onSend: () => void;
  readonly onRevoke: () => void;
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 grow basis-56">
        <bdi className="min-w-0 break-all font-medium">{email}</bdi>
        <p className="wrap-anywhere text-muted text-sm">
          {members.expires}
          <Time at={expiresAt} />
          {" · "}
          <bdi>{invitedBy === null ? texts.onServer : texts.by(invitedBy.email ?? texts.gone)}</bdi>
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button aria-label={texts.sendAgainOf(email)} onClick={onSend} pending={isSending} small>
          {texts.sendAgain}
        </Button>
        <Button aria-label={members.revokeOf(email)} onClick={onRevoke} pending={isRevoking} small>
          {members.revoke}
        </Button>
      </div>
    </li>
  );
}

function AskAddress({
  onInvite,
  onClose,
}: {
  readonly onInvite: (email: string) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const fields = useFields({ initial: { email: "" }, taken: "email", send: ({ email }) => onInvite(email) });
  return (
    <FormDialog action={members.inviteNow} fields={fields} onClose={onClose} title={members.invite}>
      <TextField
        {...fields.text("email")}
        autoComplete="off"
        data-focus
        hint={members.emailHint}
        label={members.email}
        maxLength={320}
        required
        type="email"
      />
      <p className="text-muted text-sm">{texts.inviteEffect}</p>
    </FormDialog>
  );
}
