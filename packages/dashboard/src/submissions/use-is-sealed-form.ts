import { useForm } from "../form/form-frame.tsx";
import { useKeys } from "../keys/keyring.ts";

/**
 * Whether submissions of this form should be sealed, so that one that is not deserves a warning. A server in bad hands may say
 * that the form is not sealed; that its owner has a key for it, it cannot take back.
 */
export function useIsSealedForm(): boolean {
  const form = useForm();
  const keys = useKeys(form.id);
  return form.settings.encryption || keys.length > 0;
}
