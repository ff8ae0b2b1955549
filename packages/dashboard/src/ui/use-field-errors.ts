import { ApiError } from "@sealpost/sdk";
import { type RefObject, useEffect, useRef } from "react";
import { fieldError } from "../api/describe-error.ts";

export interface FieldErrors {
  /** For the form element, in which the focus goes to the first field that was refused. */
  readonly form: RefObject<HTMLFormElement | null>;
  /** The error of a field, by its path in the request. */
  readonly at: (path: string) => string | undefined;
  /** Whether the error says something that belongs to none of the fields, and must be shown as a whole. */
  readonly isElsewhere: boolean;
}

/** A form in which the focus goes to the first invalid field, each time that `error` is another one and not null. */
export function useErrorFocus(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  // The button is below, so the first error may be out of sight.
  useEffect(() => {
    if (error === null) return;
    const field = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    field?.focus();
    // As after Tab: what is typed now stands instead of what was refused.
    if (field instanceof HTMLInputElement) field.select();
  }, [error]);
  return form;
}

/**
 * What the error of a refused form says of its fields: `paths` names those that show it. A conflict says no field; it is
 * with the one that `taken` names.
 */
export function useFieldErrors(error: unknown, paths: readonly string[], taken?: string): FieldErrors {
  const form = useErrorFocus(error);
  const refused = error instanceof ApiError ? Object.keys(error.details ?? {}) : [];
  const conflict =
    error instanceof ApiError && error.status === 409 && refused.length === 0 ? error.message : undefined;
  const isShown = conflict === undefined ? refused.length > 0 && refused.every(isAtField) : taken !== undefined;
  return {
    form,
    at: (path) => fieldError(error, path) ?? (path === taken ? conflict : undefined),
    isElsewhere: error !== null && !isShown,
  };

  function isAtField(path: string): boolean {
    return paths.some((own) => path === own || path.startsWith(`${own}.`));
  }
}
