import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import { text } from "../texts/text.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section, Skeleton } from "../ui/page.tsx";

const { recovery } = text;

const texts = recovery.key;

/** Content that needs the open key of the person; until then, how to open it. */
export function WithOpenKey({ children }: { readonly children: (context: EnvelopeContext) => ReactNode }) {
  const key = usePersonalKey();
  const context = useEnvelopeContext();
  if (key.kind === "unknown" && key.error !== null && key.error !== undefined) return <ErrorNotice error={key.error} />;
  if (key.kind === "none")
    return (
      <Section title={texts.title}>
        <p>
          {texts.none}{" "}
          <Link className="font-medium text-accent underline" to="/account/key">
            {texts.make}
          </Link>
        </p>
      </Section>
    );
  if (key.kind === "locked")
    return (
      <Section intro={texts.locked} title={texts.title}>
        <UnlockPersonalKey />
      </Section>
    );
  return context === undefined ? <Skeleton className="h-40 w-full" /> : children(context);
}
