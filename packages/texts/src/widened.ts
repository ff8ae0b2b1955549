/**
 * The shape of texts without their words: what every language has to have. A literal becomes any string, and a function keeps
 * its parameters.
 */
export type Widened<Texts> = Texts extends string
  ? string
  : Texts extends (...parameters: infer Parameters) => infer Result
    ? (...parameters: Parameters) => Widened<Result>
    : Texts extends object
      ? { readonly [Name in keyof Texts]: Widened<Texts[Name]> }
      : Texts;
