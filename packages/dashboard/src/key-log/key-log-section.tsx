import type { SignerDifferences } from "@sealpost/envelope";
import { compareHybrid, type Form, type FormKey as PublishedKey } from "@sealpost/sdk";
import { sureKeys } from "@sealpost/vault";
import { type FormId, formatKeyLogHead, type VerifiedKeyLog } from "@sealpost/wire";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { useKeys } from "../keys/keyring.ts";
import { useMay } from "../organization/membership.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import { FormNames } from "../readers/form-names.tsx";
import { ForReading } from "../readers/refusal-notice.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section, Skeleton } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { AcceptKeyLog, GiveKeyLogUp } from "./end-key-log.tsx";
import { keyLogKey, useKeyLog } from "./key-log-query.ts";
import { isSameKey, toLogged } from "./logged-key.ts";
import { useOwnLog } from "./own-log.ts";
import { compareSigners, findSigningList, signCurrentKey } from "./sign-entry.ts";
import { useSignerDifferences } from "./signer-differences.ts";

const { keyLog: texts } = text;

/** The form's key log on its Keys page: beginning one, who signs, and what is wrong with the one that the server shows. */
export default function KeyLogSection({ form, newest }: { readonly form: Form; readonly newest: PublishedKey }) {
  const { data, isPending, isError, error, refetch } = useKeyLog(form.id);
  const context = useEnvelopeContext();
  const may = useMay();
  const [done, setDone] = useState<string>();
  const place = useRef<HTMLDivElement>(null);
  const queryClient = useQueryClient();
  const finish = async (sentence?: string) => {
    setDone(sentence);
    await queryClient.invalidateQueries({ queryKey: keyLogKey(form.id) });
    // The pressed button is gone.
    place.current?.focus();
  };
  const log = data?.kind === "checked" ? data.log : undefined;
  const isSaid = needsEntry(useSignerDifferences(form.id, log).data);
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
            {context && <Signing context={context} log={log} newest={newest} {...{ form, isSaid, finish }} />}
          </WithKey>
        )}
        {log && may("removeKeyLog") && <GiveKeyLogUp context={context} form={form} onDone={finish} />}
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

function needsEntry(differences: SignerDifferences | undefined): boolean {
  return differences !== undefined && differences.wrong.length + differences.missing.length > 0;
}

function NewestEntry({ formId, log }: { readonly formId: string; readonly log: VerifiedKeyLog }) {
  const pin = formatKeyLogHead(log.head);
  const { data: differences } = useSignerDifferences(formId, log);
  const isOwn = useOwnLog(formId, log);
  return (
    <div className="grid gap-1">
      <p>
        <span className="font-medium">{texts.state(log.head.number, log.entry.key.version)}</span>{" "}
        <span className="text-muted text-sm">
          {texts.written}
          <Time at={Date.parse(log.entry.writtenAt)} />
        </span>
      </p>
      {isOwn === false && <Notice tone="warning">{texts.notHeld}</Notice>}
      {isOwn && differences && !needsEntry(differences) && (
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
      {differences && <WrongSigners {...differences} />}
    </div>
  );
}

/** Said whether or not the personal key is open: while it is so, no page should name this entry. */
function WrongSigners({ wrong, missing }: SignerDifferences) {
  if (wrong.length === 0)
    return (
      missing.length > 0 && (
        <Notice title={texts.incomplete(missing.length)} tone="warning">
          {texts.incompleteHint}
        </Notice>
      )
    );
  return (
    <Notice title={texts.strangers(wrong.length)} tone="warning">
      <p>{texts.strangersHint}</p>
      <ul aria-label={texts.strangersLabel} className="mt-1 grid gap-1">
        {wrong.map((key) => (
          <li key={key}>
            <code translate="no" className="break-all font-mono text-sm">
              {key}
            </code>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Signing({
  context,
  form,
  log,
  isSaid,
  newest,
  finish,
}: {
  readonly context: EnvelopeContext;
  readonly form: Form;
  readonly log: VerifiedKeyLog | undefined;
  /** The page shows them already: nothing of them is said twice. */
  readonly isSaid: boolean;
  readonly newest: PublishedKey;
  readonly finish: (sentence: string) => Promise<void>;
}) {
  const held = sureKeys(useKeys(form.id));
  const list = useQuery({
    queryKey: ["form", form.id, "key-log", "list", context.own.signingKey],
    queryFn: () => findSigningList(context),
  });
  const hasNewest =
    held.some(({ fingerprint }) => fingerprint === newest.fingerprint) && compareHybrid(newest, held) === undefined;
  const signing = useMutation({
    mutationFn: () => signCurrentKey(context, form.id as FormId, log?.entry.key ?? toLogged(newest, held), held), // the server names no other
    onSuccess: ({ number }) => finish(log ? texts.renewed(number) : texts.begun),
  });
  if (list.data?.kind === "for_reading") return <ForReading />;
  if (list.isPending) return <Skeleton className="h-12 w-full" />;
  const sign: Sign = { isPending: signing.isPending, error: signing.error, begin: () => signing.mutate() };
  if (log === undefined)
    return (
      <>
        <FormNames form={form} isTitled />
        <NotBegun hasNewest={hasNewest} sign={sign} />
      </>
    );
  const signed = list.data?.kind === "checked" ? list.data.list : undefined;
  return (
    <>
      <FormNames form={form} isTitled />
      <Signers
        isSaid={isSaid}
        role={roleIn(log, context.own.signingKey)}
        sign={sign}
        signers={compareSigners(log, signed, context.own.signingKey)}
      />
    </>
  );
}

type LogRole = "owner" | "manager" | "nobody";

function roleIn({ entry }: VerifiedKeyLog, own: string): LogRole {
  if (entry.owners.includes(own)) return "owner";
  return entry.managers.includes(own) ? "manager" : "nobody";
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
  role,
  isSaid,
  sign,
}: {
  readonly signers: ReturnType<typeof compareSigners>;
  readonly role: LogRole;
  readonly isSaid: boolean;
  readonly sign: Sign;
}) {
  const { outdated, outdatedUnknown, missing, missingManagers } = signers;
  const renew = role === "owner" && (
    <Button onClick={sign.begin} pending={sign.isPending} small>
      {texts.renew}
    </Button>
  );
  const late = [...missing, ...missingManagers];
  return (
    <>
      <p>
        {texts.signers(signers.owners, signers.managers, signers.unknown)} {!isSaid && texts.snippets}
      </p>
      {role === "manager" && <p className="text-muted">{texts.managerSigns}</p>}
      {role === "nobody" && <Notice>{texts.notSigner}</Notice>}
      {outdated.length > 0 && (
        <Notice action={renew} title={texts.outdated(outdated, outdatedUnknown)} tone="warning">
          {texts.outdatedHint}
        </Notice>
      )}
      {outdated.length === 0 && late.length > 0 && (
        <Notice action={renew} title={texts.missing(late)}>
          {texts.missingHint}
        </Notice>
      )}
      {outdated.length + late.length === 0 && outdatedUnknown > 0 && <div>{renew}</div>}
      {sign.error !== null && <ErrorNotice error={sign.error} what={texts.failed} />}
    </>
  );
}
