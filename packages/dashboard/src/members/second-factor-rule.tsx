import type { Member } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../api/client.ts";
import { serviceNow } from "../api/service-clock.ts";
import { parseDay, toDay } from "../browser/day.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { organizationsQuery, useMay, useMembership } from "../organization/membership.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { formatDate } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";

const { secondFactorRule: texts } = text;

const dayMilliseconds = 86_400_000;

/** Whether, and from when, the organization requires a second factor of its members. For owners. */
export function SecondFactorRule({ members }: { readonly members: readonly Member[] }) {
  const may = useMay();
  const queryClient = useQueryClient();
  const { data } = useQuery(organizationsQuery);
  const from = useMembership()?.secondFactorRequiredFrom ?? null;
  const [isAsking, setIsAsking] = useState(false);
  const saving = useMutation({
    mutationFn: (next: number | null) => withFreshSession(() => client.organizations.requireSecondFactor(next)),
    onSuccess: async () => {
      setIsAsking(false);
      await queryClient.invalidateQueries(organizationsQuery);
    },
  });
  if (!may("setSecondFactorRule")) return null;
  const lacking = members.filter(({ secondFactor }) => !secondFactor).length;
  return (
    <Section intro={texts.intro} title={texts.title}>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <p>
          {describe(from)} {from !== null && lacking > 0 && texts.lacking(lacking)}
        </p>
        <div className="flex flex-wrap gap-2">
          {from !== null && (
            <Button onClick={() => saving.mutate(null)} pending={saving.isPending}>
              {texts.stop}
            </Button>
          )}
          {data?.secondFactor === true && (
            <Button onClick={() => setIsAsking(true)}>{from === null ? texts.require : texts.change}</Button>
          )}
        </div>
      </div>
      {saving.isError && !isAsking && <ErrorNotice error={saving.error} />}
      {data?.secondFactor === false && (
        <Notice
          action={
            <Link className={buttonClass()} hash="second-factor" to="/account">
              {texts.toAccount}
            </Link>
          }
        >
          {texts.ownFirst}
        </Notice>
      )}
      <p className="sr-only" role="status">
        {saving.isSuccess && texts.saved}
      </p>
      {isAsking && <AskDay from={from} onClose={() => setIsAsking(false)} save={saving.mutateAsync} />}
    </Section>
  );
}

/** From which day on it is required. */
function AskDay({
  from,
  save,
  onClose,
}: {
  readonly from: number | null;
  readonly save: (day: number) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const fields = useFields({
    initial: { from: toDay(from ?? serviceNow() + 14 * dayMilliseconds) },
    send: async (typed) => {
      const day = parseDay(typed.from);
      if (day !== null) await save(day); // the field is required; null would end the rule
    },
  });
  return (
    <FormDialog action={texts.save} fields={fields} onClose={onClose} title={texts.dialogTitle}>
      <p>{texts.dialogIntro}</p>
      <TextField
        {...fields.text("from")}
        className="max-w-60"
        data-focus
        hint={texts.dateHint}
        label={texts.date}
        max={toDay(serviceNow() + 365 * dayMilliseconds)}
        min={toDay(Math.min(from ?? serviceNow(), serviceNow()))}
        required
        type="date"
      />
    </FormDialog>
  );
}

function describe(from: number | null): string {
  if (from === null) return texts.off;
  return from <= serviceNow() ? texts.since(formatDate(from)) : texts.from(formatDate(from));
}
