import { useQuery } from "@tanstack/react-query";
import { type AuditFilters, isFiltered } from "../api/audit-filters.ts";
import { membersQuery, useAllForms } from "../organization/member-queries.ts";
import { useMay } from "../organization/membership.ts";
import { nameOf } from "../organization/names.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Field, TextField } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";

const { auditLog: texts } = text;

type Option = readonly [value: string, name: string];
const kinds = Object.entries(texts.kinds);

/** The filters of the audit log. Each choice shows what it leaves at once. */
export function AuditFilterFields({
  filters,
  onChange,
}: {
  readonly filters: AuditFilters;
  readonly onChange: (filters: AuditFilters) => void;
}) {
  const members = useQuery({ ...membersQuery, enabled: useMay()("listMembers") });
  const { forms } = useAllForms();
  const choices = [
    ["person", members.data?.members.map((member) => [member.id, nameOf(member)] as const) ?? []],
    ["kind", kinds],
    ["form", forms.map(({ id, name }) => [id, name] as const)],
  ] as const;
  const change = (name: keyof AuditFilters, value: string) =>
    onChange({ ...filters, [name]: value === "" ? undefined : value });
  return (
    <search aria-label={texts.filters} className="mb-5 grid gap-4 border-line border-b pb-5 sm:grid-cols-6">
      {choices.map(([name, options]) => (
        <div className="min-w-0 sm:col-span-2" key={name}>
          <Field label={texts.filter[name]}>
            {(control) => (
              <Select
                {...control}
                className="w-full"
                onChange={(value) => change(name, value)}
                options={[["", texts.all[name]], ...withChosen(options, filters[name])]}
                value={filters[name] ?? ""}
              />
            )}
          </Field>
        </div>
      ))}
      {(["from", "to"] as const).map((name) => (
        <div className="min-w-0 sm:col-span-2" key={name}>
          <TextField
            label={texts.filter[name]}
            onChange={(event) => change(name, event.target.value)}
            type="date"
            value={filters[name] ?? ""}
          />
        </div>
      ))}
      {isFiltered(filters) && (
        <div className="self-end sm:col-span-2">
          <Button onClick={() => onChange({})}>{texts.clear}</Button>
        </div>
      )}
    </search>
  );
}

/** Who or what an address names may be gone: then it is shown by its id. */
function withChosen(options: readonly Option[], chosen: string | undefined): readonly Option[] {
  if (chosen === undefined || options.some(([value]) => value === chosen)) return options;
  return [...options, [chosen, chosen]];
}
