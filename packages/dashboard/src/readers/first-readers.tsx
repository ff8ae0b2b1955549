import { useQuery } from "@tanstack/react-query";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { useFirstSight } from "./first-sight.ts";
import { OrganizationNames } from "./organization-names.tsx";
import { ListRefused } from "./refusal-notice.tsx";
import { ShownOrganization } from "./shown-organization.tsx";
import { writtenListQuery } from "./written-list-query.ts";

const { envelopes: texts } = text;

/** Who reads a new envelope, by the list that this browser has checked: shown before anything is sealed. */
export function FirstReaders({ context }: { readonly context: EnvelopeContext }) {
  const { data: list } = useQuery(writtenListQuery(context));
  const { shown } = useFirstSight(context);
  if (list == null) return null;
  if (list.kind !== "checked" && list.kind !== "none") return <ListRefused list={list} />;
  const members = list.kind === "checked" ? [...list.list.members.values()] : [];
  const names = members.filter(({ role }) => role === "recovery").map(shownName);
  return (
    <>
      {shown === undefined ? <OrganizationNames /> : <ShownOrganization {...shown} />}
      <p className="text-muted">{names.length === 0 ? texts.readBy.alone : texts.readBy.recovery(names)}</p>
    </>
  );
}
