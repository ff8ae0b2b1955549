import { type Hint, type Hints, type PiiType, stripPiiInSteps } from "@sealpost/pii";
import { nameOf } from "./collect.ts";
import { createLabelOf } from "./labels.ts";
import { ownMembers } from "./own-members.ts";
import { controlsOf, nameOfControl, unclobbered } from "./page.ts";
import { type Strip, type StripFields, stripMark } from "./privacy.ts";
import { runInSlices } from "./time-slices.ts";
import { typeNames } from "./type-names.ts";

// The second script of the embed, loaded by the first for forms that strip personal data, and only for those.

const stripFields: StripFields = (form, fields, { piiTypes, country }) => {
  const steps = stripPiiInSteps(
    fields,
    hintsOf(form),
    ownMembers({
      // The names come from the page's author; the first step throws on one that it does not know, and then nothing is sent.
      ...(piiTypes == null ? {} : { types: [piiTypes].flat().join(" ").split(/\s+/) as PiiType[] }),
      ...(country == null ? {} : { country }),
    }),
  );
  return runInSlices(steps);
};

const listStripped: Strip["listStripped"] = (form, stripped, messages) => {
  // The first of several with one name.
  const controls = controlsOf(form);
  const labelOf = createLabelOf(form);
  return stripped
    .map(({ field, types }) => {
      const control = controls.find((one) => nameOf(nameOfControl(one)) === field);
      const names = types.map((type) => messages[type] ?? nameType(form, type));
      return `${control ? labelOf(control) : field}${names.length ? ` (${names.join(", ")})` : ""}`;
    })
    .join(", ");
};

/** In the language that the page says of the form, where we have it. */
function nameType(form: HTMLFormElement, type: string): string {
  const language = form.closest("[lang]")?.getAttribute("lang") ?? "";
  return Reflect.get(typeNames[/^de\b/i.test(language) ? "de" : "en"], type) ?? type;
}

Reflect.set(window, stripMark, Object.assign(stripFields, { listStripped }));

type Mutable<Members> = { -readonly [Name in keyof Members]: Members[Name] };

/** The page's hints about its fields, by name. Of several controls with one name, `data-sealpost-pii` on any decides. */
function hintsOf(form: HTMLFormElement): Hints {
  const hints: Record<string, Mutable<Hint>> = Object.create(null);
  const own = unclobbered(form);
  const labelOf = createLabelOf(own);
  for (const control of controlsOf(own)) {
    const name = nameOf(nameOfControl(control));
    const pii = control.getAttribute("data-sealpost-pii");
    const hint: Mutable<Hint> =
      hints[name] ??
      ownMembers({
        type: control.type ?? "",
        autocomplete: control.autocomplete ?? "",
        label: labelOf(control),
        placeholder: control.getAttribute("placeholder") ?? "",
      });
    if (pii !== null) hint.pii = hint.pii === true || pii !== "false";
    hints[name] = hint;
  }
  return hints;
}
