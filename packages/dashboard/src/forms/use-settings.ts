import type { Form } from "@sealpost/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { type FieldState, listChanged } from "../form-kit/field-state.ts";
import { type Fields, useFields } from "../form-kit/use-fields.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { nameWrongOrigins, parseOrigins } from "./origins.ts";

type Settings = Form["settings"];

/** Values of the settings in their fields, by the paths that they have in the request. */
export interface SettingsValues extends Pick<Settings, "encryption" | "piiStrip" | "country" | "piiTypes"> {
  readonly name: string;
  /** In the field: any number in a line. */
  readonly allowedOrigins: string;
}

interface EditedSettings {
  readonly fields: Fields<SettingsValues>;
  readonly originsError: string | undefined;
}

/** The form of a form's settings, which are saved together. */
export function useSettings(form: Form): EditedSettings {
  const queryClient = useQueryClient();
  const { webhookUrl, ...settings } = form.settings;
  const fields: Fields<SettingsValues> = useFields<SettingsValues>({
    initial: {
      name: form.name,
      encryption: settings.encryption,
      piiStrip: settings.piiStrip,
      country: settings.country,
      piiTypes: settings.piiTypes,
      allowedOrigins: settings.allowedOrigins.join("\n"),
    },
    follows: true,
    taken: "name",
    canUndo: true,
    leave: text.settings.leave,
    send: async (values) => {
      const body = changesOf({ ...fields.shown, values }, webhookUrl);
      await withFreshSession(() => client.forms.update(form.id, body));
    },
    onSaved: async () => {
      await queryClient.invalidateQueries(queries.form(form.id));
      await queryClient.invalidateQueries({ queryKey: ["forms"] });
    },
  });
  const sent = parseOrigins(fields.sent?.allowedOrigins ?? "");
  const mistake = fields.errorAt("allowedOrigins");
  return { fields, originsError: mistake && (nameWrongOrigins(sent, fields.error) ?? mistake) };
}

/** Only what was changed here: what somebody saved meanwhile in another tab, such as a webhook address, stays. */
function changesOf(shown: Pick<FieldState<SettingsValues>, "values" | "saved" | "unsure">, webhookUrl: string | null) {
  const { values } = shown;
  const { name, allowedOrigins, ...switches } = values;
  const changed = new Set<string>(listChanged(shown));
  const settings: Partial<Settings> = { ...switches, allowedOrigins: parseOrigins(allowedOrigins) };
  return {
    ...(changed.has("name") && { name }),
    settings: {
      ...Object.fromEntries(Object.entries(settings).filter(([path]) => changed.has(path))),
      // The address is named below: who saves agrees to it, also where a developer chose it.
      ...(changed.has("encryption") && !values.encryption && webhookUrl !== null && { webhookUrl }),
    },
  };
}
