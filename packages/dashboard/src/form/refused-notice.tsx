import type { FormListItem } from "@sealpost/sdk";
import { Link } from "@tanstack/react-router";
import { useHasPage } from "../organization/page-offers.ts";
import type { PageName } from "../pages.ts";
import { text } from "../texts/text.ts";
import { Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";

type Refusing = Pick<FormListItem, "id" | "name" | "refusedVisitors">;
type Refused = NonNullable<Refusing["refusedVisitors"]>[number];

/** The page with what ends each cause. A newer service may name a cause that is not here. */
const remedies = {
  old_key: "embed",
  origin: "settings",
  unsealed: "embed",
  too_large: "settings",
  hourly_limit: "settings",
  form_markup: "embed",
  trapped: "embed",
} as const satisfies Readonly<Record<Refused["cause"], "embed" | "settings">>;

/** For each form that refuses visitors: a notice for each cause, which leads to what ends it, if the role has that. */
export function RefusedNotices({ forms }: { readonly forms: readonly Refusing[] }) {
  return forms.map((form) => <RefusedOfForm form={form} isNamed key={form.id} />);
}

export function RefusedOfForm({
  form,
  ...place
}: {
  readonly form: Refusing;
  /** Whether to say which form it is. */
  readonly isNamed?: boolean;
  /** The page that is open. */
  readonly here?: PageName | undefined;
}) {
  const known = form.refusedVisitors?.filter(({ cause }) => Object.hasOwn(remedies, cause)) ?? [];
  return known.map((refused) => <RefusedNotice form={form} key={refused.cause} refused={refused} {...place} />);
}

function RefusedNotice({
  form: { id, name },
  refused: { cause, since, lastAt },
  isNamed = false,
  here,
}: {
  readonly form: Refusing;
  readonly refused: Refused;
  readonly isNamed?: boolean;
  readonly here?: PageName | undefined;
}) {
  const page = remedies[cause];
  const hasPage = useHasPage()(page);
  const { refused: texts } = text.forms;
  const words = texts.causes[cause];
  const isCertain = cause === "old_key";
  return (
    <Notice
      title={
        <>
          {isNamed && <bdi>{name}: </bdi>}
          {words.title}
        </>
      }
      tone={isCertain ? "danger" : "warning"}
    >
      {texts.first}
      <Time at={since} />. {texts.last}
      <Time at={lastAt} />. {words.hint} {!isCertain && texts.anybody} {!hasPage && texts.forOthers}
      {hasPage && here === page && words.here}
      {hasPage && here !== page && (
        <Link className="font-medium text-accent underline" params={{ formId: id }} to={pathOf[page]}>
          {words.link}
        </Link>
      )}
    </Notice>
  );
}

const pathOf = { embed: "/forms/$formId/embed", settings: "/forms/$formId/settings" } as const;
