import type { Form } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { useForm } from "../form/form-frame.tsx";
import { lockForm } from "../keys/keyring.ts";
import { Editable } from "../organization/editable.tsx";
import { useMay } from "../organization/membership.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { shorten } from "../texts/shorten.ts";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { SwitchField, TextArea, TextField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { CheckIcon } from "../ui/icons.tsx";
import { useLeaveGuard } from "../ui/leave-guard.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section, useTitle } from "../ui/page.tsx";
import { useErrorFocus, useFieldErrors } from "../ui/use-field-errors.ts";
import { LimitsSection } from "../usage/limits-section.tsx";
import { BinSection } from "./bin-section.tsx";
import { HandOverSection } from "./hand-over.tsx";
import { HoldSection } from "./hold-section.tsx";
import { NotificationSection } from "./notification-section.tsx";
import { PiiSettings, type PiiSettingsValue } from "./pii-settings.tsx";
import { RetentionSection } from "./retention-section.tsx";

export function SettingsPage() {
  const form = useForm();
  const may = useMay();
  useTitle(form.name);
  return (
    <div className="mx-auto grid max-w-3xl gap-5">
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

function SettingsForm({ form }: { readonly form: Form }) {
  const may = useMay();
  const maySeal = may("rotateFormKeys");
  const mayChange = may("updateForm");
  const [encryption, setEncryption] = useState(form.settings.encryption);
  const { webhookUrl } = form.settings;
  const [piiStrip, setPiiStrip] = useState(form.settings.piiStrip);
  const [pii, setPii] = useState<PiiSettingsValue>({
    country: form.settings.country,
    piiTypes: form.settings.piiTypes,
  });
  /** The fields' values when they were last shown or saved. */
  const [before, setBefore] = useState<FormContent>(form);
  const queryClient = useQueryClient();
  const texts = text.settings;
  const saving = useMutation({
    mutationFn: (body: Parameters<typeof client.forms.update>[1]) =>
      withFreshSession(() => client.forms.update(form.id, body)),
    onSuccess: async (_form, changes) => {
      setBefore({ name: changes.name ?? before.name, settings: { ...before.settings, ...changes.settings } });
      await queryClient.invalidateQueries(queries.form(form.id));
      await queryClient.invalidateQueries({ queryKey: ["forms"] });
    },
  });
  const fieldErrors = useFieldErrors(saving.error, ["name", "piiTypes", "allowedOrigins"], "name");
  const sentOrigins = saving.variables?.settings?.allowedOrigins ?? [];
  const originsError = nameWrongOrigins(sentOrigins, fieldErrors.at("allowedOrigins"));
  const fields = fieldErrors.form;
  const findChanges = () => {
    const data = new FormData(fields.current ?? undefined);
    const allowedOrigins = parseOrigins(String(data.get("allowedOrigins")));
    const settings = { ...before.settings, encryption, piiStrip, ...pii, allowedOrigins };
    const changes = changesSince(before, { name: String(data.get("name")), settings });
    // The address is named below: who saves agrees to it, also where a developer chose it.
    if (changes.settings.encryption === false && webhookUrl !== null)
      return { ...changes, settings: { ...changes.settings, webhookUrl } };
    return changes;
  };
  // Fields that are disabled have no values.
  const findIsChanged = () => mayChange && fields.current !== null && isChange(findChanges());
  const [isChanged, setIsChanged] = useState(false);
  useEffect(() => setIsChanged(findIsChanged()));
  const guard = useLeaveGuard(findIsChanged, texts.leave);
  return (
    <Section intro={texts.intro} title={text.pages.settings}>
      {guard.question}
      <form
        className="grid gap-6"
        noValidate
        onInput={() => setIsChanged(findIsChanged())}
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(findChanges());
        }}
        ref={fields}
      >
        <TextField
          autoComplete="off"
          defaultValue={form.name}
          error={fieldErrors.at("name")}
          label={texts.name}
          maxLength={100}
          name="name"
          required
        />
        <SwitchField
          checked={encryption}
          // Without sealing, a developer could read what comes.
          disabled={form.settings.encryption && !maySeal}
          hint={texts.encryptionHint}
          label={texts.encryption}
          onChange={setEncryption}
        />
        {!encryption && form.settings.encryption && (
          <Notice tone="warning">
            {texts.encryptionOff} {webhookUrl !== null && texts.encryptionOffWebhook(webhookUrl)}
          </Notice>
        )}
        <SwitchField
          checked={piiStrip}
          hint={
            <>
              {texts.piiStripHint} <HelpLink page="personalData">{texts.piiStripLink}</HelpLink>
            </>
          }
          label={texts.piiStrip}
          onChange={setPiiStrip}
        />
        {piiStrip && <PiiSettings onChange={setPii} isRefused={fieldErrors.at("piiTypes") !== undefined} value={pii} />}
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
        <TextArea
          autoComplete="off"
          className="min-h-24 font-mono text-sm"
          defaultValue={form.settings.allowedOrigins.join("\n")}
          error={originsError}
          hint={texts.allowedOriginsHint}
          label={texts.allowedOrigins}
          name="allowedOrigins"
          spellCheck={false}
        />
        {fieldErrors.isElsewhere && <ErrorNotice error={saving.error} />}
        {/* Switches take effect only here: as long as they have not, the button is in sight wherever the page is scrolled. */}
        <div
          className={`-mx-5 -mb-5 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-b-xl bg-surface px-5 py-3 sm:-mx-6 sm:-mb-6 sm:px-6 sm:py-4 ${isChanged ? "border-line tall:sticky tall:bottom-0 border-t" : ""}`}
        >
          <Button look="primary" pending={saving.isPending} type="submit">
            {texts.save}
          </Button>
          <p
            className={`flex items-center gap-2 empty:absolute ${isChanged ? "text-warning" : "text-accent"}`}
            role="status"
          >
            {isChanged && texts.unsaved}
            {!isChanged && saving.isSuccess && (
              <>
                <CheckIcon />
                {texts.saved}
              </>
            )}
          </p>
        </div>
      </form>
    </Section>
  );
}

/** One per word. The slash that browsers put after an address when it is copied is no path. */
/** The service names wrong entries of a list by their numbers, those with the same error together. */
function nameWrongOrigins(sent: readonly string[], error: string | undefined): string | undefined {
  if (error === undefined) return undefined;
  const groups = error.matchAll(/Entr(?:y|ies) (\d+(?:, \d+)*): (.*?)(?=; Entr(?:y|ies) \d|$)/gs);
  const named = Array.from(groups, ([, numbers = "", message = ""]) => {
    const wrong = numbers.split(", ").map((number) => sent.at(Number(number) - 1) ?? "");
    // A whole document may have been pasted by mistake.
    return text.settings.wrongOrigins(
      wrong.map((origin) => shorten(origin, 60)),
      message,
    );
  });
  return named.length === 0 ? error : named.join(" ");
}

function parseOrigins(typed: string): string[] {
  return typed
    .split(/[\s,]+/)
    .filter((origin) => origin !== "")
    .map((origin) => origin.replace(/^(https?:\/\/[^/]+)\/$/i, "$1"));
}

type FormContent = Pick<Form, "name" | "settings">;

/** Only what was changed here: what somebody saved meanwhile in another tab, such as a webhook address, stays. */
function changesSince(before: FormContent, { name, settings }: FormContent) {
  const changed = Object.entries(settings).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(before.settings, key)),
  );
  return { ...(name !== before.name && { name }), settings: Object.fromEntries(changed) };
}

function isChange({ settings, ...rest }: ReturnType<typeof changesSince>): boolean {
  return Object.keys(rest).length > 0 || Object.keys(settings).length > 0;
}

function DeleteForm({ form }: { readonly form: Form }) {
  const [isAsking, setIsAsking] = useState(false);
  const { data: inBin = 0 } = useQuery(queries.binTotal(form.id));
  const texts = text.settings;
  return (
    <Section intro={texts.deleteIntro(form.submissionCount, inBin)} title={texts.deleteTitle} tone="danger">
      <Button look="danger" onClick={() => setIsAsking(true)}>
        {texts.deleteButton}
      </Button>
      {isAsking && <ConfirmDelete form={form} inBin={inBin} onClose={() => setIsAsking(false)} />}
    </Section>
  );
}

function ConfirmDelete({
  form,
  inBin,
  onClose,
}: {
  readonly form: Form;
  readonly inBin: number;
  readonly onClose: () => void;
}) {
  const [mistake, setMistake] = useState<{ readonly typed: string } | null>(null);
  const field = useErrorFocus(mistake);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const texts = text.settings;
  const deleting = useMutation({
    mutationFn: () => client.forms.delete(form.id),
    onSuccess: async () => {
      await lockForm(form.id);
      await navigate({ to: "/", ignoreBlocker: true });
      queryClient.removeQueries({ queryKey: ["form", form.id] });
      await queryClient.invalidateQueries({ queryKey: ["forms"] });
    },
  });
  return (
    <ActionDialog
      action={texts.deleteForever}
      form={field}
      isPending={deleting.isPending}
      look="danger"
      onClose={onClose}
      onConfirm={(data) => {
        const typed = String(data.get("confirmation"));
        const isName = asShown(typed) === asShown(form.name);
        setMistake(isName ? null : { typed });
        if (isName) deleting.mutate();
      }}
      title={texts.deleteTitle}
    >
      <p>{texts.deleteIntro(form.submissionCount, inBin)}</p>
      {deleting.isError && <ErrorNotice error={deleting.error} />}
      <TextField
        autoCapitalize="off"
        autoComplete="off"
        autoCorrect="off"
        data-focus
        error={mistake === null ? undefined : texts.deleteDiffers}
        label={<bdi>{texts.deleteConfirm(form.name)}</bdi>}
        name="confirmation"
      />
    </ActionDialog>
  );
}

/** A name as a page shows it: nobody can see, and so type, how many spaces are in a row, of what kind, or what takes no room. */
function asShown(name: string): string {
  return name
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
