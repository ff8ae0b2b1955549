import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { ListRefused } from "../envelopes/refusal-notice.tsx";
import { loadListToSignOver, signOver } from "../envelopes/sign-over.ts";
import { SweepProgress } from "../envelopes/sweep-progress.tsx";
import { useEnvelopeContext } from "../envelopes/use-envelope-context.ts";
import { useAllForms } from "../members/member-queries.ts";
import { useMembership } from "../members/membership.ts";
import { personalKeyReplaced } from "../texts/english/personal-key-replaced.ts";
import { Button } from "../ui/button.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";

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
  const { forms, isComplete } = useAllForms();
  const queryKey = ["carry-over", context.organizationId, context.own.signingKey];
  const list = useQuery({ queryKey, queryFn: () => loadListToSignOver(context) });
  const carrying = useMutation({
    mutationFn: () => signOver(context),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
  if (list.isError) return <ErrorNotice error={list.error} onRetry={() => list.refetch()} />;
  const { data } = list;
  // Without a list, or in it as nobody, there is nothing to carry over.
  if (data === undefined || data.kind === "none" || data.kind === "stranger") return null;
  const isOther = data.kind === "refused" && data.reason === "own_key_differs";
  const outcome = carrying.data;
  return (
    <Section intro={texts.intro(name)} title={texts.title}>
      <div className="grid gap-4">
        {isOther && outcome === undefined && <Notice tone="warning">{texts.listHasFormer}</Notice>}
        {carrying.isError && <ErrorNotice error={carrying.error} />}
        {outcome?.kind === "no_former_key" ? (
          <Notice role="alert" title={texts.noFormerKey} tone="warning">
            {texts.noFormerKeyHint} <HelpLink page="personalKey">{texts.more}</HelpLink>
          </Notice>
        ) : (
          outcome !== undefined && outcome.kind !== "checked" && <ListRefused list={outcome} />
        )}
        {data.kind === "refused" && !isOther && outcome === undefined && <ListRefused list={data} />}
        {outcome?.kind !== "checked" || !isComplete ? (
          <div>
            <Button look="primary" onClick={() => carrying.mutate()} pending={carrying.isPending}>
              {texts.action}
            </Button>
          </div>
        ) : (
          <>
            <p role="status">{texts.inList}</p>
            <SweepProgress change={{ add: [context.personId], remove: [] }} context={context} forms={forms} />
            <p>{texts.rotate}</p>
          </>
        )}
      </div>
    </Section>
  );
}
