import { useForm } from "../form/form-frame.tsx";
import { Editable } from "../organization/editable.tsx";
import { useMay } from "../organization/membership.ts";
import { text } from "../texts/text.ts";
import { Notice } from "../ui/notice.tsx";
import { useTitle } from "../ui/page.tsx";
import { LimitsSection } from "../usage/limits-section.tsx";
import { BinSection } from "./bin-section.tsx";
import { DeleteForm } from "./delete-form.tsx";
import { HandOverSection } from "./hand-over.tsx";
import { HoldSection } from "./hold-section.tsx";
import { NotificationSection } from "./notification-section.tsx";
import { RetentionSection } from "./retention-section.tsx";
import { SettingsForm } from "./settings-form.tsx";

export function SettingsPage() {
  const form = useForm();
  const may = useMay();
  useTitle(form.name);
  return (
    <div className="in-order mx-auto grid max-w-3xl gap-5">
      {!may("setRetention") && (
        <Notice>{may("updateForm") ? text.settings.forDevelopers : text.settings.forReading}</Notice>
      )}
      <Editable offer="updateForm">
        <SettingsForm form={form} />
      </Editable>
      <Editable offer="setNotifications">
        <NotificationSection form={form} />
      </Editable>
      <Editable offer="setRetention">
        <RetentionSection form={form} />
        <BinSection form={form} />
      </Editable>
      <Editable offer="updateForm">
        <LimitsSection form={form} />
      </Editable>
      <HoldSection form={form} />
      <HandOverSection form={form} />
      {may("deleteForm") && form.hold === undefined && <DeleteForm form={form} />}
    </div>
  );
}
