import { type ReactNode, useEffect, useState } from "react";
import { text } from "../texts/text.ts";
import { useLeaveGuard } from "../ui/leave-guard.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import type { FormFields } from "./use-fields.ts";

/**
 * The form around fields, and the only one there is: it sends once, says above its fields what none of them says, and asks before what was
 * typed is lost: on the way to another page, with the dialog around it, and with a session that ends.
 */
export function FieldsForm({
  fields,
  id,
  className = "grid gap-4",
  isCheckedHere = false,
  notice,
  children,
}: {
  readonly fields: FormFields;
  /** For a button outside of the form. */
  readonly id?: string;
  readonly className?: string;
  /** The form says itself what is wrong; otherwise the browser says first what is missing. */
  readonly isCheckedHere?: boolean;
  /** Shown instead of the error, where the page has more to say of it or says it elsewhere. */
  readonly notice?: ReactNode;
  readonly children: ReactNode;
}) {
  const { error, isElsewhere } = fields;
  return (
    <>
      <form className={className} id={id} noValidate={isCheckedHere} onSubmit={fields.submit} ref={fields.form}>
        {isElsewhere && (notice === undefined ? error !== null && <ErrorNotice error={error} /> : notice)}
        <WrongFields fields={fields} />
        {children}
      </form>
      {!fields.isPassing && <LeaveQuestion fields={fields} />}
    </>
  );
}

/** Where more than one field is wrong: which, and the way to each. The first has the focus already. */
function WrongFields({ fields: { form, refusals, wrong } }: { readonly fields: FormFields }) {
  const [found, setFound] = useState<readonly HTMLElement[]>([]);
  useEffect(() => {
    const invalid = form.current?.querySelectorAll<HTMLElement>("[aria-invalid=true]");
    setFound(refusals > 0 && wrong > 1 ? [...(invalid ?? [])] : []);
  }, [form, refusals, wrong]);
  if (found.length < 2) return null;
  return (
    <Notice title={text.common.mistakes} tone="danger">
      <ul className="flex flex-wrap gap-x-4">
        {found.map((field) => (
          <li key={field.id}>
            <button className="py-1 font-medium underline" onClick={() => field.focus()} type="button">
              {nameOf(field)}
            </button>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function nameOf(field: HTMLElement): string {
  const [label] = "labels" in field ? (field.labels as NodeListOf<HTMLLabelElement>) : []; // as every control that is labelled
  return label?.textContent ?? field.ariaLabel ?? "";
}

function LeaveQuestion({ fields }: { readonly fields: FormFields }) {
  const sending = { change: fields, texts: text.common.leaveUnsure };
  return useLeaveGuard(fields.holds, fields.leave ?? text.common.leaveTyped, sending, fields.forget).question;
}
