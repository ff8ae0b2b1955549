import { sentences } from "@sealpost/texts/api-sentences";

/**
 * Every sentence that the API answers, by its code: the member `code` of an answer, and of each field in `detailCodes`.
 * Programs branch on codes and pages translate them, so a code keeps its meaning and never goes; a sentence may be worded
 * better at any time. `{}` stands for what differs. docs/codes.md says of each what to do.
 */
export { sentences };

export type Code = keyof typeof sentences;

type Filled<Text> = Text extends `${infer Before}{}${infer After}` ? `${Before}${string}${Filled<After>}` : Text;
/** One of the sentences of these codes with something in its gaps: another one does not compile. */
export type SentenceOf<Name extends Code> = Filled<
  (typeof sentences)[Name] extends infer Text ? (Text extends readonly (infer One)[] ? One : Text) : never
>;
export type Sentence = SentenceOf<Code>;
