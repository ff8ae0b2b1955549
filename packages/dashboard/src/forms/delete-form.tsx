import type { Form } from "@sealpost/sdk";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { orArrivedBefore } from "../api/attempt.ts";
import { client } from "../api/client.ts";
import { findGone } from "../api/form-api.ts";
import { queries } from "../api/queries.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { lockForm } from "../keys/keyring.ts";
import { FormNames, useFormNames } from "../readers/form-names.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Section } from "../ui/page.tsx";

export function DeleteForm({ form }: { readonly form: Form }) {
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
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const texts = text.settings;
  const isUnsure = useRef(false);
  const { signed = form.name } = useFormNames(form) ?? {};
  const fields = useFields({
    initial: { confirmation: "" },
    passing: "confirmation",
    check: ({ confirmation }) =>
      asShown(confirmation) === asShown(signed) ? undefined : { confirmation: texts.deleteDiffers },
    send: () =>
      orArrivedBefore<unknown>(
        isUnsure,
        () => client.forms.delete(form.id),
        () => findGone(form.id),
      ),
    onSaved: async () => {
      await lockForm(form.id);
      await navigate({ to: "/", ignoreBlocker: true });
      queryClient.removeQueries({ queryKey: ["form", form.id] });
      await queryClient.invalidateQueries({ queryKey: ["forms"] });
    },
  });
  return (
    <FormDialog action={texts.deleteForever} fields={fields} look="danger" onClose={onClose} title={texts.deleteTitle}>
      <FormNames form={form} />
      <p>{texts.deleteIntro(form.submissionCount, inBin)}</p>
      <TextField
        {...fields.text("confirmation")}
        autoCapitalize="off"
        autoComplete="off"
        autoCorrect="off"
        data-focus
        label={<bdi>{texts.deleteConfirm(signed)}</bdi>}
      />
    </FormDialog>
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
