import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { text } from "../texts/text.ts";
import { SwitchField } from "./field.tsx";
import { ErrorNotice } from "./notice.tsx";
import { Section } from "./page.tsx";

interface MailSettings {
  readonly mail: boolean;
  /** Whether the instance sends emails at all. */
  readonly available: boolean;
}

interface MailSwitchProps<Settings extends MailSettings> {
  readonly settings: Settings | undefined;
  readonly queryKey: readonly unknown[];
  readonly save: (mail: boolean) => Promise<Settings>;
  readonly label: string;
  readonly hint: string;
  /** Further switches. */
  readonly children?: ReactNode;
}

/** The switch for emails. Not shown on an instance that sends none. */
export function MailSwitch<Settings extends MailSettings>(props: MailSwitchProps<Settings>) {
  const { settings, queryKey, save, label, hint, children } = props;
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: save,
    onSuccess: (saved) => queryClient.setQueryData(queryKey, saved),
  });
  if (settings?.available !== true) return null;
  return (
    <Section intro={text.settings.mailIntro} title={text.settings.mailTitle}>
      <div className="grid gap-4">
        {saving.isError && <ErrorNotice error={saving.error} />}
        <SwitchField
          checked={saving.isPending ? saving.variables : settings.mail}
          disabled={saving.isPending}
          hint={hint}
          label={label}
          onChange={(mail) => saving.mutate(mail)}
        />
        {children}
      </div>
    </Section>
  );
}
