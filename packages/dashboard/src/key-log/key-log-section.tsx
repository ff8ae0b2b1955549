import { compareHybrid, type Form, type FormKey as PublishedKey } from "@sealpost/sdk";
import { type FormId, formatKeyLogHead, type VerifiedKeyLog } from "@sealpost/wire";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { useKeys } from "../keys/keyring.ts";
import { useMay } from "../organization/membership.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import { ForReading } from "../readers/refusal-notice.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section, Skeleton } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { AcceptKeyLog, GiveKeyLogUp } from "./end-key-log.tsx";
import { keyLogQuery } from "./key-log-query.ts";
import { isSameKey, toLogged } from "./logged-key.ts";
import { compareSigners, findSigningList, signCurrentKey } from "./sign-entry.ts";
import { useStrangeSigners } from "./strange-signers.ts";

const { keyLog: texts } = text;

/** The form's key log on its Keys page: beginning one, who signs, and what is wrong with the one that the server shows. */
export default function KeyLogSection({ form, newest }: { readonly form: Form; readonly newest: PublishedKey }) {
  const { data, isPending, isError, error, refetch } = useQuery(keyLogQuery(form.id));
  const context = useEnvelopeContext();
  const may = useMay();
  const [done, setDone] = useState<string>();
  const place = useRef<HTMLDivElement>(null);
  const queryClient = useQueryClient();
  const finish = async (sentence?: string) => {
    setDone(sentence);
    await queryClient.invalidateQueries(keyLogQuery(form.id));
    // The pressed button is gone.
    place.current?.focus();
  };
  const log = data?.kind === "checked" ? data.log : undefined;
  const hasStrangers = (useStrangeSigners(form.id, log).data ?? []).length > 0;
  const isOther = log !== undefined && !isSameKey(log.entry.key, newest);
  return (
    <Section
      intro={
        <>
          {texts.intro} <HelpLink page="keyLog">{texts.link}</HelpLink>
        </>
      }
      title={texts.title}
    >
      <div className="grid gap-4">
        <div className="outline-none empty:absolute" ref={place} role="status" tabIndex={-1}>
          {done && <Notice tone="good">{done}</Notice>}
        </div>
        {isPending && <Skeleton className="h-12 w-full" />}
        {isError && <ErrorNotice error={error} onRetry={() => refetch()} />}
        {data?.kind === "none" && <p>{texts.none}</p>}
        {log && <NewestEntry formId={form.id} log={log} />}
        {isOther && (
          <Notice title={texts.otherKey} tone="danger">
            {texts.otherKeyHint}
          </Notice>
        )}
        {data?.kind === "refused" && (
          <Notice title={texts.refused[data.reason]} tone="danger">
            {texts.refusedHint}
          </Notice>
        )}
        {data?.kind === "refused" && may("rotateFormKeys") && <AcceptKeyLog formId={form.id} onDone={finish} />}
        {data && data.kind !== "refused" && !isOther && may("rotateFormKeys") && (
          <WithKey>
            {context && <Signing context={context} log={log} newest={newest} {...{ form, hasStrangers, finish }} />}
          </WithKey>
        )}
        {log && may("removeKeyLog") && <GiveKeyLogUp formId={form.id} onDone={finish} />}
      </div>
    </Section>
  );
}

/** Signing needs the personal key, which the section of the envelope on the same page unlocks, or leads to. */
function WithKey({ children }: { readonly children: ReactNode }) {
  const { kind } = usePersonalKey();
  if (kind === "open") return children;
  return <p className="text-muted">{kind === "none" ? texts.noKey : texts.locked}</p>;
}

function NewestEntry({ formId, log }: { readonly formId: string; readonly log: VerifiedKeyLog }) {
  const pin = formatKeyLogHead(log.head);
  const { data: strangers = [], isSuccess } = useStrangeSigners(formId, log);
  return (
    <div className="grid gap-1">
      <p>
        <span className="font-medium">{texts.state(log.head.number, log.entry.key.version)}</span>{" "}
        <span className="text-muted text-sm">
          {texts.written}
          <Time at={Date.parse(log.entry.writtenAt)} />
        </span>
      </p>
      {isSuccess && strangers.length === 0 && (
        <>
          <p className="text-muted text-sm">{texts.pin}</p>
          <div className="flex flex-wrap items-center justify-between gap-2">
            <code translate="no" className="break-all font-mono text-sm">
              {pin}
            </code>
            <CopyButton look="quiet" value={pin} />
          </div>
        </>
      )}
      {strangers.length > 0 && (
        <Notice title={texts.strangers(strangers.length)} tone="warning">
          <p>{texts.strangersHint}</p>
          <ul aria-label={texts.strangersLabel} className="mt-1 grid gap-1">
            {strangers.map((key) => (
              <li key={key}>
                <code translate="no" className="break-all font-mono text-sm">
                  {key}
                </code>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  );
}

function Signing({
  context,
  form,
  log,
  hasStrangers,
  newest,
  finish,
}: {
  readonly context: EnvelopeContext;
  readonly form: Form;
  readonly log: VerifiedKeyLog | undefined;
  /** The page shows them already: nothing of them is said twice. */
  readonly hasStrangers: boolean;
  readonly newest: PublishedKey;
  readonly finish: (sentence: string) => Promise<void>;
}) {
  const held = useKeys(form.id);
  const list = useQuery({
    queryKey: ["form", form.id, "key-log", "list", context.own.signingKey],
    queryFn: () => findSigningList(context),
  });
  const hasNewest =
    held.some(({ fingerprint }) => fingerprint === newest.fingerprint) && compareHybrid(newest, held) === undefined;
  const signing = useMutation({
    mutationFn: () => signCurrentKey(context, form.id as FormId, log?.entry.key ?? toLogged(newest)), // the server names no other
    onSuccess: ({ number }) => finish(log ? texts.renewed(number) : texts.begun),
  });
  if (list.data?.kind === "for_reading") return <ForReading />;
  if (list.isPending) return <Skeleton className="h-12 w-full" />;
  const sign: Sign = { isPending: signing.isPending, error: signing.error, begin: () => signing.mutate() };
  if (log === undefined) return <NotBegun hasNewest={hasNewest} sign={sign} />;
  const signed = list.data?.kind === "checked" ? list.data.list : undefined;
  return (
    <Signers
      hasStrangers={hasStrangers}
      isSigner={log.entry.signers.includes(context.own.signingKey)}
      sign={sign}
      signers={compareSigners(log, signed, context.own.signingKey)}
    />
  );
}

interface Sign {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly begin: () => void;
}

function NotBegun({ hasNewest, sign }: { readonly hasNewest: boolean; readonly sign: Sign }) {
  return (
    <>
      <p className="text-muted">{hasNewest ? texts.signersToBe : texts.lockedForm}</p>
      {sign.error !== null && <ErrorNotice error={sign.error} what={texts.failed} />}
      {hasNewest && (
        <Button className="justify-self-start" look="primary" onClick={sign.begin} pending={sign.isPending}>
          {texts.begin}
        </Button>
      )}
    </>
  );
}

/** Who signs the log, and whether that is who should. */
function Signers({
  signers,
  isSigner,
  hasStrangers,
  sign,
}: {
  readonly signers: ReturnType<typeof compareSigners>;
  readonly isSigner: boolean;
  readonly hasStrangers: boolean;
  readonly sign: Sign;
}) {
  const renew = isSigner && (
    <Button onClick={sign.begin} pending={sign.isPending} small>
      {texts.renew}
    </Button>
  );
  const isOutdated = signers.outdated.length + signers.outdatedUnknown > 0;
  const isSaid = hasStrangers && signers.outdated.length === 0;
  return (
    <>
      <p>
        {texts.signers(signers.names, signers.unknown)} {!hasStrangers && texts.snippets}
      </p>
      {!isSigner && <Notice>{texts.notSigner}</Notice>}
      {isOutdated && isSaid && <div>{renew}</div>}
      {isOutdated && !isSaid && (
        <Notice action={renew} title={texts.outdated(signers.outdated, signers.outdatedUnknown)} tone="warning">
          {texts.outdatedHint}
        </Notice>
      )}
      {!isOutdated && signers.missing.length > 0 && (
        <Notice action={renew} title={texts.missing(signers.missing)}>
          {texts.missingHint}
        </Notice>
      )}
      {sign.error !== null && <ErrorNotice error={sign.error} what={texts.failed} />}
    </>
  );
}
