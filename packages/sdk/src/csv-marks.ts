/** Where a program may begin another cell, whatever we write between ours: Excel splits at a mark of the computer's language, Arabic ones too. */
const marks = ",;،؛|\\t\\v\\f\\x1C-\\x1E\\x85\\u2028\\u2029";
/** Characters that programs take away from the beginning of a cell. */
const blanks = `[\\s\\p{Cc}\\p{Cf}"]*`;
/** One of these marks. */
export const mark = new RegExp(`[${marks}]`, "gu");
const signs = "[=+\\-@＝＋－＠]";
/** Looks back from each sign, so that a run of blanks is read once. */
export const sign = new RegExp(`${signs}(?<=(?<lead>(?:^|[${marks}])${blanks})${signs})`, "gu");
/** The end of a cell that ends with a mark or a line break. */
export const endsAtMark = new RegExp(`$(?<=[${marks}\\r\\n]${blanks})`, "u");
/** A beginning in which no other cell begins. */
export const beginning = new RegExp(`^[^"${marks}]*$`, "u");
