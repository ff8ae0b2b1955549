import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
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
  const fields = useFields({ initial: { search }, passing: "search", send: (typed) => find(typed.search) });
  const { set } = fields;
  useEffect(() => set("search", search), [set, search]);
  return (
    <search aria-label={texts.search}>
      <FieldsForm className="mb-4 grid items-start gap-4 sm:grid-cols-[1fr_auto]" fields={fields}>
        <TextField
          {...fields.text("search")}
          hint={texts.searchHint}
          label={texts.search}
          maxLength={100}
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
      </FieldsForm>
    </search>
  );
}
