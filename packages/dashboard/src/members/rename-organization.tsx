import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { signOrganizationName } from "../envelopes/organization-name.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import { memberListTextQuery } from "../organization/member-queries.ts";
import { organizationsQuery } from "../organization/membership.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { type PersonalKeyState, usePersonalKey } from "../personal-key/use-personal-key.ts";
import { NotAnswered } from "../readers/confirm-members.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";

const { members: texts } = text;

const { rename: words } = text.envelopes.organizationNames;

interface Renaming {
  readonly name: string;
  readonly onClose: () => void;
}

/** Renames the organization, in its signed list first, where there is one: for that the owner's key is opened. */
export default function RenameOrganization(props: Renaming) {
  const key = usePersonalKey();
  const context = useEnvelopeContext();
  const list = useQuery({ ...memberListTextQuery, enabled: key.kind !== "none" });
  const [isUnsigned, setIsUnsigned] = useState(false);
  // Where the list can't be asked for, signing it says why.
  const hasList = key.kind !== "none" && list.data !== "";
  const skip = () => setIsUnsigned(true);
  if (isComing(key, list, context)) return null;
  if (hasList && key.kind === "locked" && !isUnsigned) return <Unlock onClose={props.onClose} onSkip={skip} />;
  return <Rename {...props} context={hasList && !isUnsigned ? context : undefined} hasList={hasList} onSkip={skip} />;
}

/** It is not known yet whether something is to be signed: nobody types a name into a dialog that changes. */
function isComing(
  key: PersonalKeyState,
  list: { readonly isPending: boolean },
  context: EnvelopeContext | undefined,
): boolean {
  if (key.kind === "none") return false;
  if (key.kind === "unknown") return key.error === null || key.error === undefined;
  return list.isPending || (key.kind === "open" && context === undefined);
}

/** An owner who has lost their key can rename it all the same. */
function Unlock({ onClose, onSkip }: { readonly onClose: () => void; readonly onSkip: () => void }) {
  return (
    <Dialog footer={<Button onClick={onSkip}>{words.without}</Button>} onClose={onClose} title={texts.renameTitle}>
      <p>{words.unlock}</p>
      <UnlockPersonalKey />
    </Dialog>
  );
}

function Rename({
  name,
  context,
  hasList,
  onSkip,
  onClose,
}: Renaming & {
  /** `undefined`: nothing is signed. */
  readonly context: EnvelopeContext | undefined;
  readonly hasList: boolean;
  readonly onSkip: () => void;
}) {
  const queryClient = useQueryClient();
  const fields = useFields({
    initial: { name },
    follows: true,
    send: async (next) => {
      if (context !== undefined) await signOrganizationName(context, next.name);
      return client.organizations.rename(next);
    },
    onSaved: async () => {
      await queryClient.invalidateQueries(organizationsQuery);
      onClose();
    },
  });
  return (
    <FormDialog
      action={text.common.save}
      fields={fields}
      notice={<NotAnswered error={fields.error} />}
      onClose={onClose}
      title={texts.renameTitle}
    >
      <TextField
        {...fields.text("name")}
        autoComplete="organization"
        data-focus
        label={texts.organizationName}
        maxLength={100}
        required
      />
      {hasList && <p className="text-muted text-sm">{context === undefined ? words.unsigned : words.signs}</p>}
      {context !== undefined && fields.error !== null && (
        <Button className="justify-self-start" onClick={onSkip} small>
          {words.without}
        </Button>
      )}
    </FormDialog>
  );
}
