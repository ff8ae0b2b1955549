import type { OpeningKey } from "@sealpost/sdk";
import { useRef } from "react";
import { text } from "../texts/text.ts";
import { Notice } from "../ui/notice.tsx";
import { KeyPicker } from "./key-picker.tsx";
import { type NewKey, provesKey, publicKeysOf } from "./new-key.ts";
import { readKey } from "./read-key.ts";

/** The owner brings the saved key back, and it has to open a test value. `onProved` gets the key as it was brought. */
export function ProveKey({
  newKey,
  isProved,
  onProved,
}: {
  readonly newKey: NewKey;
  readonly isProved: boolean;
  readonly onProved: (key: OpeningKey) => void;
}) {
  const { wizard } = text.forms;
  const place = useRef<HTMLDivElement>(null);
  return (
    <div className="grid gap-4 outline-none" ref={place} tabIndex={-1}>
      <div className="empty:absolute" role="status">
        {isProved && <Notice title={wizard.proved} tone="good" />}
      </div>
      {!isProved && (
        <KeyPicker
          onKeys={async (found) => {
            const key = found.find(({ key }) => key.fingerprint === newKey.fingerprint)?.key;
            if (key === undefined || !(await provesKey(publicKeysOf(newKey), key))) return wizard.otherKey;
            onProved(key);
            // The pressed button disappears with the picker: the next Tab continues from here, not from the top of the page.
            place.current?.focus();
            return undefined;
          }}
          read={readKey}
        />
      )}
    </div>
  );
}
