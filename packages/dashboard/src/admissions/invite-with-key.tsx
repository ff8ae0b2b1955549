import { ApiError } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { Grant } from "../organization/grant-fields.tsx";
import { invitationsQuery, memberListTextQuery } from "../organization/member-queries.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { formatDateTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { admissionsQuery } from "./admissions-query.ts";
import { inviteWithKey } from "./bring-in.ts";
import { LinkToPassOn } from "./pass-on.tsx";
import { Failed, Next, WithKey } from "./with-key.tsx";

const { answerRefusals, admissions, nameRole, members } = text;

const texts = admissions.invite;
type Invited = Awaited<ReturnType<typeof inviteWithKey>>;

/** A person who is invited with a link for their key. */
export interface PersonToInvite extends Grant {
  readonly email: string;
  readonly name: string;
}

/** Invites somebody, and makes the link for their key: one act for the one who invites. */
export default function InviteWithKey({
  person,
  onClose,
  onBack,
}: {
  readonly person: PersonToInvite;
  readonly onClose: () => void;
  /** Back to what was typed. */
  readonly onBack: () => void;
}) {
  const isOpen = useEnvelopeContext() !== undefined;
  return (
    <Dialog onClose={onClose} title={isOpen ? members.invite : texts.unlockTitle}>
      {!isOpen && <Summary person={person} />}
      <WithKey>{(context) => <Invite context={context} onBack={onBack} onClose={onClose} person={person} />}</WithKey>
      {!isOpen && (
        <div>
          <Button onClick={onBack}>{texts.change}</Button>
        </div>
      )}
    </Dialog>
  );
}

function Summary({ person: { name, email, role } }: { readonly person: PersonToInvite }) {
  return <p className="wrap-anywhere">{texts.summary(name, email, nameRole(role))}</p>;
}

function Invite({
  context,
  person,
  onClose,
  onBack,
}: {
  readonly context: EnvelopeContext;
  readonly person: PersonToInvite;
  readonly onClose: () => void;
  readonly onBack: () => void;
}) {
  const queryClient = useQueryClient();
  const { email, name } = person;
  const inviting = useMutation({
    mutationFn: () => inviteWithKey(context, person, { email, name }),
    onSettled: () => {
      for (const { queryKey } of [invitationsQuery, admissionsQuery, memberListTextQuery])
        void queryClient.invalidateQueries({ queryKey });
    },
    // The links must not outlive this dialog.
    gcTime: 0,
  });
  if (inviting.data !== undefined) return <Made invited={inviting.data} onClose={onClose} person={person} />;
  return (
    <Next key="make">
      <Summary person={person} />
      <p>{texts.notYet}</p>
      {inviting.isError && <Failed error={inviting.error} refusals={answerRefusals} />}
      {inviting.error instanceof ApiError && <p>{texts.again}</p>}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={() => inviting.mutate()} pending={inviting.isPending}>
          {texts.make}
        </Button>
        {!inviting.isPending && <Button onClick={onBack}>{texts.change}</Button>}
      </div>
    </Next>
  );
}

function Made({
  invited,
  person,
  onClose,
}: {
  readonly invited: Invited;
  readonly person: PersonToInvite;
  readonly onClose: () => void;
}) {
  const { email, name } = person;
  const { mailed, url, keyUrl, invitation } = invited;
  return (
    <Next key="made">
      <Notice role="status" title={texts.ready} tone="good">
        {!mailed && texts.one(email)}
        {mailed && (
          <ol className="grid list-decimal gap-1 pl-5">
            {texts.steps(email).map((step) => (
              <li className="wrap-anywhere" key={step}>
                {step}
              </li>
            ))}
          </ol>
        )}
      </Notice>
      <LinkToPassOn hint={admissions.linkOnce(name)} url={keyUrl} />
      {mailed && (
        <details>
          <summary className="cursor-pointer py-3 font-medium text-sm">{texts.accountLink}</summary>
          <p className="my-2 text-muted text-sm">{texts.accountLinkHint}</p>
          <CodeBlock code={url} label={members.link} wrap />
          <p className="mt-2 text-muted text-sm">{members.linkHint(email, formatDateTime(invitation.expiresAt))}</p>
        </details>
      )}
      <p className="text-muted text-sm">{admissions.after(name)}</p>
      <div>
        <Button look="primary" onClick={onClose}>
          {admissions.copied}
        </Button>
      </div>
    </Next>
  );
}
