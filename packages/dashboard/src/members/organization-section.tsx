import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { organizationsQuery, useMay, useMembership } from "../organization/membership.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Section } from "../ui/page.tsx";
import { CreateOrganization } from "./create-organization.tsx";
import { DeleteOrganization } from "./delete-organization.tsx";

const { members: texts } = text;

/** The name of the organization, and making another one. */
export function OrganizationSection() {
  const { data } = useQuery(organizationsQuery);
  const may = useMay();
  const name = useMembership()?.name ?? "";
  const [asked, setAsked] = useState<"rename" | "create">();
  const close = () => setAsked(undefined);
  return (
    <Section intro={texts.organizationIntro} title={texts.organizationTitle}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 wrap-anywhere font-medium">
          <bdi>{name || texts.unnamed}</bdi>
        </p>
        <div className="flex flex-wrap gap-2">
          {may("renameOrganization") && <Button onClick={() => setAsked("rename")}>{texts.rename}</Button>}
          {may("deleteOrganization") && <DeleteOrganization name={name || texts.unnamed} />}
          {data?.canCreate && <Button onClick={() => setAsked("create")}>{texts.create}</Button>}
        </div>
      </div>
      {asked === "rename" && <RenameOrganization name={name} onClose={close} />}
      {asked === "create" && <CreateOrganization onClose={close} />}
    </Section>
  );
}

function RenameOrganization({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const fields = useFields({
    initial: { name },
    follows: true,
    send: (next) => client.organizations.rename(next),
    onSaved: async () => {
      await queryClient.invalidateQueries(organizationsQuery);
      onClose();
    },
  });
  return (
    <FormDialog action={text.common.save} fields={fields} onClose={onClose} title={texts.renameTitle}>
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
