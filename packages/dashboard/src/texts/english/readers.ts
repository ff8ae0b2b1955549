import type { EnvelopeRefusal } from "../../envelopes/open-form.ts";
import { formatNumber, plural } from "../format.ts";
import { envelopeRefusals, type RefusalText } from "./envelope-refusals.ts";

export const readers = {
  sweep: {
    label: "Forms that are done",
    state: (done: number, of: number) => `${formatNumber(done)} of ${plural(of, "form", "forms")}`,
    keepOpen: "Keep this page open until it is through. It can be stopped and continued at any time.",
    stop: "Stop",
    stopping: "Stopping…",
    continue: "Continue",
    retry: "Try the others again",
    done: (changed: number) =>
      changed === 0
        ? "All forms are as they should be: nothing had to be changed."
        : `${plural(changed, "form was", "forms were")} changed.`,
    none: (count: number) =>
      `${plural(count, "form has", "forms have")} no envelope: key files open ${count === 1 ? "it" : "them"}, as before.`,
    stopped: (count: number) => `${plural(count, "form is", "forms are")} still to do.`,
    failed: (count: number) => `${plural(count, "form", "forms")} could not be changed`,
  },
};

/** Why a form's readers could not be changed. What differs from the sentence for somebody who opens a form. */
export const sweepRefusals: Readonly<Record<EnvelopeRefusal, RefusalText>> = {
  ...envelopeRefusals,
  not_a_reader: {
    title: "You do not read this form",
    hint: "Only somebody who reads a form can open it for others. Ask a manager or an owner who reads it.",
  },
  wrong_readers: {
    title: "Somebody whom you chose is not in the list of members, or may not read",
    hint: "Look at their role on the Members page, and try again.",
  },
  lost_envelope: {
    title: "The server took the change, but does not show it",
    hint: "The form opens as before. Try again; if it stays, ask who runs the server.",
  },
};
