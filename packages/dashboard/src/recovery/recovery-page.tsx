import { type Member, RefusalError } from "@sealpost/envelope";
import { toListToCheck } from "@sealpost/sdk/envelopes";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { type CheckedList, loadList } from "../envelopes/load-list.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { ListRefused } from "../readers/refusal-notice.tsx";
import { WithOpenKey } from "../readers/with-open-key.tsx";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { focusContent } from "../ui/focus-content.ts";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { PageHeader, Section, Skeleton } from "../ui/page.tsx";
import { FinishRecoveryKey, findUnvouched } from "./finish-recovery-key.tsx";
import { MakeRecoveryKey } from "./make-recovery-key.tsx";
import { RecoveryRule } from "./recovery-rule.tsx";
import { SweepAll } from "./sweep-all.tsx";

const { recovery } = text;

const texts = recovery.page;

/** The organization's recovery key: made, replaced and removed here, by owners. */
export function RecoveryPage() {
  return (
    <div className="mx-auto max-w-3xl">
      <div className="print:hidden">
        <PageHeader
          intro={
            <>
              {texts.intro} <HelpLink page="recoveryKey">{texts.more}</HelpLink>
            </>
          }
          title={text.pages.recovery}
        />
      </div>
      <WithOpenKey>{(context) => <RecoveryState context={context} />}</WithOpenKey>
    </div>
  );
}

function RecoveryState({ context }: { readonly context: EnvelopeContext }) {
  const queryClient = useQueryClient();
  const queryKey = ["recovery", context.organizationId, context.own.recipient];
  const list = useQuery({
    queryKey,
    queryFn: async () => {
      const loaded = await loadList(context);
      return { loaded, unvouched: loaded.kind === "checked" ? await findUnvouched(context, loaded) : [] };
    },
    staleTime: 0,
    gcTime: 0,
  });
  const [making, setMaking] = useState<readonly string[]>();
  const end = async () => {
    setMaking(undefined);
    await queryClient.invalidateQueries({ queryKey });
    focusContent();
  };
  if (making !== undefined) return <MakeRecoveryKey context={context} onEnd={end} replaced={making} />;
  if (list.isLoadingError) return <ErrorNotice error={list.error} onRetry={() => list.refetch()} />;
  if (list.data === undefined) return <Skeleton className="h-40 w-full" />;
  const { loaded: data, unvouched } = list.data;
  const keys = data.kind === "checked" ? keysOf(data) : [];
  const mayStart = context.isOwner && (data.kind === "none" || (data.kind === "checked" && data.own.role === "owner"));
  return (
    <div className="grid gap-5">
      {data.kind !== "checked" && !(data.kind === "none" && context.isOwner) && <ListRefused list={data} />}
      {keys.length === 0 && mayStart && (
        <Section intro={texts.noneIntro} title={texts.none}>
          <Button look="primary" onClick={() => setMaking([])}>
            {texts.make}
          </Button>
        </Section>
      )}
      {unvouched.length > 0 && (
        <FinishRecoveryKey context={context} mayChange={mayStart} onDone={end} unvouched={unvouched} />
      )}
      {data.kind === "checked" && keys.length > 0 && (
        <KeysSection
          context={context}
          keys={keys}
          list={data}
          mayChange={mayStart}
          onChanged={end}
          onReplace={() => setMaking(keys.map(({ id }) => id))}
        />
      )}
      <RecoveryRule hasKey={keys.length > 0} />
      {context.isOwner && (
        <Section intro={texts.useIntro} title={texts.useTitle}>
          <Link className={buttonClass()} to="/recovery/use">
            {texts.use}
          </Link>
        </Section>
      )}
    </div>
  );
}

function keysOf({ list }: CheckedList): readonly Member[] {
  return [...list.members.values()].filter(({ role }) => role === "recovery");
}

function KeysSection({
  context,
  list,
  keys,
  mayChange,
  onReplace,
  onChanged,
}: {
  readonly context: EnvelopeContext;
  readonly list: CheckedList;
  readonly keys: readonly Member[];
  readonly mayChange: boolean;
  readonly onReplace: () => void;
  readonly onChanged: () => Promise<void>;
}) {
  const [removing, setRemoving] = useState<Member>();
  return (
    <Section title={texts.there}>
      <div className="grid gap-4">
        <ul className="grid gap-3">
          {keys.map((key) => (
            <li className="flex flex-wrap items-center justify-between gap-3" key={key.id}>
              <span className="min-w-0">
                <bdi className="font-medium">{key.name}</bdi>
                <span className="block text-muted text-sm">
                  {key.signingKey === null ? texts.readsOnly : texts.signs}
                </span>
              </span>
              {mayChange && (
                <Button onClick={() => setRemoving(key)} small>
                  {texts.remove}
                </Button>
              )}
            </li>
          ))}
        </ul>
        {mayChange && (
          <div>
            <Button onClick={onReplace}>{texts.replace}</Button>
            <p className="mt-2 text-muted text-sm">{texts.replaceHint}</p>
          </div>
        )}
        <SweepAll context={context} />
      </div>
      {removing !== undefined && (
        <RemoveRecoveryKey
          context={context}
          list={list}
          member={removing}
          onClose={() => setRemoving(undefined)}
          onRemoved={onChanged}
        />
      )}
    </Section>
  );
}

function RemoveRecoveryKey({
  context,
  list,
  member,
  onClose,
  onRemoved,
}: {
  readonly context: EnvelopeContext;
  readonly list: CheckedList;
  readonly member: Member;
  readonly onClose: () => void;
  readonly onRemoved: () => Promise<void>;
}) {
  const removing = useMutation({
    mutationFn: async () => {
      const { organizationId, keyAgent, api } = context;
      const signed = await keyAgent.signEntry({
        ...{ organizationId, list: toListToCheck(list), signerId: list.own.id },
        change: { change: "remove", member: { id: member.id } },
      });
      if (signed instanceof RefusalError) throw signed;
      await api.addEntry(signed, list.list.head);
    },
    onSuccess: onRemoved,
  });
  return (
    <ActionDialog
      action={texts.remove}
      isPending={removing.isPending}
      look="danger"
      onClose={onClose}
      onConfirm={() => removing.mutate()}
      title={texts.removeTitle}
    >
      <p>{texts.removeHint}</p>
      {removing.isError && <ErrorNotice error={removing.error} />}
    </ActionDialog>
  );
}
