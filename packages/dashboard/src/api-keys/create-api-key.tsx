import type { CreatedApiKey } from "@sealpost/receiver";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";

type Permission = CreatedApiKey["key"]["permissions"][number];
const permissions = ["forms:read", "forms:write", "submissions:read", "submissions:delete"] as const;

/** Asks for a name and permissions; then shows the value, this once. */
export function CreateApiKey({ onClose }: { readonly onClose: () => void }) {
  const formId = useId();
  const queryClient = useQueryClient();
  const [isMissing, setIsMissing] = useState(false);
  const creating = useMutation({
    mutationFn: (key: { name: string; permissions: Permission[] }) => client.apiKeys.create(key),
    onSuccess: () => queryClient.invalidateQueries(queries.apiKeys()),
    // The value must not outlive this dialog.
    gcTime: 0,
  });
  const texts = text.apiKeys;
  if (creating.data !== undefined)
    return (
      <Dialog
        footer={
          <Button look="primary" onClick={onClose}>
            {texts.done}
          </Button>
        }
        onClose={onClose}
        title={texts.createdTitle}
      >
        <Notice tone="warning">{texts.createdIntro}</Notice>
        <CodeBlock code={creating.data.key.key} label={texts.keyLabel} wrap />
      </Dialog>
    );
  return (
    <Dialog
      footer={
        <>
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button form={formId} look="primary" pending={creating.isPending} type="submit">
            {texts.createNow}
          </Button>
        </>
      }
      onClose={onClose}
      title={texts.create}
    >
      <form
        className="grid gap-4"
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          const chosen = permissions.filter((permission) => data.has(permission));
          setIsMissing(chosen.length === 0);
          if (chosen.length > 0) creating.mutate({ name: String(data.get("name")), permissions: chosen });
        }}
      >
        {creating.isError && <ErrorNotice error={creating.error} />}
        <TextField
          autoComplete="off"
          data-focus
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
                <code className="font-mono text-sm">{permission}</code>
                <span className="block text-muted text-sm">{texts.permission[permission]}</span>
              </span>
            </label>
          ))}
          {isMissing && (
            <p className="text-danger text-sm" role="alert">
              {texts.permissionsMissing}
            </p>
          )}
        </fieldset>
      </form>
    </Dialog>
  );
}
