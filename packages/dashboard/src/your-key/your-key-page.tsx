import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { loadSeenKeys } from "../envelopes/heads.ts";
import { MakeKey } from "../key-copies/make-key.tsx";
import { personalKeyQuery } from "../personal-key/personal-key-query.ts";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import { useSession } from "../session/session.ts";
import { useNeedsVerification, VerifyFirst } from "../session/verify-first.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { focusContent } from "../ui/focus-content.ts";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { PageHeader, Section, Skeleton } from "../ui/page.tsx";
import { CarryOver } from "./carry-over.tsx";
import { FormerSection } from "./former-section.tsx";
import { type KeyChange, KeyChanging } from "./key-changing.tsx";
import { LockSection } from "./lock-section.tsx";
import { OwnFingerprint } from "./own-fingerprint.tsx";
import { ReplaceKey } from "./replace-key.tsx";
import { SignListOnce } from "./sign-list-once.tsx";
import { WaysSection } from "./ways-section.tsx";

const { devices, personalKey, personalKeyReplaced } = text;

const GiveDevice = lazy(async () => ({ default: (await import("../devices/give-device.tsx")).GiveDevice }));

const texts = { ...personalKey, replaced: personalKeyReplaced.replace };

/** The person's own key: made here, unlocked here, with the ways to unlock it. */
export function YourKeyPage() {
  const stored = useQuery(personalKeyQuery);
  const key = usePersonalKey();
  const [isMaking, setIsMaking] = useState(false);
  const [changing, setChanging] = useState<KeyChange>();
  const [isReplacing, setIsReplacing] = useState(false);
  const [isGiving, setIsGiving] = useState(false);
  const [said, setSaid] = useState("");
  const end = () => {
    setIsMaking(false);
    setChanging(undefined);
    setIsReplacing(false);
    setIsGiving(false);
    focusContent();
  };
  return (
    // Long labels wrap where somebody has set large text.
    <div className="mx-auto max-w-3xl [&_button]:whitespace-normal">
      <div className="print:hidden">
        <PageHeader intro={texts.intro} title={text.pages.yourKey} />
      </div>
      {stored.isError && stored.data === undefined && (
        <ErrorNotice error={stored.error} onRetry={() => stored.refetch()} />
      )}
      {isMaking && <MakeKey onCancel={end} onDone={end} />}
      {changing !== undefined && (
        <KeyChanging
          change={changing}
          onEnd={(what) => {
            setSaid(what ?? "");
            end();
          }}
        />
      )}
      {isReplacing && stored.data && <ReplaceKey isOpen={key.kind === "open"} onEnd={end} stored={stored.data} />}
      {isGiving && key.kind === "open" && (
        <Suspense fallback={<Skeleton className="h-40 w-full" />}>
          <GiveDevice onEnd={end} own={key.halves} />
        </Suspense>
      )}
      {!isMaking && !isReplacing && !(isGiving && key.kind === "open") && changing === undefined && (
        <div className="grid grid-cols-1 gap-5">
          {key.kind === "unknown" && !stored.isError && <Skeleton className="h-40 w-full" />}
          {key.kind === "none" && <NoKey onMake={() => setIsMaking(true)} />}
          {(key.kind === "locked" || key.kind === "open") && stored.data && (
            <>
              <LockSection isOpen={key.kind === "open"} />
              {key.kind === "open" && stored.data.formerKeys.length > 0 && <CarryOver />}
              {key.kind === "open" && <SignListOnce />}
              <WaysSection
                copies={stored.data.copies}
                isOpen={key.kind === "open"}
                onChange={(next) => {
                  setSaid("");
                  setChanging(next);
                }}
                said={said}
              />
              {key.kind === "open" && <OwnFingerprint halves={key.halves} />}
              {key.kind === "open" && (
                <Section intro={devices.give.sectionIntro} title={devices.give.section}>
                  <Button onClick={() => setIsGiving(true)}>{devices.give.button}</Button>
                </Section>
              )}
              <FormerSection isOpen={key.kind === "open"} stored={stored.data} />
              <Section intro={texts.replaced.sectionIntro} title={texts.replaced.section}>
                <Button onClick={() => setIsReplacing(true)}>{texts.replaced.button}</Button>
              </Section>
            </>
          )}
        </div>
      )}
    </div>
  );
}

function NoKey({ onMake }: { readonly onMake: () => void }) {
  const needsVerification = useNeedsVerification();
  const { user } = useSession();
  const { data: isHidden } = useQuery({
    queryKey: ["seen-personal-key", user.id],
    queryFn: async () => (await (await loadSeenKeys()).findPublicHalves(user.id)) !== undefined,
  });
  const { none } = texts;
  return (
    <Section title={none.title}>
      <div className="grid gap-4">
        {isHidden && (
          <Notice role="alert" title={none.hidden} tone="danger">
            {none.hiddenHint}
          </Notice>
        )}
        <ul className="grid max-w-2xl list-disc gap-2 pl-5">
          {none.sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <p className="text-muted">
          {none.need} <HelpLink page="personalKey">{none.more}</HelpLink>
        </p>
        {needsVerification ? (
          <VerifyFirst />
        ) : (
          <div>
            <Button look="primary" onClick={onMake}>
              {none.make}
            </Button>
          </div>
        )}
      </div>
    </Section>
  );
}
