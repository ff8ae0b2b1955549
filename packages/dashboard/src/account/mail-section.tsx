import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { MailSwitch } from "../ui/mail-switch.tsx";

/** Whether emails notify of the account's forms. */
export function MailSection() {
  const query = queries.accountNotifications();
  const { data } = useQuery(query);
  return (
    <MailSwitch
      hint={text.settings.mailAccountSwitchHint}
      label={text.settings.mailAccountSwitch}
      queryKey={query.queryKey}
      save={(mail) => client.notifications.set({ mail })}
      settings={data}
    />
  );
}
