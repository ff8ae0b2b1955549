import { isVouchedBy } from "@sealpost/envelope";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { loadList } from "../envelopes/load-list.ts";
import { signOver } from "../envelopes/sign-over.ts";
import { useMembership } from "../organization/membership.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { ListRefused } from "../readers/refusal-notice.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { isWriter } from "./carry-over.tsx";

const { personalKeyReplaced } = text;

const texts = personalKeyReplaced.signOnce;

/** For an owner or a manager whose key has signed nothing in the list yet: their next device would have the list for reading alone. */
export function SignListOnce() {
  const context = useEnvelopeContext();
  const membership = useMembership();
  if (context === undefined || membership === undefined) return null;
  return <InOrganization context={context} key={context.organizationId} name={membership.name} />;
}

function InOrganization({ context, name }: { readonly context: EnvelopeContext; readonly name: string }) {
  const queryClient = useQueryClient();
  const queryKey = ["sign-once", context.organizationId, context.own.signingKey];
  const { data: isMissing } = useQuery({ queryKey, queryFn: () => hasSignedNothing(context), gcTime: 0 });
  const signing = useMutation({
    mutationFn: () => signOver(context),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
  const outcome = signing.data;
  if (!isMissing && outcome?.kind !== "checked") return null;
  return (
    <Section intro={texts.intro(name)} title={texts.title}>
      <div className="grid gap-4" role="status">
        {outcome?.kind === "checked" && <Notice tone="good">{texts.done}</Notice>}
        {outcome !== undefined && outcome.kind !== "checked" && outcome.kind !== "no_former_key" && (
          <ListRefused list={outcome} />
        )}
        {signing.isError && <ErrorNotice error={signing.error} />}
        {outcome?.kind !== "checked" && (
          <p>
            {texts.hint} <HelpLink page="listForReading">{texts.more}</HelpLink>
          </p>
        )}
      </div>
      {outcome?.kind !== "checked" && (
        <Button className="mt-4" onClick={() => signing.mutate()} pending={signing.isPending}>
          {texts.action}
        </Button>
      )}
    </Section>
  );
}

async function hasSignedNothing(context: EnvelopeContext): Promise<boolean> {
  const loaded = await loadList(context);
  return loaded.kind === "checked" && isWriter(loaded.own) && !isVouchedBy(loaded.list, context.own.signingKey);
}
