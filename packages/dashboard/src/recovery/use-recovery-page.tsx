import { deriveRecoveryKey, type SigningKeys } from "@sealpost/envelope";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { ListRefused } from "../readers/refusal-notice.tsx";
import { WithOpenKey } from "../readers/with-open-key.tsx";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge, PageHeader } from "../ui/page.tsx";
import { Step, StepButtons } from "../ui/steps.tsx";
import { ConfirmFirst } from "./confirm-first.tsx";
import { becomeOwner, checkRecovery, type RecoveryCheck, withRecoveryKey } from "./recover.ts";
import { SheetsInput } from "./sheets-input.tsx";
import { SweepAll } from "./sweep-all.tsx";

const { recovery } = text;

const texts = recovery.use;

/** An owner whose key the list does not know brings the organization's recovery sheets, and reads all forms again. */
export function UseRecoveryPage() {
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader intro={texts.intro} title={text.pages.useRecovery} />
      <WithOpenKey>
        {(context) =>
          context.isOwner ? <UseRecovery context={context} /> : <Notice title={texts.owners}>{texts.ownersHint}</Notice>
        }
      </WithOpenKey>
    </div>
  );
}

function UseRecovery({ context }: { readonly context: EnvelopeContext }) {
  const [key, setKey] = useState<SigningKeys>();
  const [check, setCheck] = useState<RecoveryCheck>();
  const [isOwner, setIsOwner] = useState(false);
  const [isThrough, setIsThrough] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const checking = useMutation({
    mutationFn: async (identity: string) => {
      const derived = await deriveRecoveryKey(identity);
      return { derived, result: await checkRecovery(context, derived) };
    },
    meta: { changesNothing: true },
    onSuccess: ({ derived, result }) => {
      setRefusal(result.kind === "refused" ? texts.refused[result.reason] : undefined);
      if (result.kind !== "ready") return;
      setKey(derived);
      setCheck(result);
      setIsOwner(result.isOwner);
    },
    gcTime: 0,
  });
  const sweeping = useMemo(() => key && withRecoveryKey(context, key), [context, key]);
  return (
    <div className="card p-5 sm:p-7">
      {(key === undefined || check === undefined || sweeping === undefined) && (
        <Step intro={texts.bringIntro} title={texts.bring}>
          {checking.isError && (
            <ErrorNotice error={checking.error} onRetry={() => checking.mutate(checking.variables)} />
          )}
          <SheetsInput
            action={text.common.next}
            isPending={checking.isPending}
            onKey={(identity) => checking.mutate(identity)}
            refusal={refusal}
          />
        </Step>
      )}
      {key !== undefined && check !== undefined && !isOwner && (
        <BecomeOwner check={check} context={context} onDone={() => setIsOwner(true)} recoveryKey={key} />
      )}
      {key !== undefined && sweeping !== undefined && isOwner && (
        <Step intro={texts.doneIntro} title={texts.done}>
          <ConfirmFirst context={context} held={key.recipient}>
            <SweepAll context={sweeping} isStarted onDone={() => setIsThrough(true)} />
          </ConfirmFirst>
          {isThrough && (
            <>
              <p>{texts.rotate}</p>
              <div>
                <Link className={buttonClass("primary")} to="/">
                  {texts.toForms}
                </Link>
              </div>
            </>
          )}
        </Step>
      )}
    </div>
  );
}

function BecomeOwner({
  context,
  check,
  recoveryKey,
  onDone,
}: {
  readonly context: EnvelopeContext;
  readonly check: RecoveryCheck;
  readonly recoveryKey: SigningKeys;
  readonly onDone: () => void;
}) {
  const becoming = useMutation({
    mutationFn: () => becomeOwner(context, recoveryKey, check),
    onSuccess: (list) => list.kind === "checked" && onDone(),
    gcTime: 0,
  });
  const [isKnown, setIsKnown] = useState(false);
  const owners = [...check.list.members.values()].filter(({ role }) => role === "owner").map(shownName);
  const list = becoming.data;
  return (
    <Step intro={texts.confirmIntro(owners)} title={texts.confirm}>
      {check.before !== undefined && <p>{texts.before(shownName(check.before))}</p>}
      <p>{texts.emails}</p>
      {check.isFirstSight && <ShownMembers check={check} isKnown={isKnown} onKnown={setIsKnown} />}
      {becoming.isError && <ErrorNotice error={becoming.error} />}
      {list !== undefined && list.kind !== "checked" && <ListRefused list={list} />}
      <StepButtons>
        <Button
          disabled={check.isFirstSight && !isKnown}
          look="primary"
          onClick={() => becoming.mutate()}
          pending={becoming.isPending}
        >
          {texts.become}
        </Button>
      </StepButtons>
    </Step>
  );
}

/** Everybody in a list that nothing but the paper vouches for, the owners first: asked about before anything is signed or sealed. */
function ShownMembers({
  check: { list },
  isKnown,
  onKnown,
}: {
  readonly check: RecoveryCheck;
  readonly isKnown: boolean;
  readonly onKnown: (isKnown: boolean) => void;
}) {
  const members = [...list.members.values()];
  const owners = members.filter(({ role }) => role === "owner");
  return (
    <section aria-label={texts.members} className="grid gap-3">
      <h3 className="font-semibold">{texts.members}</h3>
      <p className="text-muted">{texts.membersIntro}</p>
      <ul className="max-h-60 divide-y divide-line overflow-y-auto">
        {[...owners, ...members.filter(({ role }) => role !== "owner")].map((member) => (
          <li className="flex flex-wrap items-center gap-2.5 py-2" key={member.id}>
            <bdi className="min-w-0 wrap-anywhere">{shownName(member)}</bdi>
            <Badge>{text.readers.roles[member.role]}</Badge>
          </li>
        ))}
      </ul>
      <label className="flex items-start gap-3 py-1 pointer-coarse:min-h-11">
        <input checked={isKnown} className="mt-1" onChange={({ target }) => onKnown(target.checked)} type="checkbox" />
        <span>{texts.membersKnown}</span>
      </label>
      {!isKnown && <p className="text-muted text-sm">{texts.membersUnknown}</p>}
    </section>
  );
}
