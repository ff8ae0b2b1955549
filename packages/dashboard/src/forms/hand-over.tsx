import type { Form } from "@sealpost/sdk";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { orArrivedBefore } from "../api/attempt.ts";
import { client } from "../api/client.ts";
import { findGone } from "../api/form-api.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
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

function HandOver({
  form,
  targets,
  onClose,
}: {
  readonly form: Form;
  readonly targets: ReadonlyArray<readonly [id: string, name: string]>;
  readonly onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const isUnsure = useRef(false);
  const { signed = form.name } = useFormNames(form) ?? {};
  const fields = useFields({
    initial: { target: targets[0]?.[0] ?? "" },
    passing: "choice",
    send: ({ target }) =>
      orArrivedBefore<unknown>(
        isUnsure,
        () => withFreshSession(() => client.forms.handOver(form.id, target)),
        () => findGone(form.id),
      ),
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
      <ul className="grid list-disc gap-1.5 pl-5">
        {texts.effects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
    </FormDialog>
  );
}
