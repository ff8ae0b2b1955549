import type { InstanceOrganization } from "@sealpost/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { formatDate } from "../texts/format.ts";
import { entriesOf, findText, text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Badge } from "../ui/page.tsx";
import { Select } from "../ui/select.tsx";
import { UsageMeter } from "../usage/usage-meter.tsx";
import { InstanceList } from "./instance-list.tsx";
import { organizationsOf } from "./instance-queries.ts";

const { instance: texts, usage } = text;

/** The organizations of the instance with what they store. */
export function OrganizationList() {
  return (
    <InstanceList
      dialog={(organization, onClose, onDone) => (
        <ChangePlan onChanged={() => onDone(texts.planChanged)} onClose={onClose} organization={organization} />
      )}
      label={texts.views.organizations}
      pageOf={organizationsOf}
      row={(organization, onOpen) => <Row key={organization.id} onChange={onOpen} organization={organization} />}
      sorts={["newest", "name", "storage"]}
    />
  );
}

function Row({
  organization,
  onChange,
}: {
  readonly organization: InstanceOrganization;
  readonly onChange: () => void;
}) {
  const { id, plan, createdAt, bytes, bytesMax, forms, members, owners } = organization;
  const name = organization.name || texts.unnamed;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 py-3.5">
      <div className="grid min-w-0 grow basis-64 gap-1">
        <p className="flex flex-wrap items-center gap-2">
          <bdi className="min-w-0 wrap-anywhere font-medium">{name}</bdi>
          <Badge>{findText(text.plans, plan) ?? plan}</Badge>
          {owners === 0 && <Badge tone="warning">{texts.noOwner}</Badge>}
        </p>
        <p className="break-all text-muted text-sm">
          {texts.members(members, forms)} · {formatDate(createdAt)} · <span translate="no">{id}</span>
        </p>
        {bytesMax === null ? (
          <p className="text-sm">{usage.unlimited(bytes)}</p>
        ) : (
          <UsageMeter bytes={bytes} label={texts.storage} max={bytesMax} />
        )}
      </div>
      <Button aria-label={texts.changePlanOf(name)} onClick={onChange} small>
        {texts.changePlan}
      </Button>
    </li>
  );
}

type Plan = "free" | "starter" | "pro" | "enterprise";

function ChangePlan({
  organization,
  onClose,
  onChanged,
}: {
  readonly organization: InstanceOrganization;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}) {
  const queryClient = useQueryClient();
  const fields = useFields({
    initial: { plan: organization.plan as Plan }, // a newer service may have others, which are not among the choices
    send: (chosen) => withFreshSession(() => client.instance.setPlan(organization.id, chosen)),
    onSaved: async () => {
      await queryClient.invalidateQueries({ queryKey: ["instance"] });
      onChanged();
    },
  });
  return (
    <FormDialog
      action={text.common.save}
      fields={fields}
      onClose={onClose}
      title={texts.changePlanOf(organization.name || texts.unnamed)}
    >
      <p className="text-muted">{texts.planIntro}</p>
      <Field label={texts.plan}>
        {(control) => <Select {...control} {...fields.choice("plan")} options={entriesOf(text.plans)} />}
      </Field>
    </FormDialog>
  );
}
