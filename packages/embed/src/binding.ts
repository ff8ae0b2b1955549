import type { SubmissionId } from "@sealpost/wire";
import { collect, findControl, labelOf } from "./collect.ts";
import type { ErrorCode } from "./messages.ts";
import { type ErrorDetail, findFault, type Options, type SuccessDetail } from "./options.ts";
import { announce, type Control, isValid, listen } from "./page.ts";
import { redirectAddress } from "./redirect.ts";
import type { Answer } from "./service.ts";
import { createSubmission, deliver, type Submission, type Target } from "./submission.ts";
import { createView } from "./view.ts";

/** How a submission ended. `sent: false` with `retryAfter` is not the end: it is tried again by itself. */
export type Outcome =
  | ({ readonly sent: true } & SuccessDetail)
  | ({ readonly sent: false } & ErrorDetail)
  | { readonly sent: false; readonly code: "cancelled" };

export interface Binding {
  /** Validates and submits, as if the visitor had pressed the button. While one is being sent: the same promise. */
  submit(submitter?: HTMLButtonElement | HTMLInputElement): Promise<Outcome>;
  /** Gives the form back to the page. What is being sent is not called back. */
  destroy(): void;
}

const retrySeconds = [2, 5, 15, 30, 60, 60, 60, 60, 60, 60];
/** The second click of a double click must not send an emptied form, even if the service was faster than the visitor. */
const doubleClickMilliseconds = 1000;

/**
 * Takes over the submitting of `form`. One submission is on its way at a time. One without a clear answer stays pending:
 * it, and nothing else, is sent until the service has said what became of it.
 */
export function bindForm(target: Target, options: Options): Binding {
  const { form, formId } = target;
  const fault = findFault(formId, options);
  if (fault !== undefined) console.error(`Sealpost: ${fault}`);
  const aborter = new AbortController();
  const { signal } = aborter;
  const view = createView(form, formId, options.messages ?? {}, signal);
  let pending: Submission | undefined;
  let running: Promise<Outcome> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: Outcome | undefined;
  let quietUntil = 0;

  function run(work: () => Promise<Outcome>): Promise<Outcome> {
    running ??= work()
      .catch((error) => {
        console.error("Sealpost:", error);
        return fail("misconfigured");
      })
      .then((outcome) => {
        running = undefined;
        last = outcome;
        return outcome;
      });
    return running;
  }

  async function start(submitter: Control | null): Promise<Outcome> {
    if (last !== undefined && performance.now() < quietUntil) return last;
    if (fault !== undefined) return fail("misconfigured");
    if (options.encryption !== false) {
      if (!isSecureContext) return fail("insecure");
      if (!crypto.subtle) return fail("unsupported");
    }
    if (options.onSubmit?.() === false || !announce(form, "sealpost:submit", { formId }))
      return { sent: false, code: "cancelled" };
    const collected = collect(form, submitter, options.dropTracking);
    const submission = createSubmission(collected, submitter);
    if (collected.trapped) return succeed(submission);
    if (collected.file !== undefined) return blameFile(collected.file);

    clearTimeout(timer);
    view.sending(submitter);
    if (pending !== undefined && pending.collected.content !== collected.content) {
      // What was sent first may have arrived. Only when it is known that it did not may other content follow.
      const answer: Answer<SubmissionId> = pending.doubtful
        ? await deliver(pending, target, options)
        : { kind: "refused", code: "refused" };
      if (answer.kind !== "refused") return conclude(pending, answer);
      pending = undefined;
    }
    pending ??= submission;
    pending.tries = 0;
    return conclude(pending, await deliver(pending, target, options));
  }

  function resume(): void {
    const submission = pending;
    if (submission === undefined || running !== undefined) return;
    clearTimeout(timer);
    view.sending(null);
    run(async () => conclude(submission, await deliver(submission, target, options)));
  }

  function conclude(submission: Submission, answer: Answer<SubmissionId>): Outcome {
    if (answer.kind === "taken") {
      pending = undefined;
      return succeed(submission);
    }
    if (answer.kind === "refused") {
      if (!submission.doubtful) pending = undefined;
      return fail(answer.code);
    }
    pending = submission;
    const seconds = answer.kind === "later" ? answer.seconds : retrySeconds[submission.tries - 1];
    if (seconds === undefined) return fail(answer.code);
    timer = setTimeout(resume, seconds * 1000);
    if (answer.kind === "later") quietUntil = performance.now() + seconds * 1000;
    return fail(answer.code, { retryAfter: seconds });
  }

  function succeed({ id, collected, submitter, stripped }: Submission): Outcome {
    view.release();
    const now = collect(form, submitter, options.dropTracking);
    const changed = now.content !== collected.content || now.file !== undefined;
    const detail: SuccessDetail = { formId, submissionId: id, stripped, changed };
    view.sent(changed ? "sent_before" : "sent");
    const address = redirectAddress(options.redirect, collected.next, location.href);
    quietUntil = performance.now() + doubleClickMilliseconds;
    if (!changed && options.resetOnSuccess !== false) HTMLFormElement.prototype.reset.call(form);
    tell(options.onSuccess, "sealpost:success", detail);
    if (!changed && address !== undefined) location.assign(address);
    return { sent: true, ...detail };
  }

  function fail(code: ErrorCode, extra: { field?: string; label?: string; retryAfter?: number } = {}): Outcome {
    const { label, ...rest } = extra;
    // Until it may send again, the button of a rate limited form stays disabled.
    if (code !== "rate_limited") view.release();
    const values = { field: label ?? "", seconds: String(extra.retryAfter) };
    const message = view.failed(code, values, extra.retryAfter !== undefined);
    const detail: ErrorDetail = { formId, code, message, ...rest };
    tell(options.onError, "sealpost:error", detail);
    return { sent: false, ...detail };
  }

  function blameFile(name: string): Outcome {
    const control = findControl(form, name);
    const label = control === undefined ? name : labelOf(control) || name;
    const outcome = fail("file", { field: name, label });
    if (control !== undefined && "message" in outcome) view.blame(control, outcome.message);
    return outcome;
  }

  function tell<Detail>(callback: ((detail: Detail) => unknown) | undefined, type: string, detail: Detail): void {
    try {
      callback?.(detail);
    } catch (error) {
      console.error("Sealpost:", error);
    }
    announce(form, type, detail);
  }

  listen(
    form,
    "submit",
    (event) => {
      // The page's own check came first and said no.
      if (event.defaultPrevented) return;
      event.preventDefault();
      const submitter: Control | null = Reflect.get(event, "submitter") ?? null;
      run(() => start(submitter));
    },
    signal,
  );
  listen(window, "online", () => performance.now() >= quietUntil && resume(), signal);
  listen(
    window,
    "pageshow",
    (event) => {
      // Back from another page: the browser shows this one as it was when the visitor left, perhaps to `redirect`.
      if (!Reflect.get(event, "persisted") || running !== undefined || pending !== undefined) return;
      quietUntil = 0;
      view.idle();
    },
    signal,
  );

  return {
    async submit(submitter) {
      if (running !== undefined) return running;
      if (!isValid(form)) return fail("invalid");
      return run(() => start(submitter ?? null));
    },
    destroy() {
      clearTimeout(timer);
      pending = undefined;
      aborter.abort();
      view.destroy();
    },
  };
}
