import type { Form } from "@sealpost/sdk";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { client } from "../api/client.ts";
import { mayHaveArrived } from "../api/describe-error.ts";
import { queries } from "../api/queries.ts";
import { isRoleError } from "../api/query-client.ts";
import { envelopeListQuery } from "../envelopes/envelope-list-query.ts";
import { useForm } from "../form/form-frame.tsx";
import { HybridMismatch } from "../keys/hybrid-mismatch.tsx";
import { useKeys } from "../keys/keyring.ts";
import { Unlock } from "../keys/unlock.tsx";
import { organizationsQuery } from "../organization/membership.ts";
import { personalKeyQuery } from "../personal-key/personal-key-query.ts";
import { text } from "../texts/text.ts";
import { LockIcon } from "../ui/icons.tsx";
import { isFocusFree } from "../ui/keep-focus.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/page.tsx";
import { part } from "../ui/part.tsx";
import { EmptyInbox } from "./empty-inbox.tsx";
import { createInbox, type Inbox, type InboxOptions } from "./inbox.ts";
import { InboxSkeleton } from "./inbox-skeleton.tsx";
import { InboxView } from "./inbox-view.tsx";
import { type BinMoves, useBinMoves } from "./use-bin-moves.ts";
import { type InboxChoices, useInboxChoices } from "./use-inbox-choices.ts";

const EnvelopeNotices = part(() => import("../readers/envelope-notices.tsx"));
const EnvelopeUnlock = part(() => import("../readers/envelope-unlock.tsx"));

/** How often an open list looks whether something came. */
const pollMilliseconds = 20_000;

/** The submissions of a form. */
export function SubmissionsPage() {
  const form = useForm();
  return <FormSubmissions form={form} key={form.id} />;
}

/** Nothing yet, locked, or the inbox. */
function FormSubmissions({ form }: { readonly form: Form }) {
  const keys = useKeys(form.id);
  const formKeys = useQuery(queries.keys(form.id));
  const isLocked = form.settings.encryption && keys.length === 0;
  // At once, while the script of `EnvelopeUnlock` is fetched, and not one after the other when it has come.
  const isUnlockShown = isLocked && form.submissionCount > 0;
  useQuery({ ...personalKeyQuery, enabled: isUnlockShown });
  useQuery({ ...envelopeListQuery(form.id), enabled: isUnlockShown });
  const wasLocked = useRef(isLocked);
  // The button to unlock or to lock has disappeared: the next Tab continues from here.
  useEffect(() => {
    if (wasLocked.current !== isLocked && isFocusFree()) document.getElementById("content")?.focus();
    wasLocked.current = isLocked;
  }, [isLocked]);
  const moves = useBinMoves();
  // Here, where they outlive the lock of the key.
  const choices = useInboxChoices();
  if (form.submissionCount === 0) return <EmptyInbox formId={form.id} moves={moves} />;
  if (isLocked)
    return (
      <div className="card mx-auto max-w-2xl p-4 2xs:p-6 sm:p-8">
        <div className="mb-5 flex flex-wrap items-start gap-4">
          <span className="grid size-12 shrink-0 place-items-center rounded-full bg-accent-soft text-accent">
            <LockIcon className="size-6" />
          </span>
          <div className="grow basis-40">
            <h2 className="font-semibold text-lg">{text.keys.lockedTitle}</h2>
            <p className="text-muted">{text.keys.lockedIntro(form.submissionCount)}</p>
            <p className="mt-1 text-muted">{text.keys.lockedMemory}</p>
          </div>
        </div>
        <EnvelopeUnlock fallback={<Skeleton className="h-24 w-full" />} formId={form.id}>
          <Unlock formId={form.id} />
        </EnvelopeUnlock>
      </div>
    );
  if (formKeys.isLoadingError) return <ErrorNotice error={formKeys.error} onRetry={() => formKeys.refetch()} />;
  if (formKeys.data === undefined) return <InboxSkeleton />;
  const fingerprints = new Map(formKeys.data.map(({ version, fingerprint }) => [version, fingerprint]));
  // Another set of keys opens other rows: the inbox starts over with them.
  const identity = [form.id, ...keys.flatMap((key) => [key.fingerprint, key.hybrid?.fingerprint])].join(" ");
  return (
    // An element of its own, so that nothing in the locked page stays in it, hidden and with the focus, while its parts are loaded.
    <div className="grid gap-4" key="open">
      <HybridMismatch formKeys={formKeys.data} held={keys} />
      {form.settings.encryption && <EnvelopeNotices formId={form.id} />}
      <OpenInbox
        choices={choices}
        fingerprints={fingerprints}
        formId={form.id}
        key={identity}
        keys={keys}
        moves={moves}
      />
    </div>
  );
}

interface Outliving {
  readonly moves: BinMoves;
  readonly choices: InboxChoices;
}

function OpenInbox({ formId, keys, fingerprints, ...outliving }: Omit<InboxOptions, "client"> & Outliving) {
  const [inbox, setInbox] = useState<Inbox>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: made once for each key of this component
  useEffect(() => {
    const created = createInbox({ client, formId, keys, fingerprints });
    setInbox(created);
    return () => created.close();
  }, []);
  return inbox === undefined ? <InboxSkeleton /> : <LiveInbox formId={formId} inbox={inbox} {...outliving} />;
}

function LiveInbox({
  formId,
  inbox,
  ...outliving
}: Outliving & {
  readonly formId: string;
  readonly inbox: Inbox;
}) {
  const state = useSyncExternalStore(inbox.subscribe, inbox.state);
  const queryClient = useQueryClient();
  const isRefused = state.phase === "failed" && isRoleError(state.error);
  useEffect(() => {
    if (isRefused) void queryClient.invalidateQueries(organizationsQuery);
  }, [isRefused, queryClient]);
  const { data: form, dataUpdatedAt } = useQuery({ ...queries.form(formId), refetchInterval: pollMilliseconds });
  // The server answers again: what could not be had meanwhile is asked for without a press, and its error is gone.
  useEffect(() => {
    const { phase, error } = inbox.state();
    if (dataUpdatedAt > 0 && phase === "failed" && mayHaveArrived(error)) void inbox.refresh();
  }, [dataUpdatedAt, inbox]);
  const isIncomplete = state.phase === "done" && (form?.submissionCount ?? 0) > state.total;
  useEffect(() => {
    if (isIncomplete) void inbox.refresh();
  }, [isIncomplete, inbox]);
  if (state.phase === "loading" && state.rows.length === 0) return <InboxSkeleton />;
  if (state.phase === "failed" && state.rows.length === 0)
    return <ErrorNotice error={state.error} onRetry={() => inbox.resume()} />;
  if (state.rows.length === 0) return <EmptyInbox formId={formId} moves={outliving.moves} />;
  return <InboxView formId={formId} inbox={inbox} state={state} {...outliving} />;
}
