import type { TickProps } from "../form-kit/use-fields.ts";
import { text } from "../texts/text.ts";
import { FormsLoading } from "./forms-loading.tsx";
import { isForNamedForms, useAllForms } from "./member-queries.ts";
import type { Role } from "./offers.ts";

const { members: texts } = text;

export interface Grant {
  readonly role: Role;
  readonly forms?: string[];
}

/** The fields of `GrantFields`. */
export interface GrantValues {
  readonly role: Role;
  readonly forms: readonly string[];
}

export const readGrant = ({ role, forms }: GrantValues): Grant =>
  isForNamedForms(role) ? { role, forms: [...forms] } : { role };

/** A role that needs some forms, and got none. */
export const checkGrant = ({ role, forms }: GrantValues): { readonly forms?: string } =>
  isForNamedForms(role) && forms.length === 0 ? { forms: texts.formMissing } : {};

interface FormChoiceProps {
  readonly tickOf: (formId: string) => TickProps & { readonly value: string };
  readonly mistake: string | undefined;
}

/** The choice of a role and, where it is for some forms, of these. */
export function GrantFields({
  roles,
  role,
  radioOf,
  ...choice
}: FormChoiceProps & {
  readonly roles: readonly Role[];
  readonly role: Role;
  readonly radioOf: (role: Role) => TickProps;
}) {
  return (
    <>
      <fieldset className="grid gap-1">
        <legend className="mb-1 font-medium">{texts.role}</legend>
        {roles.map((one) => (
          <label className="flex items-start gap-3 py-1 pointer-coarse:min-h-11" key={one}>
            <input {...radioOf(one)} className="mt-1" type="radio" value={one} />
            <span>
              {texts.roles[one]}
              <span className="block text-muted text-sm">{texts.mayDo[one]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {isForNamedForms(role) && <FormChoice {...choice} hint={texts.formsHint} none={texts.noForms} />}
    </>
  );
}

/** The choice of some forms. */
export function FormChoice({
  hint,
  none,
  tickOf,
  mistake,
}: FormChoiceProps & {
  readonly hint: string;
  /** Said when there is no form to choose. */
  readonly none: string;
}) {
  const { forms, isComplete, error } = useAllForms();
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium">{texts.forms}</legend>
      <p className="text-muted text-sm">{hint}</p>
      {isComplete && forms.length === 0 && <p className="text-warning">{none}</p>}
      {forms.length > 0 && (
        <ul className="rounded-lg border border-line px-3 py-1">
          {forms.map(({ id, name }) => (
            <li key={id}>
              <label className="flex items-center gap-3 py-1.5 pointer-coarse:min-h-11">
                <input {...tickOf(id)} type="checkbox" />
                <bdi className="min-w-0 wrap-anywhere">{name}</bdi>
              </label>
            </li>
          ))}
        </ul>
      )}
      {!isComplete && <FormsLoading error={error} />}
      {mistake !== undefined && (
        <p className="text-danger text-sm" role="alert">
          {mistake}
        </p>
      )}
    </fieldset>
  );
}
