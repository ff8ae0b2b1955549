import { depthMax, type FieldErrors, membersMax } from "./submission.ts";

/** Shorter bodies are parsed in a few milliseconds, whatever they hold. */
const checkedBytes = 65_536;

/**
 * So many times what a submission may have is refused in its written form. Not at once, because of two members of one name
 * only the second is kept; nobody writes that ten times over.
 */
const margin = 10;

const quote = 0x22;
const comma = 0x2c;
const bracket = 0x5b;
const backslash = 0x5c;
const closingBracket = 0x5d;
const brace = 0x7b;
const closingBrace = 0x7d;

/**
 * What is far too much in the JSON of a submission, seen before it is parsed: a megabyte of names, or of brackets, takes
 * the parser tens of milliseconds in which nobody else is answered. Counts less than there is, never more: there is a
 * member before each comma, and each bracket but the first one is a member's value. What is in texts is passed over.
 */
export function findWrittenError(
  body: Uint8Array,
  { members = membersMax * margin, depth = depthMax * margin, bytes = checkedBytes } = {},
): FieldErrors | undefined {
  if (body.length <= bytes) return undefined;
  let commas = 0;
  let opened = 0;
  let open = 0;
  for (let index = 0; index < body.length; index++) {
    switch (body[index]) {
      case quote:
        // To the end of the text; a backslash takes the next byte with it. No function is called: there are half a million texts in a megabyte.
        for (index++; index < body.length && body[index] !== quote; ) index += body[index] === backslash ? 2 : 1;
        break;
      case comma:
        if (++commas > members) return tooMany;
        break;
      case bracket:
      case brace:
        if (++open > depth) return tooDeep;
        if (++opened > members + 1) return tooMany;
        break;
      case closingBracket:
      case closingBrace:
        open--;
    }
  }
  return undefined;
}

const tooMany: FieldErrors = { "payload.fields": `Must have at most ${membersMax} members` };
const tooDeep: FieldErrors = { "payload.fields": `Must be at most ${depthMax} levels deep` };
