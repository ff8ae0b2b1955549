import { text } from "../texts/text.ts";
import { LockIcon } from "../ui/icons.tsx";
import { Badge } from "../ui/page.tsx";

/** Whether a form's submissions are sealed. */
export function SealBadge({ encryption }: { readonly encryption: boolean }) {
  return encryption ? (
    <Badge tone="good">
      <LockIcon className="size-3" />
      {text.forms.sealed}
    </Badge>
  ) : (
    <Badge tone="warning">{text.forms.plain}</Badge>
  );
}
