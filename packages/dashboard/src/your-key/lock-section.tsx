import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { loadSeenKeys } from "../envelopes/heads.ts";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import { isPassphraseExposed } from "../personal-key/exposed-passphrase.ts";
import { findLockMinutes, type LockMinutes, lockMinutesChoices } from "../personal-key/lock-minutes.ts";
import { lockPersonalKey, setLockMinutes } from "../personal-key/personal-key.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { LockIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { Select } from "../ui/select.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";

const { ownPassphrase, personalKey } = text;

const texts = personalKey.unlock;

/** Whether the key is open in this browser: unlocks it, locks it, and sets when it locks by itself. */
export function LockSection({ isOpen }: { readonly isOpen: boolean }) {
  const [minutes, setMinutes] = useState(findLockMinutes);
  const { data: isLasting } = useQuery({
    queryKey: ["heads-lasting"],
    queryFn: async () => (await loadSeenKeys()).isLasting,
    staleTime: Number.POSITIVE_INFINITY,
  });
  // The button that did it is gone.
  const place = useFocusInstead<HTMLDivElement>(isOpen ? "open" : "locked");
  return (
    <Section intro={texts.intro} title={isOpen ? texts.unlockedTitle : texts.title}>
      <div className="grid gap-5 outline-none" ref={place} tabIndex={-1}>
        <p className="sr-only" role="status">
          {isOpen ? texts.unlocked : texts.locked}
        </p>
        {isOpen && isPassphraseExposed() && (
          <Notice role="alert" title={ownPassphrase.seen.title} tone="danger">
            {ownPassphrase.seen.hint}
          </Notice>
        )}
        {isLasting === false && <Notice>{texts.notLasting}</Notice>}
        {!isOpen && <UnlockPersonalKey />}
        {isOpen && (
          <div>
            <Button icon={<LockIcon />} onClick={lockPersonalKey}>
              {texts.lockNow}
            </Button>
          </div>
        )}
        <Field hint={texts.minutesHint} label={texts.minutes}>
          {(control) => (
            <Select
              {...control}
              className="max-w-xs"
              onChange={(value) => {
                const next = Number(value) as LockMinutes; // one of the options below
                setLockMinutes(next);
                setMinutes(next);
              }}
              options={lockMinutesChoices.map((choice) => [String(choice), texts.minutesOf(choice)])}
              value={String(minutes)}
            />
          )}
        </Field>
      </div>
    </Section>
  );
}
