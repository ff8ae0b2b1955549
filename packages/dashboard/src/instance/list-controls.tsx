import { useState } from "react";
import { instance as texts } from "../texts/english/instance.ts";
import { Field, TextField } from "../ui/field.tsx";

/** The search field and the order of a list. */
export function useListControls<Sort extends keyof typeof texts.sorts>(sorts: readonly [Sort, ...Sort[]]) {
  const [search, setSearch] = useState("");
  const [sort, setSort] = useState<Sort>(sorts[0]);
  const controls = (
    <form
      className="mb-4 grid gap-4 sm:grid-cols-[1fr_auto]"
      onSubmit={(event) => {
        event.preventDefault();
        setSearch(String(new FormData(event.currentTarget).get("search")).trim());
      }}
    >
      <TextField
        defaultValue={search}
        hint={texts.searchHint}
        label={texts.search}
        maxLength={100}
        name="search"
        onBlur={(event) => setSearch(event.target.value.trim())}
        type="search"
      />
      <Field label={texts.sort}>
        {(control) => (
          <select
            {...control}
            className="control"
            onChange={(event) => setSort(sorts.find((one) => one === event.target.value) ?? sorts[0])}
            value={sort}
          >
            {sorts.map((one) => (
              <option key={one} value={one}>
                {texts.sorts[one]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </form>
  );
  return { search, sort, controls };
}
