import { ApiError } from "@sealpost/sdk";
import { describeError, fieldError } from "../api/describe-error.ts";

/** Mistakes in a form's fields: a sentence for each path. */
export type Mistakes = Readonly<Record<string, string>>;

/** Why a form was refused, as its fields and the place above them say it. */
export interface Refusal {
  readonly mistakes: Mistakes;
  /** Whether there is more to say than the fields do, so that the error must be shown as a whole. */
  readonly isElsewhere: boolean;
}

/** The sentence for a field, by its path; for a list or a group that of the first mistake in it. */
export function findMistake(mistakes: Mistakes, path: string): string | undefined {
  const found = Object.keys(mistakes).find((own) => isWithin(own, path));
  return found === undefined ? undefined : mistakes[found];
}

/** The mistakes that are left once a field has another value. */
export function withoutMistake(mistakes: Mistakes, path: string): Mistakes {
  if (findMistake(mistakes, path) === undefined) return mistakes;
  return Object.fromEntries(Object.entries(mistakes).filter(([own]) => !isWithin(own, path)));
}

/**
 * What the error of a refused form says of its fields, whose paths are those of the request. A conflict names no field; it is with the
 * one that `taken` names.
 */
export function readRefusal(error: unknown, paths: readonly string[], taken?: string): Refusal {
  if (!(error instanceof ApiError)) return { mistakes: {}, isElsewhere: true };
  const refused = Object.keys(error.details ?? {});
  if (refused.length === 0 && error.status === 409 && taken !== undefined)
    return { mistakes: { [taken]: describeError(error).title }, isElsewhere: false };
  const mistakes = paths.flatMap((path) => {
    const sentence = fieldError(error, path);
    return sentence === undefined ? [] : [[path, sentence] as const];
  });
  const isSaid = refused.every((path) => paths.some((own) => isWithin(path, own)));
  return { mistakes: Object.fromEntries(mistakes), isElsewhere: refused.length === 0 || !isSaid };
}

function isWithin(path: string, group: string): boolean {
  return path === group || path.startsWith(`${group}.`);
}
