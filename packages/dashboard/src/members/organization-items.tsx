import { useMutation, useQuery } from "@tanstack/react-query";
import { DropdownMenu } from "radix-ui";
import { organizationsQuery } from "../organization/membership.ts";
import { useChooseOrganization } from "../personal-key/choose-organization.ts";
import { text } from "../texts/text.ts";
import { Spinner } from "../ui/button.tsx";
import { CheckIcon } from "../ui/icons.tsx";
import { ErrorNotice } from "../ui/notice.tsx";

const { members: texts } = text;

/** The organizations to switch between, in the account menu; nothing for who belongs to one. */
export function OrganizationItems({
  itemClass,
  onSwitched,
}: {
  readonly itemClass: string;
  readonly onSwitched: () => void;
}) {
  const { data } = useQuery(organizationsQuery);
  const switching = useMutation({ mutationFn: useChooseOrganization(), onSuccess: onSwitched });
  const organizations = data?.organizations ?? [];
  if (organizations.length < 2) return null;
  return (
    <>
      <DropdownMenu.Label className="px-2.5 py-1 text-muted text-sm">{texts.organizations}</DropdownMenu.Label>
      <DropdownMenu.RadioGroup
        aria-label={texts.organizations}
        className="max-h-60 overflow-y-auto"
        onValueChange={(id) => switching.mutate(id)}
        value={organizations.find(({ current }) => current)?.id ?? ""}
      >
        {organizations.map(({ id, name, role }) => (
          <DropdownMenu.RadioItem
            className={itemClass}
            key={id}
            // The menu stays, in case that it fails.
            onSelect={(event) => event.preventDefault()}
            value={id}
          >
            <span className="min-w-0">
              <bdi className="block truncate">{name || texts.unnamed}</bdi>
              <span className="block text-muted text-sm">{texts.roles[role]}</span>
            </span>
            {switching.isPending && switching.variables === id && <Spinner />}
            <DropdownMenu.ItemIndicator>
              <CheckIcon />
            </DropdownMenu.ItemIndicator>
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
      {switching.isError && <ErrorNotice error={switching.error} />}
      <DropdownMenu.Separator className="my-1 h-px bg-line" />
    </>
  );
}
