import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { CheckedList } from "../envelopes/load-list.ts";
import { compareOrganizationNames, signOrganizationName } from "../envelopes/organization-name.ts";
import { organizationsQuery, useMay, useMembership } from "../organization/membership.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { NotAnswered } from "./confirm-members.tsx";
import { writtenListQuery } from "./written-list-query.ts";

const { organizationNames: texts } = text.envelopes;

/**
 * Stands where something is sealed for members: the organization's name in the signed list, next to the server's where that is another. `isTitled`: only
 * where they differ.
 */
export function OrganizationNames({ isTitled = false }: { readonly isTitled?: boolean }) {
  const context = useEnvelopeContext();
  const { data: list } = useQuery(writtenListQuery(context));
  const membership = useMembership();
  if (context === undefined || list?.kind !== "checked" || membership?.id !== context.organizationId) return null;
  return <Shown context={context} isTitled={isTitled} list={list} served={membership.name} />;
}

function Shown({
  context,
  list,
  served,
  isTitled,
}: {
  readonly context: EnvelopeContext;
  readonly list: CheckedList;
  readonly served: string;
  readonly isTitled: boolean;
}) {
  const names = compareOrganizationNames(list, served);
  if (names.signed !== undefined && names.isSame)
    return isTitled ? null : (
      <p className="wrap-anywhere">
        <bdi>{texts.signed(names.signed)}</bdi>
      </p>
    );
  // Nobody is taken in by the name of an organization in which they are alone.
  const isAlone = [...list.list.members.values()].every(({ id, role }) => id === list.own.id || role === "recovery");
  if (names.signed === undefined && (isTitled || isAlone || served === "")) return null;
  return <Differing context={context} mayWrite={list.own.role === "owner"} served={served} signed={names.signed} />;
}

function Differing({
  context,
  signed,
  served,
  mayWrite,
}: {
  readonly context: EnvelopeContext;
  readonly signed: string | undefined;
  readonly served: string;
  /** The list takes a name from owners alone. */
  readonly mayWrite: boolean;
}) {
  const may = useMay();
  const queryClient = useQueryClient();
  const settling = useMutation({
    mutationFn: (name: "signed" | "served") =>
      name === "served"
        ? signOrganizationName(context, served)
        : client.organizations.rename({ name: signed ?? "" }).then(() => undefined),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries(organizationsQuery),
        queryClient.invalidateQueries({ queryKey: writtenListQuery(context).queryKey }),
      ]),
  });
  return (
    <Notice
      title={
        <bdi className="wrap-anywhere">{signed === undefined ? texts.unsigned(served) : texts.otherTitle(signed)}</bdi>
      }
      tone={signed === undefined ? "info" : "warning"}
    >
      {signed !== undefined && (
        <p className="wrap-anywhere">
          <bdi>{texts.other(served)}</bdi>
        </p>
      )}
      <div className="mt-2 flex flex-wrap gap-2 empty:hidden">
        {mayWrite && (
          <Button onClick={() => settling.mutate("served")} pending={settling.isPending} small>
            {signed === undefined ? texts.sign : texts.takeOver}
          </Button>
        )}
        {signed !== undefined && may("renameOrganization") && (
          <Button onClick={() => settling.mutate("signed")} pending={settling.isPending} small>
            {texts.setBack}
          </Button>
        )}
      </div>
      <NotAnswered error={settling.error} />
    </Notice>
  );
}
