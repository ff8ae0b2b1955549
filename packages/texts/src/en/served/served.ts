export { htmlForms } from "./html-forms.ts";
export { unsubscribe } from "./unsubscribe.ts";
