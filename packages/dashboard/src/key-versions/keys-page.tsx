import { findHybridFingerprint, findNewestKey, pinOf } from "@sealpost/sdk";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { queries } from "../api/queries.ts";
import { useForm } from "../form/form-frame.tsx";
import { AddKeyDialog } from "../keys/add-key-dialog.tsx";
import { HybridMismatch } from "../keys/hybrid-mismatch.tsx";
import { lockForm, useKeys } from "../keys/keyring.ts";
import { loading } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { LockIcon, UnlockIcon } from "../ui/icons.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Badge, Section, Skeleton, useTitle } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";

const Rotation = lazy(loading(() => import("./rotation.tsx")));
const EndVersions = lazy(loading(async () => ({ default: (await import("./end-versions.tsx")).EndVersions })));
const KeyLogSection = lazy(loading(() => import("../key-log/key-log-section.tsx")));
const EnvelopeSection = lazy(loading(() => import("../readers/envelope-section.tsx")));

export function KeysPage() {
  const form = useForm();
  useTitle(form.name);
  const formKeys = useQuery(queries.keys(form.id));
  const held = useKeys(form.id);
  const [isUnlocking, setIsUnlocking] = useState(false);
  const texts = text.formKeys;
  const versions = (formKeys.data ?? []).toSorted((a, b) => b.version - a.version);
  const current = findNewestKey(versions);
  return (
    <div className="mx-auto grid max-w-3xl gap-5">
      <div className="grid gap-5 print:hidden">
        <Section
          actions={
            <div className="flex flex-wrap gap-2">
              <Button icon={<UnlockIcon />} onClick={() => setIsUnlocking(true)} small>
                {texts.addKey}
              </Button>
              {held.length > 0 && (
                <Button icon={<LockIcon />} onClick={() => lockForm(form.id)} small>
                  {texts.lock}
                </Button>
              )}
            </div>
          }
          intro={texts.intro}
          title={texts.title}
        >
          <HybridMismatch formKeys={formKeys.data ?? []} held={held} />
          {formKeys.isPending && <Skeleton className="h-12 w-full" />}
          {formKeys.isError && <ErrorNotice error={formKeys.error} onRetry={() => formKeys.refetch()} />}
          <ul className="divide-y divide-line">
            {versions.map(({ version, fingerprint, hybridFingerprint, createdAt, provedAt, closesAt }) => (
              <li className="py-3 last:pb-0" key={version}>
                <div className="flex flex-wrap items-center gap-2">
                  <span className="font-medium">{texts.version(version)}</span>
                  {version === current?.version && <Badge tone="good">{texts.current}</Badge>}
                  {held.some((key) => key.fingerprint === fingerprint) ? (
                    <Badge tone="good">{texts.unlocked}</Badge>
                  ) : (
                    <Badge>{texts.locked}</Badge>
                  )}
                  {provedAt === null && <Badge tone="warning">{text.forms.keyUnproved}</Badge>}
                  <span className="text-muted text-sm sm:grow sm:text-right">
                    {texts.made}
                    <Time at={createdAt} />
                  </span>
                </div>
                {closesAt !== undefined && (
                  <p className="mt-1 text-muted text-sm">
                    {texts.ends(closesAt <= Date.now())}
                    <Time at={closesAt} />
                  </p>
                )}
                <Fingerprint value={fingerprint} />
                {hybridFingerprint !== undefined && (
                  <Fingerprint
                    isOpen={held.some(({ hybrid }) => hybrid?.fingerprint === hybridFingerprint)}
                    label={texts.hybridLabel}
                    value={hybridFingerprint}
                  />
                )}
              </li>
            ))}
          </ul>
        </Section>
      </div>
      {formKeys.data && (
        <div className="print:hidden">
          <Suspense fallback={<Skeleton className="h-24 w-full" />}>
            <EnvelopeSection form={form} published={formKeys.data} />
          </Suspense>
        </div>
      )}
      {current !== undefined && (
        <Suspense fallback={<Skeleton className="h-24 w-full" />}>
          <Rotation
            currentFingerprint={pinOf(current, held)}
            currentVersion={current.version}
            form={form}
            isHybrid={findHybridFingerprint(current, held) !== undefined}
          />
        </Suspense>
      )}
      {current !== undefined && form.settings.encryption && (
        <div className="print:hidden">
          <Suspense>
            <KeyLogSection form={form} newest={current} />
          </Suspense>
        </div>
      )}
      {formKeys.data && form.settings.encryption && (
        <div className="print:hidden">
          <Suspense>
            <EndVersions formId={form.id} versions={formKeys.data} />
          </Suspense>
        </div>
      )}
      {isUnlocking && <AddKeyDialog formId={form.id} onClose={() => setIsUnlocking(false)} />}
    </div>
  );
}

/** A fingerprint to compare and copy. The hybrid one has a label, and says for itself whether its key is here. */
function Fingerprint({
  value,
  label,
  isOpen = false,
}: {
  readonly value: string;
  readonly label?: string;
  readonly isOpen?: boolean;
}) {
  const texts = text.formKeys;
  return (
    <div className="mt-1 flex flex-wrap items-center justify-between gap-2">
      <span className="flex min-w-0 flex-wrap items-center gap-x-2">
        {label !== undefined && <span className="text-muted text-sm">{label}</span>}
        <code translate="no" className="break-all font-mono text-sm">
          {value}
        </code>
        {label !== undefined && (
          <Badge tone={isOpen ? "good" : "neutral"}>{isOpen ? texts.unlocked : texts.locked}</Badge>
        )}
      </span>
      <CopyButton look="quiet" value={value} />
    </div>
  );
}
