import { text } from "../texts/text.ts";
import { helpPages } from "./help-pages.ts";
import { LeaveIcon } from "./icons.tsx";

/**
 * Leads to a page of the documentation, in a tab of its own: unlocked keys, and what was typed, are in the memory of this one.
 */
export function HelpLink({
  page,
  children,
  className = "py-1 pointer-coarse:py-3.5 font-medium text-accent text-sm underline-offset-2 hover:underline",
  iconClassName = "inline",
}: {
  readonly page: keyof typeof helpPages;
  readonly children: string;
  readonly className?: string;
  readonly iconClassName?: string;
}) {
  const lastWord = children.lastIndexOf(" ") + 1;
  return (
    <a className={`rounded ${className}`} href={helpPages[page]} rel="noopener" target="_blank">
      {children.slice(0, lastWord)}
      {/* The icon never begins a line of its own. */}
      <span className="whitespace-nowrap">
        {children.slice(lastWord)}
        <LeaveIcon className={`ml-1 size-3.5 ${iconClassName}`} />
      </span>
      <span className="sr-only">{text.common.newTab}</span>
    </a>
  );
}
