import type { SignerDifferences } from "@sealpost/envelope";
import type { Form } from "@sealpost/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Tabs } from "radix-ui";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { useForm } from "../form/form-frame.tsx";
import { HybridMismatch } from "../keys/hybrid-mismatch.tsx";
import { text } from "../texts/text.ts";
import { buttonClass, Spinner } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { SwitchField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { CheckIcon } from "../ui/icons.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Awaited, Section, Skeleton, useTitle } from "../ui/page.tsx";
import { useSnippets } from "./use-snippets.ts";

const { keyLog: keyLogTexts } = text;

const pollMilliseconds = 3_000;

type Snippets = ReturnType<typeof useSnippets>;

/** How to put the form on a page; and, until something has come, waiting for it. */
export function EmbedPage() {
  const form = useForm();
  useTitle(form.name);
  const [wasEmpty] = useState(form.submissionCount === 0);
  const chosen = useSnippets(form);
  const { snippets, formKeys, held, isAwaited, isWithheld, isPinUnknown } = chosen;
  const { embed } = text.forms;
  return (
    <div className="in-order grid gap-5">
      {wasEmpty && <FirstSubmission formId={form.id} />}
      <HybridMismatch formKeys={formKeys.data ?? []} held={held} />
      <Section
        intro={
          <>
            {embed.intro} <HelpLink page="embed">{embed.more}</HelpLink>{" "}
            <HelpLink page="websiteBuilders">{embed.builders}</HelpLink>
          </>
        }
        title={embed.title}
      >
        <div className="grid gap-6">
          <div className="grid gap-4">
            <Snippet
              // Not one that changes under the finger of somebody who copies it.
              code={chosen.style.isPending ? undefined : snippets.form}
              hint={embed.formHint}
              label={embed.form}
              language={embed.html}
            />
            {chosen.style.isOffered && <StyleChoice style={chosen.style} />}
          </div>
          <div>
            <h3 className="font-semibold">{embed.bind}</h3>
            <p className="max-w-2xl text-muted">
              {isPinUnknown && !isAwaited ? embed.pinUnknown : isWithheld ? embed.withheld : embed.bindHint}
            </p>
          </div>
          {isPinUnknown && formKeys.isLoadingError && (
            <ErrorNotice error={formKeys.error} onRetry={() => formKeys.refetch()} />
          )}
          {isAwaited && <Awaited />}
          {!isWithheld && !isPinUnknown && <Ways chosen={chosen} form={form} />}
          <Snippet code={snippets.policy} hint={embed.cspHint} label={embed.csp} language={embed.header} />
        </div>
      </Section>
    </div>
  );
}

function StyleChoice({ style }: Pick<Snippets, "style">) {
  const { embed } = text.forms;
  return (
    <div className="grid max-w-2xl gap-3">
      <SwitchField checked={style.isWanted} hint={embed.styleHint} label={embed.style} onChange={style.set} />
      {style.isWanted && <StylePictures />}
      {/* Alone, and no part of a sentence: as high as a finger needs. */}
      <HelpLink page="formStyle">{embed.styleMore}</HelpLink>
    </div>
  );
}

/** The ways to bind the form, one at a time, and what they name. */
function Ways({ form, chosen }: { readonly form: Form; readonly chosen: Snippets }) {
  const { embed } = text.forms;
  const { snippets } = chosen;
  const isSealed = form.settings.encryption;
  const ways = [
    { name: "html", label: embed.html, hint: embed.htmlHint, code: snippets.html, language: embed.html },
    { name: "react", label: embed.react, hint: embed.reactHint, code: snippets.react, language: embed.jsx },
    { name: "strict", label: embed.strict, hint: embed.strictHint, code: snippets.strict, language: embed.html },
    isSealed
      ? { name: "plain", label: embed.plain, hint: embed.plainUnavailable, code: undefined, language: embed.html }
      : { name: "plain", label: embed.plain, hint: embed.plainHint, code: snippets.plain, language: embed.html },
  ];
  return (
    <Tabs.Root className="-mt-3 grid gap-3" defaultValue="html">
      {isSealed && <PinChoice chosen={chosen} formId={form.id} />}
      <Tabs.List
        aria-label={embed.bind}
        className="flex w-fit max-w-full flex-wrap gap-1 rounded-lg border border-line bg-sunken p-1"
      >
        {ways.map(({ name, label }) => (
          <Tabs.Trigger
            className="rounded-md px-3 py-1 font-medium text-muted data-[state=active]:bg-raised data-[state=active]:text-ink data-[state=active]:shadow-card"
            key={name}
            value={name}
          >
            {label}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {ways.map(({ name, label, hint, code, language }) => (
        <Tabs.Content className="grid gap-2 rounded-lg" key={name} value={name}>
          <p className="max-w-2xl text-muted">{hint}</p>
          {code !== undefined && <CodeBlock code={code} label={language} name={label} />}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

/** Which keys the page accepts: only the newest, or later keys of the log too. */
function PinChoice({
  formId,
  chosen: { pin, keyLog, isProved, differences, failed },
}: {
  readonly formId: string;
  readonly chosen: Snippets;
}) {
  const { embed } = text.forms;
  return (
    <div className="max-w-2xl">
      <SwitchField
        checked={pin.isWanted}
        hint={isProved || !pin.isWanted ? embed.pinnedHint : `${embed.pinnedHint} ${embed.pinnedUnproved}`}
        label={embed.pinned}
        onChange={pin.set}
      />
      {differences && <WrongSigners {...differences} formId={formId} />}
      {failed && <ErrorNotice error={failed.error} onRetry={failed.retry} what={keyLogTexts.unchecked} />}
      {keyLog.isOffered && (
        <SwitchField
          checked={keyLog.isWanted}
          hint={keyLogTexts.embedHint}
          label={keyLogTexts.embed}
          onChange={keyLog.set}
        />
      )}
    </div>
  );
}

function WrongSigners({ formId, wrong, missing }: SignerDifferences & { readonly formId: string }) {
  if (wrong.length + missing.length === 0) return null;
  return (
    <Notice title={keyLogTexts.notNamed} tone="warning">
      {wrong.length > 0 ? keyLogTexts.notNamedHint(wrong.length) : keyLogTexts.incompleteShort}{" "}
      <Link className="font-medium text-accent" params={{ formId }} to="/forms/$formId/keys">
        {keyLogTexts.notNamedLink}
      </Link>
    </Notice>
  );
}

/** The form with the stylesheet, as the documentation shows it. */
function StylePictures() {
  return (
    <div className="grid max-w-131 grid-cols-2 gap-3">
      {(["light", "dark"] as const).map((theme) => (
        <img
          alt={text.forms.embed.stylePicture[theme]}
          className="h-auto w-full rounded-lg border border-line"
          height={470}
          key={theme}
          loading="lazy"
          src={`/docs/images/form-style-${theme}.png`}
          width={400}
        />
      ))}
    </div>
  );
}

function Snippet({
  label,
  hint,
  code,
  language,
}: {
  readonly label: string;
  readonly hint: string;
  /** `undefined` while it is loaded. */
  readonly code: string | undefined;
  readonly language: string;
}) {
  return (
    <div className="grid gap-2">
      <div>
        <h3 className="font-semibold">{label}</h3>
        <p className="max-w-2xl text-muted">{hint}</p>
      </div>
      {code === undefined ? (
        <Skeleton className="h-64 w-full" />
      ) : (
        <CodeBlock code={code} label={language} name={label} />
      )}
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
        <p className="text-muted">
          {hasArrived ? embed.arrivedIntro(data?.settings.encryption === true) : embed.waitingIntro}
        </p>
      </div>
      {hasArrived && (
        <Link className={buttonClass("primary")} params={{ formId }} to="/forms/$formId">
          {embed.arrivedAction}
        </Link>
      )}
    </section>
  );
}
