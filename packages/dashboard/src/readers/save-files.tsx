import type { Form, FormKey as PublishedKey } from "@sealpost/sdk";
import { toListToCheck } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { download } from "../browser/download.ts";
import { type OpenedForm, toRequest } from "../envelopes/open-form.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { checkFilePassphrase } from "../keys/check-file-passphrase.ts";
import { askPersonalKey } from "../personal-key/personal-key.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { PasswordField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";

const { remove } = text.envelopes;

interface SaveFilesProps {
  readonly form: Form;
  readonly opened: OpenedForm;
  readonly published: readonly PublishedKey[];
}

/** Saves a file of each key of a form, protected by a passphrase. */
export function SaveFiles(props: SaveFilesProps) {
  const { wizard } = text.forms;
  const fields = useFields({
    initial: { passphrase: "", again: "" },
    passing: "secret",
    check: ({ passphrase, again }) => checkFilePassphrase(passphrase, again),
    send: ({ passphrase }) => saveFiles(props, passphrase),
  });
  return (
    <FieldsForm className="grid gap-3" fields={fields}>
      <p className="text-muted">{remove.saveIntro}</p>
      <PasswordField
        {...fields.secret("passphrase")}
        autoComplete="new-password"
        hint={wizard.passphraseRule}
        label={wizard.passphraseLabel}
        required
      />
      <PasswordField {...fields.secret("again")} autoComplete="new-password" label={wizard.passphraseAgain} required />
      <Button className="justify-self-start" pending={fields.isPending} type="submit">
        {remove.save}
      </Button>
      <div className="empty:absolute" role="status">
        {fields.isSent && <Notice tone="good">{remove.saved(fields.result ?? 0)}</Notice>}
      </div>
    </FieldsForm>
  );
}

/** How many files were saved. */
async function saveFiles(
  { form, opened: { envelopes, list }, published }: SaveFilesProps,
  passphrase: string,
): Promise<number> {
  const createdAt = new Map(published.map(({ version, createdAt }) => [version, createdAt]));
  const common = {
    list: toListToCheck(list),
    formId: form.id as FormId,
    formName: form.name,
    passphrase,
    createdAt,
  };
  const files = await Promise.all(
    envelopes.map(({ file, head }) => askPersonalKey("sealKeyFiles", { ...common, ...toRequest({ file, head }) })),
  );
  for (const { name, file } of files.flat()) download(name, file);
  return files.flat().length;
}
