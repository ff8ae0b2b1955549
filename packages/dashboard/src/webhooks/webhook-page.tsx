import { type Form, findNewestKey } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { describeFailure } from "../deliveries/describe-failure.ts";
import { useForm } from "../form/form-frame.tsx";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { SwitchField, TextField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge, Section, useTitle } from "../ui/page.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { WebhookSecretSection } from "./webhook-secret.tsx";

const { webhooks: texts } = text;

export function WebhookPage() {
  const form = useForm();
  useTitle(form.name);
  const { submission } = useSearch({ from: "/frame/forms/$formId/webhook" });
  return (
    <div className="mx-auto grid max-w-4xl gap-5">
      <Address form={form} />
      <Test form={form} />
      <WebhookSecretSection formId={form.id} knownSince={form.webhookSecretKnownSince} />
      <DeliveryLog formId={form.id} key={submission} submissionId={submission} />
    </div>
  );
}

function Address({ form }: { readonly form: Form }) {
  const { webhookUrl } = form.settings;
  return (
    <Section
      actions={webhookUrl === null ? <Badge>{texts.none}</Badge> : <Badge tone="good">{texts.active}</Badge>}
      intro={
        <>
          {texts.urlIntro} <HelpLink page="receivers">{texts.receiversLink}</HelpLink>
        </>
      }
      title={texts.urlTitle}
    >
      <AddressForm form={form} />
      {webhookUrl !== null && <Redirects form={form} />}
    </Section>
  );
}

function AddressForm({ form }: { readonly form: Form }) {
  const queryClient = useQueryClient();
  const { webhookUrl, encryption } = form.settings;
  const formKeys = useQuery(queries.keys(form.id));
  const isHybrid = encryption && findNewestKey(formKeys.data ?? [])?.hybridPublicKey !== undefined;
  const fields = useFields({
    initial: { webhookUrl: webhookUrl ?? "" },
    follows: true,
    send: (typed) =>
      withFreshSession(() =>
        client.forms.update(form.id, { settings: { webhookUrl: typed.webhookUrl.trim() || null } }),
      ),
    onSaved: () => queryClient.invalidateQueries(queries.form(form.id)),
  });
  return (
    <FieldsForm className="grid gap-3" fields={fields} isCheckedHere>
      {isHybrid && (
        <Notice title={text.formKeys.hybridReceiver}>
          {texts.hybridHint} <HelpLink page="hybridKeys">{text.formKeys.hybridReceiverLink}</HelpLink>
        </Notice>
      )}
      <TextField
        {...fields.text("webhookUrl")}
        autoComplete="off"
        hint={texts.urlHint}
        inputMode="url"
        label={texts.url}
        placeholder="https://"
        translate="no"
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button look="primary" pending={fields.isPending} type="submit">
          {texts.save}
        </Button>
        <p className="text-accent" role="status">
          {fields.isSent && (fields.sent?.webhookUrl.trim() === "" ? texts.removed : texts.saved)}
        </p>
      </div>
    </FieldsForm>
  );
}

function Redirects({ form }: { readonly form: Form }) {
  const queryClient = useQueryClient();
  const redirecting = useMutation({
    mutationFn: (isByRedirect: boolean) =>
      client.forms.update(form.id, { settings: { webhookRedirects: isByRedirect ? "get" : "post" } }),
    onSuccess: () => queryClient.invalidateQueries(queries.form(form.id)),
  });
  return (
    <div className="mt-5 grid max-w-2xl gap-3">
      {redirecting.isError && <ErrorNotice error={redirecting.error} />}
      <SwitchField
        checked={form.settings.webhookRedirects === "get"}
        disabled={redirecting.isPending}
        hint={texts.redirectsHint}
        label={texts.redirects}
        onChange={(isByRedirect) => redirecting.mutate(isByRedirect)}
      />
    </div>
  );
}

function Test({ form }: { readonly form: Form }) {
  const queryClient = useQueryClient();
  const testing = useMutation({
    mutationFn: () => client.webhooks.test(form.id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["form", form.id, "deliveries"] }),
  });
  const hasUrl = form.settings.webhookUrl !== null;
  return (
    <Section
      actions={
        <Button disabled={!hasUrl} onClick={() => testing.mutate()} pending={testing.isPending}>
          {texts.test}
        </Button>
      }
      intro={texts.testIntro}
      title={texts.testTitle}
    >
      {testing.isError && <ErrorNotice error={testing.error} />}
      <div className="empty:absolute" role="status">
        {!hasUrl && <p className="text-muted">{texts.testNeedsUrl}</p>}
        {testing.isPending && <p className="text-muted">{texts.testing}</p>}
        {testing.data?.status === "success" && (
          <Notice tone="good">{texts.testGood(testing.data.statusCode, testing.data.duration ?? 0)}</Notice>
        )}
        {testing.data?.status === "failed" && (
          <Notice tone="danger">
            {texts.testBad(describeFailure(testing.data.errorCode, testing.data.statusCode))}
          </Notice>
        )}
      </div>
    </Section>
  );
}
