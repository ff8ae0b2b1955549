import type { ApiKeyListItem, CreatedApiKey } from "@sealpost/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { mayHaveArrived } from "../api/describe-error.ts";
import { queries } from "../api/queries.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { type Fields, useFields } from "../form-kit/use-fields.ts";
import { useMay } from "../organization/membership.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { useNeedsVerification, VerifyFirstDialog } from "../session/verify-first.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { ShownOnce } from "../ui/shown-once.tsx";
import { checkLimits, LimitFields, type LimitValues, noLimits, readLimits } from "./limit-fields.tsx";
import { LostKeys, useLostKeys } from "./lost-keys.tsx";

type Permission = CreatedApiKey["key"]["permissions"][number];
const allPermissions = ["forms:read", "forms:write", "submissions:read", "submissions:delete"] as const;

/** Asks for a name and permissions; then shows the value, this once. */
export function CreateApiKey({ onClose }: { readonly onClose: () => void }) {
  const needsVerification = useNeedsVerification();
  if (needsVerification) return <VerifyFirstDialog onClose={onClose} title={text.apiKeys.create} />;
  return <NewApiKey onClose={onClose} />;
}

interface ApiKeyValues extends LimitValues {
  readonly name: string;
  readonly permissions: readonly Permission[];
}

function NewApiKey({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const may = useMay();
  // A key does no more than its maker.
  const offered = allPermissions.filter((one) => one.startsWith("forms:") || may("binSubmissions"));
  const texts = text.apiKeys;
  const { lost, create } = useLostKeys();
  const fields = useFields<ApiKeyValues, CreatedApiKey>({
    initial: { name: "", permissions: offered.filter((one) => one.endsWith(":read")), ...noLimits },
    check: ({ name, permissions, ...limits }) => ({
      ...(name.trim() === "" && { name: texts.nameMissing }),
      ...(permissions.length === 0 && { permissions: texts.permissionsMissing }),
      ...checkLimits(limits),
    }),
    send: ({ name, permissions, ...limits }) => {
      const wanted = { name: name.trim(), permissions: [...permissions], ...readLimits(limits) };
      return create(wanted.name, () => withFreshSession(() => client.apiKeys.create(wanted)));
    },
    onSaved: () => void queryClient.invalidateQueries(queries.apiKeys()),
  });
  if (fields.result !== undefined) return <CreatedKey lost={lost} onClose={onClose} value={fields.result.key.key} />;
  return (
    <FormDialog
      action={texts.createNow}
      fields={fields}
      notice={
        <ErrorNotice
          error={fields.error}
          what={mayHaveArrived(fields.error) && lost.length === 0 ? texts.perhapsCreated : undefined}
        />
      }
      onClose={onClose}
      title={texts.create}
    >
      <LostKeys keys={lost} />
      <TextField
        {...fields.text("name")}
        autoComplete="off"
        data-focus
        hint={texts.nameHint}
        label={texts.name}
        maxLength={50}
        required
      />
      <Permissions fields={fields} offered={offered} />
      <LimitFields fields={fields} />
    </FormDialog>
  );
}

function Permissions({
  fields,
  offered,
}: {
  readonly fields: Fields<ApiKeyValues, CreatedApiKey>;
  readonly offered: readonly Permission[];
}) {
  const texts = text.apiKeys;
  return (
    <fieldset className="grid gap-2.5">
      <legend className="mb-2 font-medium">{texts.permissions}</legend>
      {offered.map((permission) => (
        <label className="flex items-start gap-3" key={permission}>
          <input {...fields.tickOf("permissions", permission)} className="mt-1" type="checkbox" />
          <span>
            <code translate="no" className="font-mono text-sm">
              {permission}
            </code>
            <span className="block text-muted text-sm">{texts.permission[permission]}</span>
          </span>
        </label>
      ))}
      {fields.errorAt("permissions") && (
        <p className="text-danger text-sm" role="alert">
          {fields.errorAt("permissions")}
        </p>
      )}
    </fieldset>
  );
}

function CreatedKey({
  value,
  lost,
  onClose,
}: {
  readonly value: string;
  readonly lost: readonly ApiKeyListItem[];
  readonly onClose: () => void;
}) {
  const texts = text.apiKeys;
  return (
    <Dialog
      beginsAtTitle
      footer={
        <Button look="primary" onClick={onClose}>
          {texts.done}
        </Button>
      }
      onClose={onClose}
      title={texts.createdTitle}
    >
      <ShownOnce leave={texts.leave}>
        <Notice tone="warning">{texts.createdIntro}</Notice>
        <CodeBlock code={value} label={texts.keyLabel} wrap />
        <LostKeys keys={lost} />
      </ShownOnce>
    </Dialog>
  );
}
