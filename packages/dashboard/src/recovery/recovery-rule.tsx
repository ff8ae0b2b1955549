import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { organizationsQuery, useMay, useMembership } from "../organization/membership.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";

const { recovery } = text;

const texts = recovery.rule;

/** Whether the organization wants a recovery key. For owners. */
export function RecoveryRule({ hasKey }: { readonly hasKey: boolean }) {
  const may = useMay();
  const queryClient = useQueryClient();
  const isRequired = useMembership()?.requireRecovery === true;
  const saving = useMutation({
    mutationFn: (next: boolean) => withFreshSession(() => client.organizations.requireRecovery(next)),
    onSuccess: () => queryClient.invalidateQueries(organizationsQuery),
  });
  if (!may("setRecoveryRule")) return null;
  return (
    <Section intro={texts.intro} title={texts.title}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p role="status">{isRequired ? texts.on : hasKey ? texts.off : texts.offWithout}</p>
        <Button onClick={() => saving.mutate(!isRequired)} pending={saving.isPending}>
          {isRequired ? texts.stop : texts.require}
        </Button>
      </div>
      {saving.isError && <ErrorNotice error={saving.error} />}
    </Section>
  );
}
