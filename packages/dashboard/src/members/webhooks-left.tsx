import { Link } from "@tanstack/react-router";
import { text } from "../texts/text.ts";
import { Notice } from "../ui/notice.tsx";

export interface NamedForm {
  readonly id: string;
  readonly name: string;
}

/** The forms that still send to an address that a member chose whose rights to that were taken. */
export function WebhooksLeft({ forms }: { readonly forms: readonly NamedForm[] }) {
  if (forms.length === 0) return null;
  return (
    <div className="mb-3">
      <Notice tone="warning">
        <p>{text.members.webhooksLeft}</p>
        <ul className="mt-1 grid list-disc gap-1 pl-5">
          {forms.map(({ id, name }) => (
            <li key={id}>
              <Link className="font-medium text-accent" params={{ formId: id }} to="/forms/$formId/webhook">
                <bdi className="wrap-anywhere">{name}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}
