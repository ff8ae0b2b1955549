import { isSealedKey } from "@sealpost/vault";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { describeError } from "../api/describe-error.ts";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { HelpLink } from "../ui/help-link.tsx";
import { useLeaveGuard } from "../ui/leave-guard.tsx";
import { canKeepKeys } from "./can-keep-keys.ts";
import { KeyPicker } from "./key-picker.tsx";
import { addAndRememberKeys, addKeys, labelKey } from "./keyring.ts";
import { type FoundKey, readKey } from "./read-key.ts";
import { reportProofsOf } from "./report-proofs.ts";

/**
 * Brings a key to a form. The form's list of fingerprints says whether it belongs here and to which version; what the file
 * says of itself only helps to name the form that it does belong to.
 */
export function Unlock({ formId, onUnlocked }: { readonly formId: string; readonly onUnlocked?: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  const isTyped = () => !!place.current?.querySelector("textarea")?.value.trim();
  const guard = useLeaveGuard(isTyped, text.keys.leave, "none");
  const [isChosen, setIsChosen] = useState(false);
  const { data: versions } = useQuery(queries.keys(formId));
  const isHybrid = versions?.some(({ hybridFingerprint }) => hybridFingerprint !== undefined) ?? false;
  const { data: canKeep = true } = useQuery(canKeepKeys(isHybrid));
  const isRemembered = isChosen && canKeep;
  const unlock = useUnlock(formId, isRemembered);
  return (
    <div ref={place}>
      {guard.question}
      <KeyPicker
        extra={
          <>
            <RememberChoice canKeep={canKeep} isRemembered={isRemembered} onChange={setIsChosen} />
            <p>
              <HelpLink page="lostKey">{text.keys.lostLink}</HelpLink>
            </p>
          </>
        }
        onKeys={async (found) => {
          const refused = await unlock(found);
          if (refused === undefined) onUnlocked?.();
          return refused;
        }}
        read={readKey}
      />
    </div>
  );
}

function RememberChoice({
  canKeep,
  isRemembered,
  onChange,
}: {
  readonly canKeep: boolean;
  readonly isRemembered: boolean;
  readonly onChange: (isChosen: boolean) => void;
}) {
  const hintId = useId();
  return (
    <label className="flex items-start gap-3">
      <input
        aria-describedby={hintId}
        checked={isRemembered}
        className="mt-1"
        disabled={!canKeep}
        onChange={(event) => onChange(event.target.checked)}
        type="checkbox"
      />
      <span>
        <span className="font-medium">{text.keys.remember}</span>
        <span className="block text-muted text-sm" id={hintId}>
          {canKeep ? text.keys.rememberHint : text.keys.keepsNoHybrid}
        </span>
      </span>
    </label>
  );
}

/** Opens the form with the keys that belong to it. Returns a sentence with the reason if none does. */
function useUnlock(formId: string, isRemembered: boolean) {
  const queryClient = useQueryClient();
  return async (found: readonly FoundKey[]): Promise<string | undefined> => {
    const formKeys = await queryClient.ensureQueryData(queries.keys(formId)).catch((error: unknown) => {
      const { title, hint = "" } = describeError(error);
      return `${title}. ${hint}`;
    });
    if (typeof formKeys === "string") return formKeys;
    const own = found.flatMap(({ key }) =>
      formKeys
        .filter(({ fingerprint }) => fingerprint === key.fingerprint)
        .map(({ version }) => labelKey(key, formId, version)),
    );
    // If several keys are given, some may belong to other forms in the same folder.
    if (own.length === 0) return found[0] && describeStranger(found[0], formId);
    if (isRemembered && !own.every(isSealedKey)) return text.keys.cannotRememberHybrid;
    try {
      if (isRemembered) await addAndRememberKeys(formId, own);
      else addKeys(formId, own);
    } catch {
      return text.keys.cannotRemember;
    }
    void reportProofsOf(queryClient, formId, own);
    return undefined;
  };
}

function describeStranger({ key, formName }: FoundKey, formId: string): string {
  const isOther = key.formId !== undefined && key.formId !== formId;
  const what = isOther
    ? formName === undefined
      ? text.keys.otherForm
      : text.keys.otherFormNamed(formName)
    : text.keys.unknownKey;
  return `${what}. ${text.keys.fingerprintOf(key.fingerprint)}`;
}
