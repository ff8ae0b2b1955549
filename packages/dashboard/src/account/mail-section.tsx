import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { SwitchField } from "../ui/field.tsx";
import { MailSwitch } from "../ui/mail-switch.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Awaited } from "../ui/page.tsx";

/** Whether emails notify of the account's forms. */
export function MailSection() {
  const query = queries.accountNotifications();
  const { data, isPending } = useQuery(query);
  const queryClient = useQueryClient();
  const savingStorage = useMutation({
    mutationFn: (storage: boolean) => client.notifications.set({ mail: data?.mail ?? true, storage }),
    onSuccess: (saved) => queryClient.setQueryData(query.queryKey, saved),
  });
  if (isPending) return <Awaited />;
  return (
    <MailSwitch
      hint={text.settings.mailAccountSwitchHint}
      label={text.settings.mailAccountSwitch}
      queryKey={query.queryKey}
      save={(mail) => client.notifications.set({ mail })}
      settings={data}
    >
      {data?.mail === true && (
        <SwitchField
          checked={savingStorage.isPending ? savingStorage.variables : data.storage}
          disabled={savingStorage.isPending}
          hint={text.settings.mailStorageSwitchHint}
          label={text.settings.mailStorageSwitch}
          onChange={(storage) => savingStorage.mutate(storage)}
        />
      )}
      {savingStorage.isError && <ErrorNotice error={savingStorage.error} />}
    </MailSwitch>
  );
}
