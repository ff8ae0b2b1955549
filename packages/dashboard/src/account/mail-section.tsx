import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { SwitchField } from "../ui/field.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";

/** Whether mails tell of the account's forms. Not there on an instance that sends none. */
export function MailSection() {
  const query = queries.accountNotifications();
  const { data } = useQuery(query);
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: (mail: boolean) => client.notifications.set({ mail }),
    onSuccess: (saved) => queryClient.setQueryData(query.queryKey, saved),
  });
  const texts = text.settings;
  if (data?.available !== true) return null;
  return (
    <Section intro={texts.mailIntro} title={texts.mailTitle}>
      <div className="grid gap-4">
        {saving.isError && <ErrorNotice error={saving.error} />}
        <SwitchField
          checked={saving.isPending ? saving.variables : data.mail}
          disabled={saving.isPending}
          hint={texts.mailAccountSwitchHint}
          label={texts.mailAccountSwitch}
          onChange={(mail) => saving.mutate(mail)}
        />
      </div>
    </Section>
  );
}
