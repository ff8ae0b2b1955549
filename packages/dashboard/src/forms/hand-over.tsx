import { ApiError, type Form } from "@sealpost/sdk";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useRef, useState } from "react";
import { orArrivedBefore } from "../api/attempt.ts";
import { client } from "../api/client.ts";
import { findGone } from "../api/form-api.ts";
import { queries } from "../api/queries.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { type Fields, useFields } from "../form-kit/use-fields.ts";
import { organizationsQuery, useMay } from "../organization/membership.ts";
import { FormNames, useFormNames } from "../readers/form-names.tsx";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { Awaited, Section } from "../ui/page.tsx";
import { Select } from "../ui/select.tsx";

const { handOver: texts } = text;

/** Choices for the webhook's address and secret: none is taken for granted. */
const webhookChoices = ["new", "kept", "remove"] as const;
type WebhookChoice = (typeof webhookChoices)[number];

function webhookOf(url: string | null, choice: WebhookChoice | "") {
  if (url === null || choice === "") return undefined;
  return choice === "remove" ? null : { url, secret: choice };
}

/** Hands a form to another organization of the same owner; nothing for everybody else. */
export function HandOverSection({ form }: { readonly form: Form }) {
  const may = useMay();
  const { data, isLoading } = useQuery(organizationsQuery);
  const [isAsking, setIsAsking] = useState(false);
  const isHeld = form.hold !== undefined;
  const targets = (data?.organizations ?? []).filter(({ role, current }) => role === "owner" && !current);
  // While nothing is known of organizations, everything else is offered: this needs one.
  if (isLoading) return <Awaited />;
  if (!may("handOverForm") || data === undefined) return null;
  return (
    <Section
      intro={
        <>
          {isHeld ? texts.held : targets.length > 0 ? texts.intro : texts.needsOrganization}{" "}
          <HelpLink page="teams">{texts.guideLink}</HelpLink>
        </>
      }
      title={texts.title}
    >
      {targets.length > 0 && !isHeld && <Button onClick={() => setIsAsking(true)}>{texts.button}</Button>}
      {isAsking && (
        <HandOver
          form={form}
          onClose={() => setIsAsking(false)}
          targets={targets.map(({ id, name }) => [id, name || texts.unnamed])}
        />
      )}
    </Section>
  );
}

interface HandOverProps {
  readonly form: Form;
  readonly targets: ReadonlyArray<readonly [id: string, name: string]>;
  readonly onClose: () => void;
}

interface HandOverValues {
  readonly target: string;
  readonly webhook: WebhookChoice | "";
}

function HandOver({ form, targets, onClose }: HandOverProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const isUnsure = useRef(false);
  const { signed = form.name } = useFormNames(form) ?? {};
  const url = form.settings.webhookUrl;
  const fields = useFields<HandOverValues, unknown>({
    initial: { target: targets[0]?.[0] ?? "", webhook: "" },
    passing: "choice",
    check: ({ webhook }) => (url !== null && webhook === "" ? { webhook: texts.webhookMissing } : undefined),
    send: ({ target, webhook: choice }) => {
      const webhook = webhookOf(url, choice);
      const body = { organizationId: target, ...(webhook !== undefined && { webhook }) };
      return orArrivedBefore<unknown>(
        isUnsure,
        () => withFreshSession(() => client.forms.handOver(form.id, body)),
        () => findGone(form.id),
      );
    },
    onRefused: async (error) => {
      if (!(error instanceof ApiError) || error.reason !== "form_hand_over_webhook") return;
      // Somebody has changed the address: the present one was not seen.
      fields.set("webhook", "");
      await queryClient.invalidateQueries(queries.form(form.id));
    },
    onSaved: async () => {
      await navigate({ to: "/", ignoreBlocker: true });
      queryClient.removeQueries({ queryKey: ["form", form.id] });
      await queryClient.invalidateQueries({ queryKey: ["forms"] });
    },
  });
  return (
    <FormDialog action={texts.button} fields={fields} look="danger" onClose={onClose} title={texts.question(signed)}>
      <FormNames form={form} />
      <Field label={texts.target}>
        {(control) => <Select {...control} {...fields.choice("target")} options={targets} />}
      </Field>
      {url !== null && <WebhookChoices fields={fields} host={new URL(url).host} />}
      <ul className="grid list-disc gap-1.5 pl-5">
        {texts.effects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
    </FormDialog>
  );
}

function WebhookChoices({ fields, host }: { readonly fields: Fields<HandOverValues, unknown>; readonly host: string }) {
  const mistakeId = useId();
  const mistake = fields.errorAt("webhook");
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium wrap-anywhere">{texts.webhook(host)}</legend>
      {webhookChoices.map((one) => (
        <label className="flex items-start gap-3 py-1 pointer-coarse:min-h-11" key={one}>
          <input
            {...fields.radio("webhook", one)}
            aria-describedby={mistakeId}
            aria-invalid={mistake !== undefined}
            className="mt-1"
            type="radio"
            value={one}
          />
          <span>
            {texts.webhookChoices[one].title}
            <span className="block text-muted text-sm">{texts.webhookChoices[one].hint}</span>
          </span>
        </label>
      ))}
      {mistake !== undefined && (
        <p className="text-danger text-sm" id={mistakeId} role="alert">
          {mistake}
        </p>
      )}
    </fieldset>
  );
}
