import { useForm } from "../form/form-frame.tsx";
import { useMay } from "../organization/membership.ts";

/** Whether submissions of this form can be deleted, and by this role: under a legal hold nobody can. */
export function useMayDelete(): boolean {
  const { hold } = useForm();
  return useMay()("binSubmissions") && hold === undefined;
}
