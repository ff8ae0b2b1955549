import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { sessionApi } from "../api/session-api.ts";
import { organizationsQuery } from "../organization/membership.ts";
import { PasswordDialog } from "../session/password-dialog.tsx";
import { sessionQuery, useSession } from "../session/session.ts";
import { useNeedsVerification, VerifyFirstDialog } from "../session/verify-first.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { Badge, Section } from "../ui/page.tsx";
import { NewBackupCodes } from "./new-backup-codes.tsx";
import { SetUpSecondFactor } from "./set-up-second-factor.tsx";
import { useSessionCheck } from "./use-session-check.ts";

type Open = "set-up" | "codes" | "turn-off";

/** A code of an authenticator app in addition to the password: turning it on and off, and its backup codes. */
export function SecondFactor() {
  const { user } = useSession();
  const [open, setOpen] = useState<Open>();
  const [said, setSaid] = useState("");
  const queryClient = useQueryClient();
  const texts = text.secondFactor;
  const isOn = user.twoFactorEnabled === true;

  /** Shown at once: what is asked for again, because this browser got another session, may take long or never arrive. */
  function changed(twoFactorEnabled: boolean): void {
    queryClient.setQueryData(
      sessionQuery.queryKey,
      (session) => session && { ...session, user: { ...session.user, twoFactorEnabled } },
    );
    for (const { queryKey } of [sessionQuery, queries.sessions(), organizationsQuery])
      void queryClient.invalidateQueries({ queryKey });
    setSaid(twoFactorEnabled ? texts.turnedOn : texts.turnedOff);
  }

  return (
    <Section
      id="second-factor"
      intro={
        <>
          {texts.intro} <HelpLink page="secondFactor">{texts.more}</HelpLink>
        </>
      }
      title={texts.title}
    >
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={isOn ? "good" : "neutral"}>{isOn ? text.common.on : text.common.off}</Badge>
          {isOn ? texts.isOn : texts.isOff}
        </p>
        <div className="flex flex-wrap gap-2">
          {isOn ? (
            <>
              <Button onClick={() => setOpen("codes")}>{texts.newCodes}</Button>
              <Button onClick={() => setOpen("turn-off")}>{texts.turnOff}</Button>
            </>
          ) : (
            <Button onClick={() => setOpen("set-up")}>{texts.turnOn}</Button>
          )}
        </div>
      </div>
      <p className="sr-only" role="status">
        {said}
      </p>
      {open !== undefined && (
        <OpenDialog
          onChanged={changed}
          onClose={() => setOpen(undefined)}
          onReplaced={() => setSaid(texts.newCodesCount)}
          open={open}
        />
      )}
    </Section>
  );
}

function OpenDialog({
  open,
  onChanged,
  onReplaced,
  onClose,
}: {
  readonly open: Open;
  readonly onChanged: (isOn: boolean) => void;
  readonly onReplaced: () => void;
  readonly onClose: () => void;
}) {
  const needsVerification = useNeedsVerification();
  switch (open) {
    case "set-up":
      if (needsVerification) return <VerifyFirstDialog onClose={onClose} title={text.secondFactor.setUpTitle} />;
      return (
        <SetUpSecondFactor
          onClose={onClose}
          onTurnedOn={() => {
            onChanged(true);
            onClose();
          }}
        />
      );
    case "codes":
      return <NewBackupCodes onClose={onClose} onReplaced={onReplaced} />;
    case "turn-off":
      return (
        <TurnOff
          onClose={onClose}
          onTurnedOff={() => {
            onChanged(false);
            onClose();
          }}
        />
      );
    default:
      return open satisfies never;
  }
}

function TurnOff({ onClose, onTurnedOff }: { readonly onClose: () => void; readonly onTurnedOff: () => void }) {
  const texts = text.secondFactor;
  const checkSession = useSessionCheck("second-factor");
  return (
    <PasswordDialog
      action={texts.turnOff}
      intro={texts.turnOffIntro}
      isDangerous
      onClose={onClose}
      send={async (confirmation) => {
        await checkSession(() => sessionApi.disableSecondFactor(confirmation));
        onTurnedOff();
      }}
      title={texts.turnOff}
      wantsCode
    />
  );
}
