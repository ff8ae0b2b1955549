/** As people search: "garcon" finds "Garçon", "strasse" finds "Straße", "ﬁ" counts as two letters. */
export function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
}
