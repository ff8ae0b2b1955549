import type { Form } from "@sealpost/sdk";
import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { MailSwitch } from "../ui/mail-switch.tsx";
import { Awaited } from "../ui/page.tsx";

/** Whether emails notify of the form. */
export function NotificationSection({ form }: { readonly form: Form }) {
  const query = queries.notifications(form.id);
  const { data, isPending } = useQuery(query);
  if (isPending) return <Awaited />;
  return (
    <MailSwitch
      hint={text.settings.mailSwitchHint}
      label={text.settings.mailSwitch}
      queryKey={query.queryKey}
      save={(mail) => client.forms.setNotifications(form.id, { mail })}
      settings={data}
    />
  );
}
