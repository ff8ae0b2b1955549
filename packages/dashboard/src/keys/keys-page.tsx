import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { useForm } from "../forms/form-frame.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { LockIcon, UnlockIcon } from "../ui/icons.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Badge, Section, Skeleton, useTitle } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { AddKeyDialog } from "./add-key-dialog.tsx";
import { lockForm, useKeys } from "./keyring.ts";
import { RotateKeys } from "./rotate-keys.tsx";

export function KeysPage() {
  const form = useForm();
  useTitle(form.name);
  const formKeys = useQuery(queries.keys(form.id));
  const held = useKeys(form.id);
  const [isUnlocking, setIsUnlocking] = useState(false);
  const texts = text.formKeys;
  const versions = (formKeys.data ?? []).toSorted((a, b) => b.version - a.version);
  const current = versions[0];
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
          {formKeys.isPending && <Skeleton className="h-12 w-full" />}
          {formKeys.isError && <ErrorNotice error={formKeys.error} onRetry={() => formKeys.refetch()} />}
          <ul className="divide-y divide-line">
            {versions.map(({ version, fingerprint, createdAt, madeBy, provedAt }) => (
              <li className="py-3 last:pb-0" key={version}>
                <div className="flex flex-wrap items-center gap-2">
                  <span className="font-medium">{texts.version(version)}</span>
                  {version === current?.version && <Badge tone="good">{texts.current}</Badge>}
                  {held.some((key) => key.fingerprint === fingerprint) ? (
                    <Badge tone="good">{texts.unlocked}</Badge>
                  ) : (
                    <Badge>{texts.locked}</Badge>
                  )}
                  {madeBy !== null && provedAt === null && <Badge tone="warning">{text.forms.keyUnproved}</Badge>}
                  <span className="text-muted text-sm sm:grow sm:text-right">
                    {texts.made}
                    <Time at={createdAt} />
                  </span>
                </div>
                <div className="mt-1 flex flex-wrap items-center justify-between gap-2">
                  <code className="break-all font-mono text-sm">{fingerprint}</code>
                  <CopyButton look="quiet" value={fingerprint} />
                </div>
              </li>
            ))}
          </ul>
        </Section>
      </div>
      {current !== undefined && (
        <RotateKeys
          currentFingerprint={current.fingerprint}
          currentVersion={current.version}
          form={form}
          isHybrid={current.hybridPublicKey !== undefined}
        />
      )}
      {isUnlocking && <AddKeyDialog formId={form.id} onClose={() => setIsUnlocking(false)} />}
    </div>
  );
}
