import type { Form } from "@sealpost/receiver";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { buttonClass, Spinner } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { CheckIcon } from "../ui/icons.tsx";
import { Section, useTitle } from "../ui/page.tsx";
import { createSnippets } from "./embed-snippets.ts";
import { useForm } from "./form-frame.tsx";

const pollMilliseconds = 3_000;

/** How to put the form on a page; and, until something has come, waiting for it. */
export function EmbedPage() {
  const form = useForm();
  useTitle(form.name);
  const [wasEmpty] = useState(form.submissionCount === 0);
  const { data: keys } = useQuery(queries.keys(form.id));
  const snippets = createSnippets(form, keys?.at(-1)?.fingerprint, window.location.origin);
  const { embed } = text.forms;
  return (
    <div className="grid gap-5">
      {wasEmpty && <FirstSubmission formId={form.id} />}
      <Section intro={embed.intro} title={embed.title}>
        <div className="grid gap-6">
          <Snippet code={snippets.form} hint={embed.formHint} label={embed.form} />
          <Snippet code={form.embedCode} hint={embed.htmlHint} label={embed.html} />
          <Snippet code={snippets.react} hint={embed.reactHint} label={embed.react} />
          {snippets.pinned !== undefined && (
            <Snippet code={snippets.pinned} hint={embed.pinnedHint} label={embed.pinned} />
          )}
          {form.settings.encryption ? (
            <div>
              <h3 className="font-semibold">{embed.plain}</h3>
              <p className="text-muted">{embed.plainUnavailable}</p>
            </div>
          ) : (
            <Snippet code={snippets.plain} hint={embed.plainHint} label={embed.plain} />
          )}
          <Snippet code={snippets.policy} hint={embed.cspHint} label={embed.csp} />
        </div>
      </Section>
    </div>
  );
}

function Snippet({ label, hint, code }: { readonly label: string; readonly hint: string; readonly code: string }) {
  return (
    <div className="grid gap-2">
      <div>
        <h3 className="font-semibold">{label}</h3>
        <p className="max-w-2xl text-muted">{hint}</p>
      </div>
      <CodeBlock code={code} label={label} />
    </div>
  );
}

function FirstSubmission({ formId }: { readonly formId: Form["id"] }) {
  const { data } = useQuery({
    ...queries.form(formId),
    refetchInterval: ({ state }) => (state.data?.submissionCount === 0 ? pollMilliseconds : false),
  });
  const hasArrived = (data?.submissionCount ?? 0) > 0;
  const { embed } = text.forms;
  return (
    <section
      className={`card flex flex-wrap items-center gap-4 p-5 ${hasArrived ? "border-accent/40! bg-accent-soft!" : ""}`}
      role="status"
    >
      <span className="grid size-10 place-items-center rounded-full bg-accent-soft text-accent">
        {hasArrived ? <CheckIcon className="size-5" /> : <Spinner className="size-5" />}
      </span>
      <div className="min-w-0 grow basis-64">
        <h2 className="font-semibold">{hasArrived ? embed.arrivedTitle : embed.waitingTitle}</h2>
        <p className="text-muted">{hasArrived ? embed.arrivedIntro : embed.waitingIntro}</p>
      </div>
      {hasArrived && (
        <Link className={buttonClass("primary")} params={{ formId }} to="/forms/$formId">
          {embed.arrivedAction}
        </Link>
      )}
    </section>
  );
}
