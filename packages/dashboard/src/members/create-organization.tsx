import { useRef } from "react";
import { orArrivedBefore } from "../api/attempt.ts";
import { client } from "../api/client.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { useChooseOrganization } from "../personal-key/choose-organization.ts";
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
  const switchTo = useChooseOrganization();
  const create = useCreate();
  const fields = useFields({
    initial: { name: "" },
    send: ({ name }) => create(name),
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

/** Makes an organization. Where that was not answered, and it is there, another press makes no second one of the same name. */
function useCreate() {
  const isUnsure = useRef(false);
  const before = useRef<ReadonlySet<string>>(undefined);
  const list = async () => (await client.organizations.list()).organizations;
  return async (name: string): Promise<{ readonly id: string }> => {
    before.current ??= new Set((await list()).map(({ id }) => id));
    return orArrivedBefore(
      isUnsure,
      () => withFreshSession(() => client.organizations.create({ name })),
      async () => (await list()).find((one) => before.current?.has(one.id) === false && one.name === name.trim()),
    );
  };
}
