"use client";

import { messages as englishMessages } from "@sealpost/texts/embed";
import { type ComponentPropsWithoutRef, type ReactNode, type RefCallback, useCallback, useRef, useState } from "react";
import type { Outcome } from "./binding.ts";
import { type Handle, initFrom } from "./init.ts";
import type { ErrorDetail, Options, SuccessDetail } from "./options.ts";
import { ownMembers } from "./own-members.ts";
import { type Control, isPartOf, listen, nameOfControl, unclobbered } from "./page.ts";

export type { Outcome } from "./binding.ts";
export type { ErrorCode, MessageName, Messages } from "./messages.ts";
export type { ErrorDetail, SubmitDetail, SuccessDetail } from "./options.ts";

/** The options of `init`, except for the form, which is the one that has the `ref`. */
export interface SealpostOptions extends Omit<Options, "form"> {
  /**
   * Whether messages appear in the page by themselves, in slots or after the form. Default: not by the hook, whose user
   * shows `state.message`; but by the component.
   */
  readonly showMessages?: boolean | undefined;
}

/** By field name: the browser's own message for what is invalid, ours for a chosen file. Gone once the field is changed. */
export type FieldErrors = Readonly<Record<string, string>>;

/** `failed` with `retryAfter` is not the end: it is tried again by itself, and may become `sending` and `sent`. */
export type SealpostState = { readonly fieldErrors: FieldErrors } & Progress;

type Progress =
  | { readonly status: "idle" | "sending" }
  | ({ readonly status: "sent"; readonly message: string } & SuccessDetail)
  | ({ readonly status: "failed" } & ErrorDetail);

export interface Sealpost {
  readonly state: SealpostState;
  /** For the `<form>`, which is sealed and sent from the moment it is part of the page until it is not. */
  readonly ref: RefCallback<HTMLFormElement>;
  /** Validates and submits, as if the visitor had pressed the button. */
  submit(): Promise<Outcome>;
  /** Empties the form and starts over. What is waiting to be sent again is given up. */
  reset(): void;
}

const idle: Progress = { status: "idle" };
const noErrors: FieldErrors = {};

/**
 * Seals and sends the form that has the `ref`. Options may be written in place: the form is bound again only when one that
 * is no function changes, and the functions called are those of the latest rendering.
 */
export function useSealpost(formId: string, options: SealpostOptions = {}): Sealpost {
  const [progress, setProgress] = useState(idle);
  const [fieldErrors, setFieldErrors] = useState(noErrors);
  const latest = useRef(options);
  latest.current = ownMembers(options);
  const bound = useRef<{ readonly form: HTMLFormElement; readonly handle: Handle } | null>(null);
  const [round, setRound] = useState(0);
  const settings = JSON.stringify(options);

  const start = useCallback(() => {
    setProgress(idle);
    setFieldErrors(noErrors);
  }, []);

  // A function as ref, and not an effect: the form is bound in the same moment in which it becomes part of the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `settings` or `round` is a wish to bind again
  const ref = useCallback(
    (form: HTMLFormElement | null) => {
      bound.current?.handle.destroy();
      bound.current = form && { form, handle: bind(form, formId, latest, setProgress, setFieldErrors) };
      // Not when the form goes: it may have gone because it was sent.
      if (form) start();
    },
    [formId, settings, round, start],
  );

  const submit = useCallback(async (): Promise<Outcome> => {
    return bound.current?.handle.submit() ?? { sent: false, code: "cancelled" };
  }, []);

  const reset = useCallback(() => {
    if (bound.current) unclobbered(bound.current.form).reset();
    setRound((before) => before + 1);
    start();
  }, [start]);

  return { state: { ...progress, fieldErrors }, ref, submit, reset };
}

/** The props of any `<form>`, and in `options` those of `useSealpost`: kept apart, so that a misspelt option is noticed. */
export interface SealpostFormProps
  extends Omit<ComponentPropsWithoutRef<"form">, "action" | "children" | "method" | "onSubmit"> {
  readonly formId: string;
  readonly options?: SealpostOptions | undefined;
  readonly children?: ReactNode | ((sealpost: Sealpost) => ReactNode);
}

/**
 * A `<form>` that is sealed and sent. Until its script runs (rendered on a server, say) it sends nothing: its method is
 * `dialog`. Children may be a function of what `useSealpost` returns.
 */
export function SealpostForm({ formId, options, children, ...attributes }: SealpostFormProps): ReactNode {
  const sealpost = useSealpost(formId, { showMessages: true, ...options });
  return (
    <form {...attributes} method="dialog" ref={sealpost.ref}>
      {typeof children === "function" ? children(sealpost) : children}
    </form>
  );
}

/** Binds `form` and reports what becomes of it. The state itself is read where everybody can: in `data-sealpost-state`. */
function bind(
  form: HTMLFormElement,
  formId: string,
  latest: { readonly current: SealpostOptions },
  setProgress: (progress: Progress) => void,
  setFieldErrors: (change: (before: FieldErrors) => FieldErrors) => void,
): Handle {
  const { showMessages = false, ...others } = latest.current;
  const options = ownMembers(others);
  const messages = ownMembers({ ...englishMessages, ...options.messages });
  const aborter = new AbortController();
  let success: SuccessDetail | undefined;
  let error: ErrorDetail | undefined;

  function report(): void {
    const state = unclobbered(form).getAttribute("data-sealpost-state");
    if (state === "idle" || state === "sending") setProgress({ status: state });
    else if (state === "sent" && success) {
      const message = success.changed ? "sent_before" : "sent";
      setProgress({ status: state, message: messages[message], ...success });
    } else if (error) setProgress({ status: "failed", ...error });
    if (state === "sending") setFieldErrors(() => noErrors);
  }

  function updateValidity({ type, target }: Event): void {
    const control = target as Control; // or an editor in the form, which has no name
    if (!isPartOf(form, control)) return;
    markInvalid(nameOfControl(control), type === "invalid" ? control.validationMessage : undefined);
  }

  function markInvalid(name: string, message: string | undefined): void {
    setFieldErrors((before) => {
      if (message === undefined && !Object.hasOwn(before, name)) return before;
      const { [name]: _, ...others } = before;
      return message === undefined ? others : { ...others, [name]: message };
    });
  }

  const handle = initFrom(
    formId,
    {
      ...options,
      form,
      onSubmit: (detail) => latest.current.onSubmit?.(detail),
      onSuccess(detail) {
        success = detail;
        return latest.current.onSuccess?.(detail);
      },
      onError(detail) {
        error = detail;
        if (detail.code === "file" && detail.field !== undefined) markInvalid(detail.field, detail.message);
        return latest.current.onError?.(detail);
      },
    },
    undefined,
    showMessages,
  );
  const observer = new MutationObserver(report);
  observer.observe(form, ownMembers({ attributeFilter: ["data-sealpost-state"] }));
  // On the document, because a control may be outside of the form that its form attribute names.
  for (const type of ["input", "invalid"]) listen(document, type, updateValidity, aborter, { capture: true });

  return {
    submit: handle.submit,
    destroy() {
      observer.disconnect();
      aborter.abort();
      handle.destroy();
    },
  };
}
