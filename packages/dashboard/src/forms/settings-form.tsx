import type { Form } from "@sealpost/sdk";
import { Link } from "@tanstack/react-router";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import type { Fields } from "../form-kit/use-fields.ts";
import { Editable } from "../organization/editable.tsx";
import { useMay } from "../organization/membership.ts";
import { useHasPage } from "../organization/page-offers.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { SwitchField, TextArea, TextField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { CheckIcon } from "../ui/icons.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { PiiSettings } from "./pii-settings.tsx";
import { type SettingsValues, useSettings } from "./use-settings.ts";

export function SettingsForm({ form }: { readonly form: Form }) {
  const { fields, originsError } = useSettings(form);
  const may = useMay();
  const hasPage = useHasPage();
  const texts = text.settings;
  return (
    <Section intro={texts.intro} title={text.pages.settings}>
      <FieldsForm className="grid gap-6" fields={fields} isCheckedHere notice={null}>
        <TextField
          {...fields.text("name")}
          autoComplete="off"
          disabled={!may("createForm")}
          label={texts.name}
          maxLength={100}
          required
        />
        <Encryption fields={fields} form={form} />
        {/* Who decides how long an answer is kept decides what of it is kept. */}
        <Editable offer="setRetention">
          <PersonalData fields={fields} />
        </Editable>
        {hasPage("webhook") && (
          <p className="max-w-2xl text-muted">
            {texts.webhookElsewhere}{" "}
            <Link
              className="font-medium text-accent underline-offset-2 hover:underline"
              params={{ formId: form.id }}
              to="/forms/$formId/webhook"
            >
              {texts.webhookLink}
            </Link>
          </p>
        )}
        <TextArea
          {...fields.text("allowedOrigins")}
          autoComplete="off"
          className="min-h-24 font-mono text-sm"
          error={originsError}
          hint={texts.allowedOriginsHint}
          label={texts.allowedOrigins}
          spellCheck={false}
        />
        {fields.isElsewhere && fields.error !== null && <ErrorNotice error={fields.error} />}
        <SaveBar fields={fields} />
      </FieldsForm>
    </Section>
  );
}

interface PartProps {
  readonly fields: Fields<SettingsValues>;
}

function Encryption({ fields, form: { settings } }: PartProps & { readonly form: Form }) {
  const maySeal = useMay()("rotateFormKeys");
  const texts = text.settings;
  const { webhookUrl } = settings;
  return (
    <>
      <SwitchField
        {...fields.toggle("encryption")}
        // Without sealing, a developer could read what comes.
        disabled={settings.encryption && !maySeal}
        hint={texts.encryptionHint}
        label={texts.encryption}
      />
      {!fields.values.encryption && settings.encryption && (
        <Notice tone="warning">
          {texts.encryptionOff} {webhookUrl !== null && texts.encryptionOffWebhook(webhookUrl)}
        </Notice>
      )}
    </>
  );
}

function PersonalData({ fields }: PartProps) {
  const texts = text.settings;
  const { piiStrip, country, piiTypes } = fields.values;
  return (
    <>
      <SwitchField
        {...fields.toggle("piiStrip")}
        hint={
          <>
            {texts.piiStripHint} <HelpLink page="personalData">{texts.piiStripLink}</HelpLink>
          </>
        }
        label={texts.piiStrip}
      />
      {piiStrip && (
        <PiiSettings
          isRefused={fields.errorAt("piiTypes") !== undefined}
          onChange={(next) => {
            fields.set("country", next.country);
            fields.set("piiTypes", next.piiTypes);
          }}
          value={{ country, piiTypes }}
        />
      )}
    </>
  );
}

/** Switches take effect only here: as long as they have not, the button is in sight wherever the page is scrolled. */
function SaveBar({ fields }: PartProps) {
  const { isChanged, isPending, isSent, shown } = fields;
  const texts = text.settings;
  return (
    <div
      className={`-mx-5 -mb-5 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-b-xl bg-surface px-5 py-3 sm:-mx-6 sm:-mb-6 sm:px-6 sm:py-4 ${isChanged ? "border-line tall:sticky tall:bottom-0 border-t" : ""}`}
    >
      <Button look="primary" pending={isPending} type="submit">
        {texts.save}
      </Button>
      {shown.past.length + shown.future.length > 0 && (
        <div className="flex gap-2">
          <Button aria-disabled={shown.past.length === 0} look="quiet" mayRepeat onClick={fields.undo}>
            {text.common.undo}
          </Button>
          <Button aria-disabled={shown.future.length === 0} look="quiet" mayRepeat onClick={fields.redo}>
            {text.common.redo}
          </Button>
        </div>
      )}
      <p
        className={`flex items-center gap-2 empty:absolute ${isChanged ? "text-warning" : "text-accent"}`}
        role="status"
      >
        {isChanged && texts.unsaved}
        {!isChanged && isSent && (
          <>
            <CheckIcon />
            {texts.saved}
          </>
        )}
      </p>
    </div>
  );
}
