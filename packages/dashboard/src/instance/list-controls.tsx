import { useNavigate, useSearch } from "@tanstack/react-router";
import { text } from "../texts/text.ts";
import { Field, TextField } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";
import type { Sort } from "./instance-search.ts";

const { instance: texts } = text;

/** The search field and the order of a list. Both are in the address. */
export function ListControls({ sorts, sort }: { readonly sorts: readonly Sort[]; readonly sort: Sort }) {
  const { search = "" } = useSearch({ from: "/frame/instance" });
  const navigate = useNavigate({ from: "/instance" });
  const find = (text: string) => {
    const next = text.trim();
    if (next !== search)
      void navigate({ search: ({ view, sort }) => ({ view, sort, search: next === "" ? undefined : next }) });
  };
  return (
    <search aria-label={texts.search}>
      <form
        className="mb-4 grid items-start gap-4 sm:grid-cols-[1fr_auto]"
        onSubmit={(event) => {
          event.preventDefault();
          find(String(new FormData(event.currentTarget).get("search")));
        }}
      >
        <TextField
          defaultValue={search}
          hint={texts.searchHint}
          key={search}
          label={texts.search}
          maxLength={100}
          name="search"
          onBlur={(event) => find(event.target.value)}
          type="search"
        />
        <Field label={texts.sort}>
          {(control) => (
            <Select
              {...control}
              onChange={(next) =>
                void navigate({
                  search: ({ view, search }) => ({ view, search, sort: sorts.find((one) => one === next) }),
                })
              }
              options={sorts.map((one) => [one, texts.sorts[one]] as const)}
              value={sort}
            />
          )}
        </Field>
      </form>
    </search>
  );
}
