import type { InstanceOrganization } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { formatDate } from "../texts/format.ts";
import { entriesOf, findText, text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Badge } from "../ui/page.tsx";
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
          <bdi className="min-w-0 break-words font-medium">{name}</bdi>
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
  const changing = useMutation({
    mutationFn: (plan: string) =>
      withFreshSession(() =>
        // One of the options below.
        client.instance.setPlan(organization.id, { plan: plan as "free" | "starter" | "pro" | "enterprise" }),
      ),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["instance"] });
      onChanged();
    },
  });
  return (
    <ActionDialog
      action={text.common.save}
      isPending={changing.isPending}
      onClose={onClose}
      onConfirm={(data) => changing.mutate(String(data.get("plan")))}
      title={texts.changePlanOf(organization.name || texts.unnamed)}
    >
      {changing.isError && <ErrorNotice error={changing.error} />}
      <p className="text-muted">{texts.planIntro}</p>
      <Field label={texts.plan}>
        {(control) => (
          <select {...control} className="control" defaultValue={organization.plan} name="plan">
            {entriesOf(text.plans).map(([plan, name]) => (
              <option key={plan} value={plan}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
    </ActionDialog>
  );
}
