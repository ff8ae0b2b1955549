import { type Form, findNewestKey } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { useForm } from "../form/form-frame.tsx";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { SwitchField, TextField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge, Section, useTitle } from "../ui/page.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";
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
      <WebhookSecretSection formId={form.id} />
      <DeliveryLog formId={form.id} key={submission} submissionId={submission} />
    </div>
  );
}

function Address({ form }: { readonly form: Form }) {
  const queryClient = useQueryClient();
  const { webhookUrl, webhookRedirects, encryption } = form.settings;
  const formKeys = useQuery(queries.keys(form.id));
  const isHybrid = encryption && findNewestKey(formKeys.data ?? [])?.hybridPublicKey !== undefined;
  const saving = useMutation({
    mutationFn: (url: string | null) =>
      withFreshSession(() => client.forms.update(form.id, { settings: { webhookUrl: url } })),
    onSuccess: () => queryClient.invalidateQueries(queries.form(form.id)),
  });
  const redirecting = useMutation({
    mutationFn: (isByRedirect: boolean) =>
      client.forms.update(form.id, { settings: { webhookRedirects: isByRedirect ? "get" : "post" } }),
    onSuccess: () => queryClient.invalidateQueries(queries.form(form.id)),
  });
  const fieldErrors = useFieldErrors(saving.error, ["webhookUrl"]);
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
      <form
        className="grid gap-3"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const url = String(new FormData(event.currentTarget).get("url")).trim();
          saving.mutate(url === "" ? null : url);
        }}
        ref={fieldErrors.form}
      >
        {isHybrid && (
          <Notice title={text.formKeys.hybridReceiver}>
            {texts.hybridHint} <HelpLink page="hybridKeys">{text.formKeys.hybridReceiverLink}</HelpLink>
          </Notice>
        )}
        {fieldErrors.isElsewhere && <ErrorNotice error={saving.error} />}
        <TextField
          autoComplete="off"
          defaultValue={webhookUrl ?? ""}
          error={fieldErrors.at("webhookUrl")}
          hint={texts.urlHint}
          inputMode="url"
          label={texts.url}
          name="url"
          placeholder="https://"
          translate="no"
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button look="primary" pending={saving.isPending} type="submit">
            {texts.save}
          </Button>
          <p className="text-accent" role="status">
            {saving.isSuccess && (saving.variables === null ? texts.removed : texts.saved)}
          </p>
        </div>
      </form>
      {webhookUrl !== null && (
        <div className="mt-5 grid max-w-2xl gap-3">
          {redirecting.isError && <ErrorNotice error={redirecting.error} />}
          <SwitchField
            checked={webhookRedirects === "get"}
            disabled={redirecting.isPending}
            hint={texts.redirectsHint}
            label={texts.redirects}
            onChange={(isByRedirect) => redirecting.mutate(isByRedirect)}
          />
        </div>
      )}
    </Section>
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
            <bdi>{texts.testBad(testing.data.error ?? texts.noAnswer)}</bdi>
          </Notice>
        )}
      </div>
    </Section>
  );
}
