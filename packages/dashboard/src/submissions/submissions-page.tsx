import { useForm } from "../forms/form-frame.tsx";
import { text } from "../texts/text.ts";

export function SubmissionsPage() {
  const form = useForm();
  return <p>{text.forms.submissionCount(form.submissionCount)}</p>;
}
