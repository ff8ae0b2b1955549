import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { client } from "../api/client.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { InvitationLink } from "../ui/invitation-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";
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
        {invitations.map(({ id, email, expiresAt, invitedBy }) => (
          <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3" key={id}>
            <div className="min-w-0 grow basis-56">
              <bdi className="min-w-0 break-all font-medium">{email}</bdi>
              <p className="break-words text-muted text-sm">
                {members.expires}
                <Time at={expiresAt} />
                {" · "}
                <bdi>{invitedBy === null ? texts.onServer : texts.by(invitedBy.email ?? texts.gone)}</bdi>
              </p>
            </div>
            <div className="flex flex-wrap gap-2">
              <Button
                aria-label={texts.sendAgainOf(email)}
                onClick={() => inviting.mutate(email)}
                pending={inviting.isPending && inviting.variables === email}
                small
              >
                {texts.sendAgain}
              </Button>
              <Button
                aria-label={members.revokeOf(email)}
                onClick={() => revoking.mutate(id)}
                pending={revoking.isPending && revoking.variables === id}
                small
              >
                {members.revoke}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {isInviting && inviting.data !== undefined && (
        <InvitationLink
          {...inviting.data}
          hint={inviting.data.mailed ? texts.linkHint : texts.oneLinkHint}
          onClose={close}
        />
      )}
      {isInviting && inviting.data === undefined && (
        <AskAddress error={inviting.error} isPending={inviting.isPending} onClose={close} onInvite={inviting.mutate} />
      )}
    </Section>
  );
}

function AskAddress({
  error,
  isPending,
  onInvite,
  onClose,
}: {
  readonly error: unknown;
  readonly isPending: boolean;
  readonly onInvite: (email: string) => void;
  readonly onClose: () => void;
}) {
  const fieldErrors = useFieldErrors(error, ["email"], "email");
  return (
    <ActionDialog
      action={members.inviteNow}
      form={fieldErrors.form}
      isPending={isPending}
      onClose={onClose}
      onConfirm={(data) => onInvite(String(data.get("email")))}
      title={members.invite}
    >
      {fieldErrors.isElsewhere && <ErrorNotice error={error} />}
      <TextField
        autoComplete="off"
        data-focus
        error={fieldErrors.at("email")}
        hint={members.emailHint}
        label={members.email}
        maxLength={320}
        name="email"
        required
        type="email"
      />
      <p className="text-muted text-sm">{texts.inviteEffect}</p>
    </ActionDialog>
  );
}
