import { useMutation } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { useSwitch } from "../organization/use-switch.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { useNeedsVerification, VerifyFirstDialog } from "../session/verify-first.tsx";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";

const { members: texts } = text;

/** Makes another organization, and switches to it. */
export function CreateOrganization({ onClose }: { readonly onClose: () => void }) {
  const needsVerification = useNeedsVerification();
  if (needsVerification) return <VerifyFirstDialog onClose={onClose} title={texts.createTitle} />;
  return <NewOrganization onClose={onClose} />;
}

function NewOrganization({ onClose }: { readonly onClose: () => void }) {
  const switchTo = useSwitch();
  const creating = useMutation({
    mutationFn: async (name: string) => {
      const { id } = await withFreshSession(() => client.organizations.create({ name }));
      await switchTo(id);
    },
    onSuccess: onClose,
  });
  const fieldErrors = useFieldErrors(creating.error, ["name"]);
  return (
    <ActionDialog
      action={texts.createNow}
      form={fieldErrors.form}
      isPending={creating.isPending}
      onClose={onClose}
      onConfirm={(data) => creating.mutate(String(data.get("name")))}
      title={texts.createTitle}
    >
      {fieldErrors.isElsewhere && <ErrorNotice error={creating.error} />}
      <p className="text-muted">{texts.createIntro}</p>
      <TextField
        autoComplete="organization"
        data-focus
        error={fieldErrors.at("name")}
        label={texts.organizationName}
        maxLength={100}
        name="name"
        required
      />
    </ActionDialog>
  );
}
