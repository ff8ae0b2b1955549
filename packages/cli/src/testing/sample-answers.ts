import { answerKinds } from "../answer-kinds.ts";

type Kind = 0 | null | string | readonly Kind[] | { readonly [name: string]: Kind };

/** A value and the place where it is; `replace` gives the whole answer with another value there. */
interface Place {
  readonly path: string;
  readonly kind: Kind;
  readonly replace: (value: unknown) => unknown;
}

/** The value of each primitive, the length of lists, and which of several kinds is taken: the first or the last. */
export interface Sampling {
  readonly text: string;
  readonly number: number;
  readonly items: number;
  readonly isLast: boolean;
}

export const plainSampling: Sampling = { text: "text", number: 1, items: 1, isLast: false };

/** The kind of the answer to a request such as `GET /api/forms/form_…`; `undefined` where the document knows none. */
export function findKind(method: string, path: string): Kind | undefined {
  const parts = path.split("/");
  const fits = (name: string) => {
    const template = name.split(" ")[1]?.split("/") ?? [];
    return (
      name.startsWith(`${method} `) &&
      template.length === parts.length &&
      template.every((part, index) => part.startsWith("{") || part === parts[index])
    );
  };
  // An address that is written out goes before a template that fits as well.
  const name = Object.keys(answerKinds)
    .filter(fits)
    .sort((one, other) => one.split("{").length - other.split("{").length)[0];
  return name === undefined ? undefined : JSON.parse(answerKinds[name] ?? "0");
}

export function sampleOf(kind: Kind, sampling: Sampling): unknown {
  if (kind === 0) return {};
  if (kind === null) return null;
  if (kind === "string") return sampling.text;
  if (kind === "boolean") return true;
  if (typeof kind === "string") return sampling.number;
  if (isList(kind)) {
    if (kind.length > 1) return sampleOf((sampling.isLast ? kind.at(-1) : kind[0]) ?? null, sampling);
    return Array.from({ length: sampling.items }, () => sampleOf(kind[0] ?? 0, sampling));
  }
  return Object.fromEntries(
    Object.entries(kind).map(([name, member]) => [name.replace(/\?$/, ""), sampleOf(member, sampling)]),
  );
}

/** Every place in the sample of a kind: the answer itself, its members, items, and theirs. */
export function* placesOf(kind: Kind, sampling: Sampling): Generator<Place, void> {
  yield { path: "", kind, replace: (value) => value };
  const taken = isList(kind) && kind.length > 1 ? ((sampling.isLast ? kind.at(-1) : kind[0]) ?? null) : kind;
  if (typeof taken !== "object" || taken === null) return;
  if (isList(taken)) {
    for (const { path, replace, ...place } of placesOf(taken[0] ?? 0, sampling))
      yield { ...place, path: `[]${path}`, replace: (value) => [replace(value)] };
    return;
  }
  const whole = Object(sampleOf(taken, sampling));
  for (const [described, member] of Object.entries(taken)) {
    const name = described.replace(/\?$/, "");
    for (const { path, replace, ...place } of placesOf(member, sampling))
      yield { ...place, path: `.${name}${path}`, replace: (value) => ({ ...whole, [name]: replace(value) }) };
  }
}

function isList(kind: Kind): kind is readonly Kind[] {
  return Array.isArray(kind);
}
