import { useForm } from "../forms/form-frame.tsx";
import { useMay } from "../members/membership.ts";

/** Whether submissions of this form can be deleted, and by this role: under a legal hold nobody can. */
export function useMayDelete(): boolean {
  const { hold } = useForm();
  return useMay()("binSubmissions") && hold === undefined;
}
