import type { FormListItem } from "@sealpost/sdk";
import { Link } from "@tanstack/react-router";
import { useHasPage } from "../organization/page-offers.ts";
import { text } from "../texts/text.ts";
import { Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";

type Refusing = Pick<FormListItem, "id" | "name" | "refusedVisitors">;

/** For each form whose visitors an old page refuses: a notice that leads to the new snippet, if the role has it. */
export function RefusedNotices({ forms }: { readonly forms: readonly Refusing[] }) {
  return forms.map((form) => <RefusedNotice form={form} isNamed key={form.id} />);
}

export function RefusedNotice({
  form: { id, name, refusedVisitors },
  isNamed = false,
  isHere = false,
}: {
  readonly form: Refusing;
  /** Whether to say which form it is. */
  readonly isNamed?: boolean;
  /** Whether the snippet is on this page. */
  readonly isHere?: boolean;
}) {
  const hasSnippet = useHasPage()("embed");
  if (refusedVisitors === undefined) return null;
  const { refused } = text.forms;
  return (
    <Notice
      title={
        <>
          {isNamed && <bdi>{name}: </bdi>}
          {refused.title}
          <Time at={refusedVisitors.since} />
        </>
      }
      tone="danger"
    >
      {refused.last}
      <Time at={refusedVisitors.lastAt} />. {refused.hint} {!hasSnippet && refused.forOthers}
      {hasSnippet && isHere && refused.here}
      {hasSnippet && !isHere && (
        <Link className="font-medium text-accent underline" params={{ formId: id }} to="/forms/$formId/embed">
          {refused.link}
        </Link>
      )}
    </Notice>
  );
}
