import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId, useState } from "react";
import { text } from "../texts/text.ts";

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly isOptional?: boolean;
}

interface ControlProps {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
}

/** A label, its control, what helps to fill it in, and what is wrong with it, tied together for everyone. */
export function Field({
  label,
  hint,
  error,
  isOptional,
  children,
}: FieldProps & { readonly children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className="grid gap-1.5">
      <label className="font-medium" htmlFor={id}>
        {label}
        {isOptional && <span className="font-normal text-muted"> ({text.common.optional})</span>}
      </label>
      {children({ id, ...(described && { "aria-describedby": described }), ...(error && { "aria-invalid": true }) })}
      {hint && (
        <p className="text-muted text-sm" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p className="text-danger text-sm" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error,
  isOptional,
  className = "",
  ...rest
}: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <Field error={error} hint={hint} isOptional={isOptional ?? false} label={label}>
      {(control) => <input {...rest} {...control} className={`control ${className}`} />}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  isOptional,
  className = "",
  ...rest
}: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Field error={error} hint={hint} isOptional={isOptional ?? false} label={label}>
      {(control) => <textarea {...rest} {...control} className={`control ${className}`} />}
    </Field>
  );
}

/** A password, which the person who types it may want to see. */
export function PasswordField(props: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const [isShown, setIsShown] = useState(false);
  const { label, hint, error, ...rest } = props;
  return (
    <Field error={error} hint={hint} label={label}>
      {(control) => (
        <div className="relative">
          <input {...rest} {...control} className="control pr-16" type={isShown ? "text" : "password"} />
          <button
            aria-label={isShown ? text.session.hidePassword : text.session.showPassword}
            aria-pressed={isShown}
            className="absolute inset-y-1 right-1 rounded-md px-2 font-medium text-muted text-sm hover:text-ink"
            onClick={() => setIsShown(!isShown)}
            type="button"
          >
            {isShown ? text.session.hide : text.session.show}
          </button>
        </div>
      )}
    </Field>
  );
}

/** A setting that is on or off, with a sentence that says what it does. */
export function SwitchField({
  label,
  hint,
  checked,
  onChange,
  disabled,
}: FieldProps & {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-6">
      <div>
        <label className="font-medium" htmlFor={id}>
          {label}
        </label>
        {hint && (
          <div className="text-muted text-sm" id={`${id}-hint`}>
            {hint}
          </div>
        )}
      </div>
      <button
        aria-checked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className={`relative mt-0.5 h-6 w-11 shrink-0 rounded-full border transition-colors disabled:opacity-55 ${checked ? "border-accent bg-accent" : "border-line-strong bg-sunken"}`}
        disabled={disabled}
        id={id}
        onClick={() => onChange(!checked)}
        role="switch"
        type="button"
      >
        <span
          className={`absolute top-[3px] left-[3px] size-4 rounded-full transition-transform ${checked ? "translate-x-5 bg-on-accent" : "bg-line-strong"}`}
        />
      </button>
    </div>
  );
}
