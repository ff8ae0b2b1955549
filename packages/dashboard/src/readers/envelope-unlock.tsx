import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { envelopeListQuery } from "../envelopes/envelope-list-query.ts";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import { membersQuery } from "../organization/member-queries.ts";
import { useMay } from "../organization/membership.ts";
import { nameOf } from "../organization/names.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { UnlockIcon } from "../ui/icons.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/page.tsx";
import { OpeningNotices } from "./refusal-notice.tsx";
import { useFormEnvelope } from "./use-form-envelope.ts";

const { envelopes: texts } = text;

/**
 * The ways into a locked form: with an envelope the personal key first and a key file (`children`) second, else the key file alone. Where the
 * personal key is open, the form opens by itself.
 */
export default function EnvelopeUnlock({
  formId,
  children,
}: {
  readonly formId: string;
  readonly children: ReactNode;
}) {
  const key = usePersonalKey();
  const hasKey = key.kind === "locked" || key.kind === "open";
  const stored = useQuery(envelopeListQuery(formId));
  if (key.kind === "unknown" && !key.error) return <Skeleton className="h-24 w-full" />;
  if (!hasKey)
    return (
      <div className="grid gap-5">
        {key.kind === "none" && stored.data !== undefined && stored.data.length > 0 && <NeedsKey />}
        {children}
      </div>
    );
  if (stored.isPending) return <Skeleton className="h-24 w-full" />;
  if (key.kind === "open") return <OpenWithKey formId={formId}>{children}</OpenWithKey>;
  if (!stored.data?.length) return children;
  return (
    <div className="grid gap-5">
      <div className="grid gap-3">
        <h3 className="font-semibold">{texts.openTitle}</h3>
        <p className="text-muted">{texts.openIntro}</p>
        <UnlockPersonalKey />
      </div>
      <WithFile>{children}</WithFile>
    </div>
  );
}

/** For who has no key of their own: how they get to read the form. The names are the server's word: whom to ask, and nothing else. */
function NeedsKey() {
  const may = useMay();
  const { data } = useQuery({ ...membersQuery, enabled: may("listMembers") });
  const admitters = (data?.members ?? []).filter(
    ({ role, disabled }) => !disabled && (role === "owner" || role === "manager"),
  );
  return (
    <Notice title={texts.needsKey}>
      <p>
        {texts.needsKeyHint(admitters.map(nameOf))}{" "}
        <Link className="font-medium text-accent underline" to="/account/key">
          {texts.needsKeyLink}
        </Link>
      </p>
    </Notice>
  );
}

/** Also where the server shows no envelope: it may hide one that this browser has seen. */
function OpenWithKey({ formId, children }: { readonly formId: string; readonly children: ReactNode }) {
  const context = useEnvelopeContext();
  const opening = useFormEnvelope(formId, context);
  if (opening.isPending)
    return (
      <p className="text-muted" role="status">
        {texts.opening}
      </p>
    );
  if (opening.data?.kind === "none") return children;
  return (
    <div className="grid gap-5">
      {opening.isError && (
        <ErrorNotice error={opening.error} onRetry={() => opening.refetch()} what={texts.openFailed} />
      )}
      {opening.data && <OpeningNotices opening={opening.data} />}
      {opening.data?.kind === "opened" && opening.data.keys.length > 0 && (
        <Button className="justify-self-start" icon={<UnlockIcon />} look="primary" onClick={opening.open}>
          {texts.openAction}
        </Button>
      )}
      {context?.heads.isLasting === false && <Notice>{texts.notLasting}</Notice>}
      <WithFile>{children}</WithFile>
    </div>
  );
}

function WithFile({ children }: { readonly children: ReactNode }) {
  return (
    <details>
      <summary className="cursor-pointer py-2.5 font-medium">{texts.fileTitle}</summary>
      <div className="mt-4">{children}</div>
    </details>
  );
}
