import { type Form, findHybridFingerprint, findNewestKey, type FormKey as PublishedKey, pinOf } from "@sealpost/sdk";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { queries } from "../api/queries.ts";
import { serviceNow } from "../api/service-clock.ts";
import { useForm } from "../form/form-frame.tsx";
import { AddKeyDialog } from "../keys/add-key-dialog.tsx";
import { HybridMismatch } from "../keys/hybrid-mismatch.tsx";
import { lockForm, useKeys } from "../keys/keyring.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { LockIcon, UnlockIcon } from "../ui/icons.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Badge, Section, Skeleton, useTitle } from "../ui/page.tsx";
import { part } from "../ui/part.tsx";
import { Time } from "../ui/time.tsx";

const Rotation = part(() => import("./rotation.tsx"));
const EndVersions = part(async () => ({ default: (await import("./end-versions.tsx")).EndVersions }));
const KeyLogSection = part(() => import("../key-log/key-log-section.tsx"));
const EnvelopeSection = part(() => import("../readers/envelope-section.tsx"));

export function KeysPage() {
  const form = useForm();
  useTitle(form.name);
  const { data } = useQuery(queries.keys(form.id));
  const held = useKeys(form.id);
  const current = findNewestKey(data ?? []);
  const { encryption } = form.settings;
  const waiting = <Skeleton className="h-24 w-full" />;
  return (
    <div className="in-order mx-auto grid max-w-3xl gap-5">
      <Versions form={form} />
      {data && (
        <NotPrinted>
          <EnvelopeSection fallback={waiting} form={form} published={data} />
        </NotPrinted>
      )}
      {current !== undefined && (
        <Rotation
          currentFingerprint={pinOf(current, held)}
          currentVersion={current.version}
          fallback={waiting}
          form={form}
          isHybrid={findHybridFingerprint(current, held) !== undefined}
        />
      )}
      {current !== undefined && encryption && (
        <NotPrinted>
          <KeyLogSection fallback={waiting} form={form} newest={current} />
        </NotPrinted>
      )}
      {data && encryption && (
        <NotPrinted>
          <EndVersions formId={form.id} versions={data} />
        </NotPrinted>
      )}
    </div>
  );
}

/** Everything on this page that is not printed with the sheet of a new key. */
function NotPrinted({ children }: { readonly children: ReactNode }) {
  return <div className="print:hidden">{children}</div>;
}

/** All versions of the form's keys, and the buttons that bring keys and lock them. */
function Versions({ form }: { readonly form: Form }) {
  const { data = [], isPending, isError, error, refetch } = useQuery(queries.keys(form.id));
  const held = useKeys(form.id);
  const [isUnlocking, setIsUnlocking] = useState(false);
  const texts = text.formKeys;
  const versions = data.toSorted((a, b) => b.version - a.version);
  const current = findNewestKey(versions);
  return (
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
        <HybridMismatch formKeys={data} held={held} />
        {isPending && <Skeleton className="h-12 w-full" />}
        {isError && <ErrorNotice error={error} onRetry={() => refetch()} />}
        <ul className="divide-y divide-line">
          {versions.map((version) => (
            <Version held={held} isCurrent={version === current} key={version.version} version={version} />
          ))}
        </ul>
      </Section>
      {isUnlocking && <AddKeyDialog formId={form.id} onClose={() => setIsUnlocking(false)} />}
    </div>
  );
}

function Version({
  version: { version, fingerprint, hybridFingerprint, createdAt, provedAt, closesAt },
  isCurrent,
  held,
}: {
  readonly version: PublishedKey;
  readonly isCurrent: boolean;
  readonly held: ReturnType<typeof useKeys>;
}) {
  const texts = text.formKeys;
  return (
    <li className="py-3 last:pb-0">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{texts.version(version)}</span>
        {isCurrent && <Badge tone="good">{texts.current}</Badge>}
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
          {texts.ends(closesAt <= serviceNow())}
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
