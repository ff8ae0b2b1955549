import type { ComponentProps } from "react";
import { PasswordField } from "../ui/field.tsx";

/** A field for six words or a passphrase of one's own: nothing corrects what is typed, and it can be shown, pasted and filled in. */
export function PassphraseField(props: ComponentProps<typeof PasswordField>) {
  return <PasswordField autoCapitalize="none" autoCorrect="off" required spellCheck={false} {...props} />;
}
