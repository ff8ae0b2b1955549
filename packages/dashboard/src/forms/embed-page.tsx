import { compareHybrid, type Form, findNewestKey, type FormKey as PublishedKey, pinOf } from "@sealpost/sdk";
import { provesFingerprint } from "@sealpost/vault";
import { formatKeyLogHead } from "@sealpost/wire";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Tabs } from "radix-ui";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { embedStyleQuery, keyLogScriptQuery } from "../form/embed-file.ts";
import { createSnippets, type SnippetKeyLog } from "../form/embed-snippets.ts";
import { useForm } from "../form/form-frame.tsx";
import { keyLogQuery } from "../key-log/key-log-query.ts";
import { isSameKey } from "../key-log/logged-key.ts";
import { useStrangeSigners } from "../key-log/strange-signers.ts";
import { HybridMismatch } from "../keys/hybrid-mismatch.tsx";
import { useKeys } from "../keys/keyring.ts";
import { text } from "../texts/text.ts";
import { buttonClass, Spinner } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { SwitchField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { CheckIcon } from "../ui/icons.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section, useTitle } from "../ui/page.tsx";

const { keyLog: keyLogTexts } = text;

const pollMilliseconds = 3_000;

/** How to put the form on a page; and, until something has come, waiting for it. */
export function EmbedPage() {
  const form = useForm();
  useTitle(form.name);
  const [wasEmpty] = useState(form.submissionCount === 0);
  const formKeys = useQuery(queries.keys(form.id));
  const keys = formKeys.data;
  const newest = findNewestKey(keys ?? []);
  const held = useKeys(form.id);
  const fingerprint = newest && pinOf(newest, held);
  const isWithheld = newest !== undefined && compareHybrid(newest, held) !== undefined;
  // A snippet without a pin is chosen by its owner, never given because the server does not answer.
  const isPinUnknown = form.settings.encryption && fingerprint === undefined;
  const [wantsPin, setWantsPin] = useState(true);
  const isPinned = wantsPin && form.settings.encryption && fingerprint !== undefined;
  const { data: style } = useQuery(embedStyleQuery);
  const { keyLog, strangers, failed } = useSnippetKeyLog(form, newest);
  const [wantsKeyLog, setWantsKeyLog] = useState(true);
  const [wantsStyle, setWantsStyle] = useState(true);
  const snippets = createSnippets(
    form,
    isPinned ? [fingerprint] : [],
    window.location.origin,
    (wantsStyle && style) || undefined,
    isPinned && wantsKeyLog ? keyLog : undefined,
  );
  const { embed } = text.forms;
  // Somebody who can write to the database could have put their own key there: only a key brought here proves it is ours.
  const isProved = provesFingerprint(held, fingerprint);
  const ways = [
    { name: "html", label: embed.html, hint: embed.htmlHint, code: snippets.html, language: embed.html },
    { name: "react", label: embed.react, hint: embed.reactHint, code: snippets.react, language: embed.jsx },
    { name: "strict", label: embed.strict, hint: embed.strictHint, code: snippets.strict, language: embed.html },
    form.settings.encryption
      ? { name: "plain", label: embed.plain, hint: embed.plainUnavailable, code: undefined, language: embed.html }
      : { name: "plain", label: embed.plain, hint: embed.plainHint, code: snippets.plain, language: embed.html },
  ];
  return (
    <div className="grid gap-5">
      {wasEmpty && <FirstSubmission formId={form.id} />}
      <HybridMismatch formKeys={keys ?? []} held={held} />
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
            <Snippet code={snippets.form} hint={embed.formHint} label={embed.form} language={embed.html} />
            {style && (
              <div className="grid max-w-2xl gap-3">
                <SwitchField checked={wantsStyle} hint={embed.styleHint} label={embed.style} onChange={setWantsStyle} />
                {wantsStyle && <StylePictures />}
                {/* Alone, and no part of a sentence: as high as a finger needs. */}
                <HelpLink
                  className="py-1 font-medium text-accent text-sm underline-offset-2 hover:underline"
                  page="formStyle"
                >
                  {embed.styleMore}
                </HelpLink>
              </div>
            )}
          </div>
          <div>
            <h3 className="font-semibold">{embed.bind}</h3>
            <p className="max-w-2xl text-muted">
              {isPinUnknown ? embed.pinUnknown : isWithheld ? embed.withheld : embed.bindHint}
            </p>
          </div>
          {isPinUnknown && formKeys.isLoadingError && (
            <ErrorNotice error={formKeys.error} onRetry={() => formKeys.refetch()} />
          )}
          {!isWithheld && !isPinUnknown && (
            <Tabs.Root className="-mt-3 grid gap-3" defaultValue="html">
              {form.settings.encryption && (
                <div className="max-w-2xl">
                  <SwitchField
                    checked={wantsPin}
                    hint={isProved || !wantsPin ? embed.pinnedHint : `${embed.pinnedHint} ${embed.pinnedUnproved}`}
                    label={embed.pinned}
                    onChange={setWantsPin}
                  />
                  {strangers > 0 && <StrangeSigners count={strangers} formId={form.id} />}
                  {failed && <ErrorNotice error={failed.error} onRetry={failed.retry} what={keyLogTexts.unchecked} />}
                  {isPinned && keyLog !== undefined && (
                    <SwitchField
                      checked={wantsKeyLog}
                      hint={keyLogTexts.embedHint}
                      label={keyLogTexts.embed}
                      onChange={setWantsKeyLog}
                    />
                  )}
                </div>
              )}
              <Tabs.List
                aria-label={embed.bind}
                className="flex w-fit max-w-full flex-wrap gap-1 rounded-lg border border-line bg-sunken p-1"
              >
                {ways.map(({ name, label }) => (
                  <Tabs.Trigger
                    className="whitespace-nowrap rounded-md px-3 py-1 font-medium text-muted data-[state=active]:bg-raised data-[state=active]:text-ink data-[state=active]:shadow-card"
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
          )}
          <Snippet code={snippets.policy} hint={embed.cspHint} label={embed.csp} language={embed.header} />
        </div>
      </Section>
    </div>
  );
}

interface SnippetChoice {
  readonly keyLog?: SnippetKeyLog | undefined;
  /** Keys that may sign the next entry, and that nobody vouches for here. */
  readonly strangers: number;
  readonly failed?: { readonly error: Error; readonly retry: () => unknown } | undefined;
}

/**
 * Where the form has a key log that is in order, and names the newest key. A page that names an entry takes whatever its signers make of it: so only
 * one that owners and managers of the list alone continue.
 */
function useSnippetKeyLog(form: Form, newest: PublishedKey | undefined): SnippetChoice {
  const { data } = useQuery(keyLogQuery(form.id));
  const log = data?.kind === "checked" ? data.log : undefined;
  const isSame = log !== undefined && newest !== undefined && isSameKey(log.entry.key, newest);
  const strange = useStrangeSigners(form.id, isSame ? log : undefined);
  const isUsable = isSame && strange.data?.length === 0;
  const { data: script } = useQuery({ ...keyLogScriptQuery, enabled: isUsable });
  return {
    keyLog: isUsable && script ? { pin: formatKeyLogHead(log.head), script } : undefined,
    strangers: isSame ? (strange.data?.length ?? 0) : 0,
    failed: strange.isLoadingError ? { error: strange.error, retry: strange.refetch } : undefined,
  };
}

function StrangeSigners({ formId, count }: { readonly formId: string; readonly count: number }) {
  return (
    <Notice title={keyLogTexts.notNamed} tone="warning">
      {keyLogTexts.notNamedHint(count)}{" "}
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
          height={446}
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
  readonly code: string;
  readonly language: string;
}) {
  return (
    <div className="grid gap-2">
      <div>
        <h3 className="font-semibold">{label}</h3>
        <p className="max-w-2xl text-muted">{hint}</p>
      </div>
      <CodeBlock code={code} label={language} name={label} />
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
