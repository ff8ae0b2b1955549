import type { SubmissionId } from "@sealpost/wire";
import { collect, losesAll } from "./collect.ts";
import { findInvalidOption } from "./find-invalid-option.ts";
import { guardForm } from "./guard.ts";
import type { ErrorCode } from "./messages.ts";
import type { ErrorDetail, Options, SuccessDetail } from "./options.ts";
import { ownMembers, parseJson } from "./own-members.ts";
import {
  type Control,
  controlsOf,
  isPartOf,
  listen,
  nameOfControl,
  resolveAddress,
  type Submitter,
  unclobbered,
} from "./page.ts";
import { complain } from "./refuse.ts";
import { checkReplaced } from "./self-test.ts";
import { type Answer, isDoubtful } from "./service.ts";
import { createSubmission, deliver, prepare, type Submission } from "./submission.ts";
import type { Target } from "./target.ts";
import { createView, doubleClickMilliseconds } from "./view.ts";

/** How a submission ended. `sent: false` with `retryAfter` is not the end: it is tried again by itself. */
export type Outcome =
  | ({ readonly sent: true } & SuccessDetail)
  | ({ readonly sent: false } & ErrorDetail)
  | { readonly sent: false; readonly code: "cancelled" };

export interface Binding {
  /** Sets what binding has set in the form's attributes once more, should the page have changed it. */
  hold(): void;
  /** Validates and submits, as if the visitor had pressed the button; the page's listeners hear of it. While the same is being sent: the same promise; while other content is: `cancelled`. */
  submit(submitter?: Submitter): Promise<Outcome>;
  /** Gives the form back to the page. What is being sent is not called back, but it is not tried again either. */
  destroy(): void;
}

/**
 * Takes over the submitting of `form`. One submission is on its way at a time. One without a clear answer stays pending:
 * it, and nothing else, is sent until the service has said what became of it.
 */
export function bindForm(target: Target, options: Options, isClear: boolean): Binding {
  const { formId } = target;
  const form = unclobbered(target.form);
  const invalidOption = findInvalidOption(formId, options, target.endpoint);
  if (invalidOption) console.error(`Sealpost: wrong ${invalidOption}`);
  const aborter = new AbortController();
  const view = createView(form, target, options.messages, aborter);
  let pending: Submission | undefined;
  let running: Promise<Outcome> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** There before `quietUntil` counts: nothing begins before the outcome is known that sets both. */
  let last: Outcome;
  let quietUntil = 0;
  /** How often the visitor has changed something. */
  let edits = 0;
  /** Content that the last success left in the form: the second half of a double click finds it unchanged. Before that: the content on its way. */
  let left: string | undefined;
  let leftEdits: number | undefined;
  let pressed: Control | null | undefined;

  const collectNow = (submitter: Control | null | undefined) => collect(target.form, submitter, options.dropTracking);

  /** While a submission is kept, the browser asks before the page is left. Only then: such a listener can cost the back-forward cache. */
  function keep(submission: Submission | undefined): void {
    pending = submission;
    (submission ? addEventListener : removeEventListener)("beforeunload", warn);
  }

  function run(work: () => Promise<Outcome>): Promise<Outcome> {
    running ??= work()
      .catch((error) => {
        console.error(error);
        return fail("misconfigured");
      })
      .then((outcome) => {
        running = undefined;
        last = outcome;
        return outcome;
      });
    return running;
  }

  /** Called in the moment in which the browser would collect; nothing here looks at the fields again. */
  async function start(submitter: Control | null): Promise<Outcome> {
    if (invalidOption) return fail("misconfigured");
    if (options.encryption !== false && !(isSecureContext && crypto.subtle)) return fail("insecure");
    checkReplaced();
    const collected = collectNow(submitter);
    // Anything else within the second is a wish of its own: what a scanner typed, the next visitor's button, a program's next value.
    const isRepeated = collected.content === left && edits === leftEdits;
    if (performance.now() < quietUntil && (isRepeated || !last.sent)) return last;
    quietUntil = 0;
    left = collected.content;
    pressed = submitter;
    const submission = createSubmission(collected, edits);
    const isEmpty = !Object.keys(collected.fields).length && losesAll(form);
    if (!announce("submit", { formId, fields: parseJson(collected.content) }))
      return { sent: false, code: "cancelled" };
    // Who sends the same again has read it, unless it is the second half of a double click.
    if (collected.trap && !isRepeated) {
      leftEdits = edits;
      quietUntil = performance.now() + doubleClickMilliseconds;
      return fail("trapped");
    }
    if (collected.chosen) return fail("file", undefined, collected.chosen);
    if (isEmpty) throw "Sealpost: wrong names";

    view.showSending(submitter);
    if (pending && pending.collected.content !== collected.content) {
      // The first content may have arrived. Only when it is known that it did not may other content follow. Another button is a change too.
      if (pending.doubtful) {
        pending.edits = -1;
        const answer = await deliver(pending, target, options, true);
        if (!answer.code || answer.seconds || isDoubtful(answer)) return conclude(pending, answer);
      }
      pending = undefined;
    }
    const next = pending ?? submission;
    keep(next);
    next.tries = 0;
    return conclude(next, await deliver(next, target, options));
  }

  function resume(): void {
    const submission = pending;
    if (!submission || running || aborter.signal.aborted) return;
    view.showSending(null);
    run(async () => conclude(submission, await deliver(submission, target, options)));
  }

  function conclude(submission: Submission, answer: Answer<SubmissionId>): Outcome {
    clearTimeout(timer);
    keep(undefined);
    if (!answer.code) return succeed(submission);
    const { tries, doubtful } = submission;
    /** After how many tries without an answer only the visitor, or the browser's `online` event, starts another. */
    const triesMax = 10;
    const isTried = isDoubtful(answer) && tries <= triesMax;
    const seconds = answer.seconds ?? (isTried ? Math.min(2 ** tries, 60) : undefined);
    if (doubtful || seconds || isDoubtful(answer)) keep(submission);
    if (seconds) {
      timer = setTimeout(resume, seconds * 1000);
      if (answer.code === "rate_limited") quietUntil = performance.now() + seconds * 1000;
    }
    return fail(answer.code, seconds, undefined, submission);
  }

  function succeed({ id, collected, stripped = [], edits: before }: Submission): Outcome {
    view.release();
    const changed = edits !== before;
    const detail: SuccessDetail = { formId, submissionId: id, stripped, changed };
    const outcome: Outcome = { sent: true, ...detail };
    if (aborter.signal.aborted) return outcome;
    quietUntil = performance.now() + doubleClickMilliseconds;
    view.showSent(changed ? "sent_before" : "sent", stripped);
    left = collected.content;
    if (!changed && options.resetOnSuccess !== false) {
      form.reset();
      left = collectNow(pressed).content;
    }
    leftEdits = edits;
    announce("success", detail);
    const address = !changed && resolveAddress(options.redirect, collected.next);
    if (address) location.assign(address);
    return outcome;
  }

  function fail(code: ErrorCode, retryAfter?: number, field?: string, submission?: Submission): Outcome {
    if (aborter.signal.aborted) return { sent: false, code: "cancelled" };
    // Until it may send again, the button of a rate limited form stays disabled.
    if (code !== "rate_limited") view.release();
    const control = controlsOf(form).find((candidate) => nameOfControl(candidate) === field);
    const detail: ErrorDetail = {
      formId,
      code,
      message: view.failed(code, retryAfter, control, field),
      field,
      retryAfter,
    };
    if (submission && /^(full|key)/.test(code)) view.offer(submission.collected.fields);
    announce("error", detail);
    return { sent: false, ...detail };
  }

  /** Dispatches `sealpost:{type}`; false if a listener cancelled it. */
  function announce(type: string, detail: unknown): boolean {
    return form.dispatchEvent(
      new CustomEvent(`sealpost:${type}`, ownMembers({ detail, bubbles: true, cancelable: true })),
    );
  }

  // As listeners, so that one that throws is reported by the browser and disturbs nothing here.
  function callBack<Detail>(type: string, callback: ((detail: Detail) => unknown) | undefined): void {
    listen(
      target.form,
      `sealpost:${type}`,
      (event) => {
        // Dispatched above, or by the page in its name: then a callback gets what the page says.
        if (callback?.((event as CustomEvent<Detail>).detail) === false) event.preventDefault();
      },
      aborter,
    );
  }

  callBack("submit", options.onSubmit);
  callBack("success", options.onSuccess);
  callBack("error", options.onError);
  /** Outcome of the last press of a button, or call of `submit`. */
  let begun: Promise<Outcome> | undefined;
  const guard = guardForm(target.form, isClear ? formId : undefined, (submitter) => {
    begun = run(() => start(submitter));
    begun.catch(complain);
  });
  // On the document too, because a control may be outside of the form that its form attribute names.
  for (const root of new Set([document, form.getRootNode()]))
    for (const type of ["change", "input"])
      listen(
        root,
        type,
        (event) => {
          if (event.isTrusted && isPartOf(target.form, event.target as Element)) edits++;
        },
        aborter,
        { capture: true },
      );
  // The first focus, and where that failed the first input: a visitor may also be typing before this script is there.
  let isDue: Promise<unknown> = Promise.resolve(!invalidOption && crypto.subtle); // else nothing will be sent from this page
  for (const type of ["input", "focusin"])
    listen(
      target.form,
      type,
      () => {
        isDue = isDue.then((due) => due && prepare(target, options)).catch(() => true);
      },
      aborter,
      { once: true },
    );
  listen(window, "online", () => performance.now() < quietUntil || resume(), aborter);
  listen(
    window,
    "pageshow",
    (event) => {
      // Back from another page: the browser shows this one as it was when the visitor left, perhaps to `redirect`.
      if (!(event as PageTransitionEvent).persisted || running || pending) return; // as its type says
      view.idle();
      quietUntil = 0;
    },
    aborter,
  );

  return {
    hold: guard.hold,
    async submit(submitter) {
      // The promise of other content would say that this was sent.
      if (running) return collectNow(submitter).content === left ? running : { sent: false, code: "cancelled" };
      begun = undefined;
      const isInvalid = !(form.noValidate || submitter?.formNoValidate) && form.matches(":invalid");
      form.requestSubmit(submitter);
      return begun ?? (isInvalid ? fail("invalid") : { sent: false, code: "cancelled" });
    },
    destroy() {
      clearTimeout(timer);
      aborter.abort();
      keep(undefined);
      guard.release();
      view.restore();
    },
  };
}

function warn(event: BeforeUnloadEvent): void {
  event.returnValue = true; // preventDefault alone is younger than the oldest browsers here
}
