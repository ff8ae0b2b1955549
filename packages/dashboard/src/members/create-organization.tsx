import { client } from "../api/client.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { useSwitch } from "../organization/use-switch.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { useNeedsVerification, VerifyFirstDialog } from "../session/verify-first.tsx";
import { text } from "../texts/text.ts";
import { TextField } from "../ui/field.tsx";

const { members: texts } = text;

/** Makes another organization, and switches to it. */
export function CreateOrganization({ onClose }: { readonly onClose: () => void }) {
  const needsVerification = useNeedsVerification();
  if (needsVerification) return <VerifyFirstDialog onClose={onClose} title={texts.createTitle} />;
  return <NewOrganization onClose={onClose} />;
}

function NewOrganization({ onClose }: { readonly onClose: () => void }) {
  const switchTo = useSwitch();
  const fields = useFields({
    initial: { name: "" },
    send: (named) => withFreshSession(() => client.organizations.create(named)),
    onSaved: async ({ id }) => {
      await switchTo(id);
      onClose();
    },
  });
  return (
    <FormDialog action={texts.createNow} fields={fields} onClose={onClose} title={texts.createTitle}>
      <p className="text-muted">{texts.createIntro}</p>
      <TextField
        {...fields.text("name")}
        autoComplete="organization"
        data-focus
        label={texts.organizationName}
        maxLength={100}
        required
      />
    </FormDialog>
  );
}
