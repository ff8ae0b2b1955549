import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { mayHaveArrived } from "../api/describe-error.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { withFreshSession } from "../session/fresh-session.tsx";
import { formatDateTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { EyeIcon } from "../ui/icons.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";

const { webhooks: texts } = text;

interface WebhookSecretProps {
  readonly formId: string;
  /** Since when an organization that had the form before knows the secret. */
  readonly knownSince: number | undefined;
}

/** The secret is fetched when it is asked for, and forgotten when it is hidden or the page is left. */
export function WebhookSecretSection({ formId, knownSince }: WebhookSecretProps) {
  const [dialog, setDialog] = useState<"rotate" | "revoke">();
  /** The secret that is to be shown is there since then, or the ones before it have ended. */
  const [done, setDone] = useState<"rotate" | "revoke">();
  const revealing = useMutation({
    mutationFn: () => withFreshSession(() => client.webhooks.secret(formId)),
    meta: { changesNothing: true },
    gcTime: 0,
    onSuccess: () => setDone(undefined),
  });
  const { data } = revealing;
  const expiresAt = data?.previousSecretExpiresAt;
  return (
    <Section
      actions={
        <div className="flex flex-wrap gap-2">
          <Button
            icon={<EyeIcon />}
            onClick={() => (data === undefined ? revealing.mutate() : revealing.reset())}
            pending={revealing.isPending}
          >
            {data === undefined ? texts.reveal : texts.hide}
          </Button>
          <Button onClick={() => setDialog("rotate")}>{texts.rotate}</Button>
        </div>
      }
      intro={texts.secretIntro}
      title={texts.secretTitle}
    >
      <div className="grid gap-3">
        {knownSince !== undefined && <KnownSecret since={knownSince} />}
        {revealing.isError && <Unseen done={done} error={revealing.error} />}
        {data !== undefined && <CodeBlock code={data.secret} label={texts.secret} wrap />}
        {expiresAt !== undefined && (
          <Earlier
            count={data?.earlierSecretsExpireAt?.length ?? 1}
            expiresAt={expiresAt}
            onRevoke={() => setDialog("revoke")}
          />
        )}
      </div>
      {dialog !== undefined && (
        <RotateDialog
          formId={formId}
          isRevoking={dialog === "revoke"}
          onClose={() => setDialog(undefined)}
          onRotated={() => {
            setDone(dialog);
            revealing.mutate();
          }}
          onUnsure={() => data !== undefined && revealing.mutate()}
        />
      )}
    </Section>
  );
}

function Earlier(props: { readonly count: number; readonly expiresAt: number; readonly onRevoke: () => void }) {
  return (
    <Notice
      action={
        <Button onClick={props.onRevoke} small>
          {texts.revoke}
        </Button>
      }
      role="status"
    >
      {texts.previousUntil(formatDateTime(props.expiresAt), props.count)}
    </Notice>
  );
}

function KnownSecret({ since }: { readonly since: number }) {
  return <Notice title={texts.secretKnown(formatDateTime(since))}>{texts.secretKnownHint}</Notice>;
}

/** Says what was done all the same, before that it could not be shown. */
function Unseen({ done, error }: { readonly done: "rotate" | "revoke" | undefined; readonly error: Error }) {
  return (
    <>
      {done !== undefined && (
        <Notice role="status" tone="good">
          {done === "rotate" ? texts.rotatedUnseen : texts.revokedUnseen}
        </Notice>
      )}
      <ErrorNotice error={error} />
    </>
  );
}

function RotateDialog({
  formId,
  isRevoking,
  onClose,
  onRotated,
  onUnsure,
}: {
  readonly formId: string;
  readonly isRevoking: boolean;
  readonly onClose: () => void;
  readonly onRotated: () => void;
  /** Called where it may be another one by now: the secret that is shown must not be one that ends. */
  readonly onUnsure: () => void;
}) {
  const queryClient = useQueryClient();
  const rotating = useMutation({
    mutationFn: () =>
      withFreshSession(() => client.webhooks.rotateSecret(formId, isRevoking ? { revokePrevious: true } : {})),
    gcTime: 0,
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ["form", formId] });
      onRotated();
      onClose();
    },
    onError: (error) => {
      if (mayHaveArrived(error)) onUnsure();
    },
  });
  return (
    <ActionDialog
      action={isRevoking ? texts.revoke : texts.rotateNow}
      isPending={rotating.isPending}
      look={isRevoking ? "danger" : "primary"}
      onClose={onClose}
      onConfirm={() => rotating.mutate()}
      title={isRevoking ? texts.revokeTitle : texts.rotateTitle}
    >
      {isRevoking ? <p>{texts.revokeIntro}</p> : texts.rotateIntro.map((sentence) => <p key={sentence}>{sentence}</p>)}
      {rotating.isError && <ErrorNotice error={rotating.error} />}
    </ActionDialog>
  );
}
