import { useState } from "react";
import { text } from "../texts/text.ts";
import { FormsLoading } from "./forms-loading.tsx";
import { isForNamedForms, useAllForms } from "./member-queries.ts";
import type { Role } from "./offers.ts";

const { members: texts } = text;

export interface Grant {
  readonly role: Role;
  readonly forms?: string[];
}

/** The choice in `GrantFields`; `undefined` when no form is named for a role that needs some. */
export function readGrant(data: FormData): Grant | undefined {
  const role = data.get("role") as Role; // one of the radio buttons below, of which one is always chosen
  if (!isForNamedForms(role)) return { role };
  const forms = data.getAll("form").map(String);
  return forms.length > 0 ? { role, forms } : undefined;
}

/** The choice of a role and, where it is for some forms, of these. */
export function GrantFields({
  roles,
  initial,
  isFormMissing,
  onRole,
}: {
  readonly roles: readonly Role[];
  readonly initial: { readonly role: Role; readonly forms: readonly string[] };
  readonly isFormMissing: boolean;
  readonly onRole?: (role: Role) => void;
}) {
  const [role, setRole] = useState(initial.role);
  return (
    <>
      <fieldset className="grid gap-1">
        <legend className="mb-1 font-medium">{texts.role}</legend>
        {roles.map((one) => (
          <label className="flex items-start gap-3 py-1 pointer-coarse:min-h-11" key={one}>
            <input
              checked={role === one}
              className="mt-1"
              name="role"
              onChange={() => {
                setRole(one);
                onRole?.(one);
              }}
              type="radio"
              value={one}
            />
            <span>
              {texts.roles[one]}
              <span className="block text-muted text-sm">{texts.mayDo[one]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {isForNamedForms(role) && (
        <FormChoice hint={texts.formsHint} none={texts.noForms} initial={initial.forms} isMissing={isFormMissing} />
      )}
    </>
  );
}

/** The choice of some forms, as boxes called `form`. */
export function FormChoice({
  hint,
  none,
  initial,
  isMissing,
}: {
  readonly hint: string;
  /** Said when there is no form to choose. */
  readonly none: string;
  readonly initial: readonly string[];
  /** Whether none was chosen, which is then said. */
  readonly isMissing: boolean;
}) {
  const { forms, isComplete, error } = useAllForms();
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium">{texts.forms}</legend>
      <p className="text-muted text-sm">{hint}</p>
      {isComplete && forms.length === 0 && <p className="text-warning">{none}</p>}
      {forms.length > 0 && (
        <ul className="max-h-60 overflow-y-auto rounded-lg border border-line px-3 py-1">
          {forms.map(({ id, name }) => (
            <li key={id}>
              <label className="flex items-center gap-3 py-1.5 pointer-coarse:min-h-11">
                <input defaultChecked={initial.includes(id)} name="form" type="checkbox" value={id} />
                <bdi className="min-w-0 break-words">{name}</bdi>
              </label>
            </li>
          ))}
        </ul>
      )}
      {!isComplete && <FormsLoading error={error} />}
      {isMissing && (
        <p className="text-danger text-sm" role="alert">
          {texts.formMissing}
        </p>
      )}
    </fieldset>
  );
}
