/**
 * The beginning of a text that somebody sent, for an answer that names it. Never half a character: a lone surrogate is no
 * Unicode, and many readers refuse a whole JSON text for one (RFC 8259 section 8.2).
 */
export function excerpt(text: string): string {
  return text.slice(0, 64).toWellFormed();
}
