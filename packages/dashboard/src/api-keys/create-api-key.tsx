import type { CreatedApiKey } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { useMay } from "../organization/membership.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { useNeedsVerification, VerifyFirstDialog } from "../session/verify-first.tsx";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { ShownOnce } from "../ui/shown-once.tsx";
import { useErrorFocus } from "../ui/use-field-errors.ts";
import { LimitFields, type LimitMistakes, type Limits, readLimits } from "./limit-fields.tsx";

type Permission = CreatedApiKey["key"]["permissions"][number];
interface Mistake extends LimitMistakes {
  readonly isNameless: boolean;
  readonly isPowerless: boolean;
}
const allPermissions = ["forms:read", "forms:write", "submissions:read", "submissions:delete"] as const;

/** Asks for a name and permissions; then shows the value, this once. */
export function CreateApiKey({ onClose }: { readonly onClose: () => void }) {
  const needsVerification = useNeedsVerification();
  if (needsVerification) return <VerifyFirstDialog onClose={onClose} title={text.apiKeys.create} />;
  return <NewApiKey onClose={onClose} />;
}

function NewApiKey({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const [mistake, setMistake] = useState<Mistake | null>(null);
  const form = useErrorFocus(mistake);
  const may = useMay();
  // A key does no more than its maker.
  const permissions = allPermissions.filter((one) => one.startsWith("forms:") || may("binSubmissions"));
  const creating = useMutation({
    mutationFn: (key: Limits & { readonly name: string; readonly permissions: Permission[] }) =>
      withFreshSession(() => client.apiKeys.create(key)),
    onSuccess: () => void queryClient.invalidateQueries(queries.apiKeys()),
    // The value must not outlive this dialog.
    gcTime: 0,
  });
  const texts = text.apiKeys;
  if (creating.data !== undefined) return <CreatedKey onClose={onClose} value={creating.data.key.key} />;
  return (
    <ActionDialog
      action={texts.createNow}
      form={form}
      isPending={creating.isPending}
      onClose={onClose}
      onConfirm={(data) => {
        const name = String(data.get("name")).trim();
        const chosen = permissions.filter((permission) => data.has(permission));
        const limits = readLimits(data);
        const wrong = "isFormMissing" in limits ? limits : { isFormMissing: false, isDateWrong: false };
        const found = { isNameless: name === "", isPowerless: chosen.length === 0, ...wrong };
        if ("isFormMissing" in limits || found.isNameless || found.isPowerless) return setMistake(found);
        setMistake(null);
        creating.mutate({ name, permissions: chosen, ...limits });
      }}
      title={texts.create}
    >
      {creating.isError && <ErrorNotice error={creating.error} />}
      <TextField
        autoComplete="off"
        data-focus
        error={mistake?.isNameless ? texts.nameMissing : undefined}
        hint={texts.nameHint}
        label={texts.name}
        maxLength={50}
        name="name"
        required
      />
      <fieldset className="grid gap-2.5">
        <legend className="mb-2 font-medium">{texts.permissions}</legend>
        {permissions.map((permission) => (
          <label className="flex items-start gap-3" key={permission}>
            <input className="mt-1" defaultChecked={permission.endsWith(":read")} name={permission} type="checkbox" />
            <span>
              <code translate="no" className="font-mono text-sm">
                {permission}
              </code>
              <span className="block text-muted text-sm">{texts.permission[permission]}</span>
            </span>
          </label>
        ))}
        {mistake?.isPowerless && (
          <p className="text-danger text-sm" role="alert">
            {texts.permissionsMissing}
          </p>
        )}
      </fieldset>
      <LimitFields isDateWrong={mistake?.isDateWrong ?? false} isFormMissing={mistake?.isFormMissing ?? false} />
    </ActionDialog>
  );
}

function CreatedKey({ value, onClose }: { readonly value: string; readonly onClose: () => void }) {
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
      </ShownOnce>
    </Dialog>
  );
}
