import { useQuery } from "@tanstack/react-query";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { loadList } from "../envelopes/load-list.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { ListRefused } from "./refusal-notice.tsx";

const { envelopes: texts } = text;

/** Who reads a new envelope, by the list that this browser has checked: shown before anything is sealed. */
export function FirstReaders({ context }: { readonly context: EnvelopeContext }) {
  const { data: list } = useQuery({
    queryKey: ["first-readers", context.organizationId, context.own.recipient],
    queryFn: () => loadList(context),
    gcTime: 0,
  });
  if (list === undefined) return null;
  if (list.kind !== "checked" && list.kind !== "none") return <ListRefused list={list} />;
  const members = list.kind === "checked" ? [...list.list.members.values()] : [];
  const names = members.filter(({ role }) => role === "recovery").map(shownName);
  return <p className="text-muted">{names.length === 0 ? texts.readBy.alone : texts.readBy.recovery(names)}</p>;
}
