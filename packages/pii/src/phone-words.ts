import { hasContext, type Scan } from "./scan.ts";

/** Words that say "a phone number follows", in English, German, French, Spanish, Italian, Dutch and Portuguese, folded. */
export const phoneWords: ReadonlySet<string> = new Set(
  (
    "phone,phones,phonenumber,telephone,tel,tele,ph,tlf,telf,mobile,mob,cell,cellphone,fax,telefax,call,calls,calling,ring,dial,text,sms,whatsapp,signal,telegram,viber,hotline,reach,answering," +
    "telefon,telefonnummer,telefonnr,rufnummer,handy,handynummer,handynr,mobil,mobilnummer,mobiltelefon,festnetz,ruf,rufen,anrufen,anruf," +
    "telephonez,telephoner,portable,mobiles,fixe,appelez,appeler,appelle,joindre,joignable,telecopie," +
    "telefono,telefonos,movil,celular,llamar,llame,llama,llamame,telefonico," +
    "cellulare,chiamare,chiama,chiami,chiamatemi,chiamami,fisso," +
    "telefoon,telefoonnummer,mobiel,gsm,bel,bellen,belt,bereikbaar," +
    "telefone,telemovel,ligar,ligue,ligacao,liga,contacto,contato"
  ).split(","),
);

/** `… fax`, `…-Mobile`; an office only where nothing of a sentence follows: five million office workers have another meaning. */
export function hasPhoneWordAfter(text: string, end: number): boolean {
  return /^[ -]\(?(?:(?:phone|tel|fax|mobile?|cell|handy|portable|movil)(?![\p{L}\d])|office\)? ?(?=$|[\n\r,;|\\]))/iu.test(
    text.slice(end, end + 12),
  );
}

const numberWords = new Set(["number", "nummer", "numero"]);
const ownWords = new Set(["my", "meine", "mon", "mi", "mio", "mijn", "meu"]);

/** Whether a nearby word says that this is a phone number: before it, as an abbreviation (`M: …`), `my number is …`, or after it (`… fax`). */
export function hasPhoneWord(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  if (hasContext(scan, start, phoneWords)) return true;
  if (/(?:^|[\s,;|(])[tmpfc][:.] ?$/i.test(text.slice(Math.max(0, start - 4), start))) return true;
  if (hasPhoneWordAfter(text, end)) return true;
  const [first = "", second = ""] = scan.wordsBefore(start, 3).filter((word) => !/^(?:is|ist|est|es|e)$/.test(word));
  return numberWords.has(first) && ownWords.has(second);
}
