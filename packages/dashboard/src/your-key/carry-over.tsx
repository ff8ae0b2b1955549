import type { Member } from "@sealpost/envelope";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { isReadable } from "../envelopes/load-list.ts";
import { findBroughtIn, loadListToSignOver, type SignedOver, signOver } from "../envelopes/sign-over.ts";
import { useAllForms } from "../organization/member-queries.ts";
import { useMembership } from "../organization/membership.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { ListRefused } from "../readers/refusal-notice.tsx";
import { SweepProgress } from "../readers/sweep-progress.tsx";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { AskBroughtIn, AskPutReaders, RatherAsk } from "./brought-in.tsx";
import { focusFormerKeys } from "./former-section.tsx";

const { personalKeyReplaced } = text;

const texts = personalKeyReplaced.carryOver;

/** Carries a new key into the organization's list and the forms' envelopes. Everything is as it was before, or done; never in between for long. */
export function CarryOver() {
  const context = useEnvelopeContext();
  const membership = useMembership();
  if (context === undefined || membership === undefined) return null;
  return <InOrganization context={context} key={context.organizationId} name={membership.name} />;
}

function InOrganization({ context, name }: { readonly context: EnvelopeContext; readonly name: string }) {
  const queryClient = useQueryClient();
  const { forms, isComplete, error } = useAllForms();
  const queryKey = ["carry-over", context.organizationId, context.own.signingKey];
  const list = useQuery({
    queryKey,
    queryFn: async () => ({ loaded: await loadListToSignOver(context), broughtIn: await findBroughtIn(context) }),
  });
  const [answered, setAnswered] = useState<SignedOver>();
  const carrying = useMutation({
    mutationFn: () => signOver(context),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
  if (list.isLoadingError) return <ErrorNotice error={list.error} onRetry={() => list.refetch()} />;
  const data = list.data?.loaded;
  // Without a list, or where it does not name the person, there is nothing to carry over.
  if (data === undefined || data.kind === "none" || (data.kind === "stranger" && !data.isNamed)) return null;
  if (data.kind === "stranger") return <NothingSeen admitters={data.admitters} isOwner={context.isOwner} name={name} />;
  const isOther = data.kind === "refused" && data.reason === "own_key_differs";
  const outcome = answered ?? carrying.data;
  const { broughtIn = { rows: [], colleagues: [] } } = list.data ?? {};
  const isDone = outcome !== undefined && isReadable(outcome) && isComplete;
  return (
    <Section intro={texts.intro(name)} title={texts.title}>
      <div className="grid gap-4">
        {isOther && outcome === undefined && <Notice tone="warning">{texts.listHasFormer}</Notice>}
        {carrying.isError && <ErrorNotice error={carrying.error} />}
        {error !== null && <ErrorNotice error={error} />}
        {outcome?.kind === "no_former_key" ? (
          <Notice role="alert" title={texts.noFormerKey} tone="warning">
            {texts.noFormerKeyHint} <HelpLink page="personalKey">{texts.more}</HelpLink>
          </Notice>
        ) : (
          outcome !== undefined &&
          outcome.kind !== "checked" &&
          !isOnlyForReader(outcome) && <ListRefused list={outcome} />
        )}
        {data.kind === "refused" && !isOther && outcome === undefined && <ListRefused list={data} />}
        {outcome === undefined && <RatherAsk colleagues={broughtIn.colleagues} />}
        {outcome === undefined && broughtIn.rows.length > 0 && (
          <AskBroughtIn
            broughtIn={broughtIn}
            context={context}
            key={broughtIn.rows.map(({ member }) => member.id).join(" ")}
            onCarried={setAnswered}
          />
        )}
        {!isDone && !(outcome === undefined && broughtIn.rows.length > 0) && (
          <div>
            <Button look="primary" onClick={() => carrying.mutate()} pending={carrying.isPending}>
              {texts.action}
            </Button>
          </div>
        )}
        {isDone && <Carried context={context} forms={forms} outcome={outcome} />}
      </div>
    </Section>
  );
}

/** The new key is in the list: what is left to do for the forms. */
function Carried({
  context,
  forms,
  outcome,
}: {
  readonly context: EnvelopeContext;
  readonly forms: ReturnType<typeof useAllForms>["forms"];
  readonly outcome: Extract<SignedOver, { readonly list: unknown }>;
}) {
  return (
    <>
      <p role="status">{texts.inList}</p>
      {outcome.kind === "checked" && isWriter(outcome.own) ? (
        <>
          <AskPutReaders context={context} forms={forms} list={outcome}>
            {(said) => (
              <SweepProgress
                change={{ add: [outcome.own.id], remove: [], ...(said && { said }) }}
                context={context}
                forms={forms}
              />
            )}
          </AskPutReaders>
          <p>{texts.rotate}</p>
        </>
      ) : (
        !isWriter(outcome.own) && (
          <>
            <p>{texts.onlyReads([...outcome.list.members.values()].filter(isWriter).map(shownName))}</p>
            <p>{texts.askToRotate}</p>
          </>
        )
      )}
    </>
  );
}

/** Somebody who only reads misses nothing by it. */
function isOnlyForReader(list: SignedOver): boolean {
  return list.kind === "for_reading" && !isWriter(list.own);
}

export function isWriter({ role }: Pick<Member, "role">): boolean {
  return role === "owner" || role === "manager";
}

/**
 * A device that has seen neither the list nor the former key. That the former one travels along, sealed for this one, proves nothing: anyone can seal
 * a key of theirs for it, and write a list with that. So the device signs nothing, and says which ways there are.
 */
function NothingSeen({
  name,
  admitters,
  isOwner,
}: {
  readonly name: string;
  readonly admitters: readonly string[];
  readonly isOwner: boolean;
}) {
  const { nothingSeen } = texts;
  return (
    <Section title={texts.title}>
      <Notice role="alert" title={nothingSeen.title(name)} tone="warning">
        <p>
          {nothingSeen.hint} <HelpLink page="personalKey">{texts.more}</HelpLink>
        </p>
        <ul className="my-2 grid list-disc gap-2 pl-5">
          <li>{nothingSeen.otherBrowser}</li>
          <li>{nothingSeen.bringBack}</li>
          <li>{nothingSeen.bringIn(admitters)}</li>
          {isOwner && <li>{nothingSeen.recovery}</li>}
        </ul>
        <div className="flex flex-wrap items-center gap-3">
          <Button onClick={focusFormerKeys} small>
            {nothingSeen.toFormerKeys}
          </Button>
          {isOwner && (
            <Link className={buttonClass("secondary", true)} to="/recovery/use">
              {nothingSeen.toRecovery}
            </Link>
          )}
        </div>
      </Notice>
    </Section>
  );
}
