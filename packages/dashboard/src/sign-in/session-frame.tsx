import type { ReactNode } from "react";
import { text } from "../texts/text.ts";
import { HelpLink } from "../ui/help-link.tsx";
import { Mark, ShieldIcon } from "../ui/icons.tsx";
import { useTitle } from "../ui/page.tsx";

/** The pages before somebody is signed in: one card, and what the product promises. */
export function SessionFrame({
  title,
  intro,
  children,
}: {
  readonly title: string;
  readonly intro: string;
  readonly children: ReactNode;
}) {
  useTitle(title);
  return (
    <main className="mx-auto grid min-h-dvh max-w-md content-center gap-6 px-4 py-10" id="content">
      <div className="flex items-center gap-2.5 font-semibold text-lg">
        <Mark />
        {text.common.product}
      </div>
      <div className="card p-6 sm:p-8">
        <h1 className="font-semibold text-2xl tracking-tight">{title}</h1>
        <p className="mt-1 mb-6 text-muted">{intro}</p>
        {children}
      </div>
      <p className="flex items-start gap-2 px-1 text-muted text-sm">
        <ShieldIcon className="mt-0.5 size-4" />
        {text.session.promise}
      </p>
      <p className="px-1">
        <HelpLink page="start">{text.common.documentation}</HelpLink>
      </p>
    </main>
  );
}
