import type { InstanceOrganization } from "@sealpost/sdk";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { instance as texts } from "../texts/english/instance.ts";
import { usage } from "../texts/english/usage.ts";
import { formatDate } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { ListLoading, MoreButton } from "../ui/long-list.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge } from "../ui/page.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import { UsageMeter } from "../usage/usage-meter.tsx";
import { organizationsOf } from "./instance-queries.ts";
import { useListControls } from "./list-controls.tsx";

/** The organizations of the instance with what they store. */
export function OrganizationList() {
  const { search, sort, controls } = useListControls(["newest", "name", "storage"]);
  const list = useInfiniteQuery(organizationsOf({ search, sort }));
  const [changing, setChanging] = useState<InstanceOrganization>();
  const [done, setDone] = useState("");
  const status = useFocusInstead<HTMLDivElement>(done);
  const organizations = list.data?.pages.flatMap((page) => page.organizations) ?? [];
  return (
    <div className="card p-5 sm:p-6">
      {controls}
      <div className="mb-3 outline-none empty:hidden" ref={status} role="status" tabIndex={-1}>
        {done !== "" && <Notice tone="good">{done}</Notice>}
      </div>
      {list.isPending && <ListLoading />}
      {list.isError && <ErrorNotice error={list.error} onRetry={() => list.refetch()} />}
      {list.isSuccess && <p className="text-muted text-sm">{texts.found(list.data.pages[0]?.total ?? 0)}</p>}
      {list.isSuccess && organizations.length === 0 && <p>{texts.nothingFound}</p>}
      <ul aria-label={texts.views.organizations} className="divide-y divide-line">
        {organizations.map((one) => (
          <Row key={one.id} onChange={() => setChanging(one)} organization={one} />
        ))}
      </ul>
      <MoreButton list={list}>{texts.more}</MoreButton>
      {changing !== undefined && (
        <ChangePlan
          onChanged={() => {
            setChanging(undefined);
            setDone(texts.planChanged);
          }}
          onClose={() => setChanging(undefined)}
          organization={changing}
        />
      )}
    </div>
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
          <Badge>{plan}</Badge>
          {owners === 0 && <Badge tone="warning">{texts.noOwner}</Badge>}
        </p>
        <p className="break-all text-muted text-sm">
          {texts.members(members, forms)} · {formatDate(createdAt)} · {id}
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
            {texts.plans.map((plan) => (
              <option key={plan}>{plan}</option>
            ))}
          </select>
        )}
      </Field>
    </ActionDialog>
  );
}
