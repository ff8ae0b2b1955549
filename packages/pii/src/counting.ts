import { phoneWords } from "./phone-words.ts";
import type { Scan } from "./scan.ts";

/** Words after which a bare number counts things, not people: an ISBN has an NHS number's check digit, an order a phone's length. */
const countingWords = words(
  "isbn,issn,ean,upc,gtin,sku,order,orders,invoice,tracking,parcel,shipment,ticket,article,item,serial,part,model,batch,lot,reference,ref,timestamp,epoch," +
    "bestellung,auftrag,rechnung,artikel,sendung,sendungsverfolgung," +
    "charge,modell,modele,modelo,modello,po,loan,blz,konto,zamowienie,zamowienia,faktura,faktury,umowa,umowy,nip,regon," +
    "commande,facture,colis,suivi,pedido,factura,seguimiento,envio,ordine,fattura,spedizione,tracciamento,bestelling,factuur,zending,encomenda,fatura",
);

/** VAT, registers, tax offices, policies, cases: directly before a number, or before "number", these name it however it is grouped. */
const registerWords = words(
  "isbn,issn,ean,upc,gtin,sku,serial,part,vat,tax,ein,charity,policy,case,claim," +
    "ust,ustid,uid,finanzamt,handelsregister,hrb,hra,versicherungsschein,aktenzeichen," +
    "tva,siren,siret,rcs,police,contrat,dossier,iva,cif,poliza,expediente,contrato,piva,rea,polizza,pratica,contratto," +
    "btw,kvk,nip,regon,nipc,contribuinte,apolice,processo",
);
/**
 * A word made of another and "number", in German, Dutch and the Scandinavian languages: whatever it is, its numbers count things, unless
 * it is a telephone, a house or a person: `Zählernummer`, `Chargennr`, `ordernummer`, `kundenummer`.
 */
const countedThing = /\p{L}(?:nummer|nummern|nr|number)$/u;
const notThings =
  /(?:^tel|fon|foon|phone|handy|mobile?|mobiel|fax|ruf|netz|whatsapp|gsm|service|hus|haus|huis|house|person|persons|personal|contact|kontakt|wahl|cell)(?:nummer|nummern|nr|number)$/;

function countsThings(word: string): boolean {
  return countingWords.has(word) || (countedThing.test(word) && !notThings.test(word));
}

/** After these a number may be a telephone ("For reservations: …"): only next to "number" do they count. */
const ownerWords = words(
  "customer,client,member,membership,account,company,registration,registered,licence,license,booking,reservation,confirmation,contract,kunden,mitglied,adherent,immatriculation,cliente,socio,reserva,prenotazione,klant",
);
const numberWords = words("number,no,nr,num,numero,nummer,id,code,n,ref,reference,idnr,identification");
const fillerWords = words("the,ist,est,der,die,des,del,che,your,our,ihre,meine,votre");

/** Whether one of the three words before `index` says so, with no word for a telephone nearer, or a `#` stands directly before. */
export function isCounted(scan: Scan, index: number): boolean {
  const near = wordsBefore(scan, index, 3);
  return (
    scan.text[index - 1] === "#" ||
    countsThings(near.find((word) => countsThings(word) || phoneWords.has(word)) ?? "") ||
    isNumbered(scan, index)
  );
}

/** Whether the words before `index` name a number of a register or a thing: `VAT no. BE`, `case`, `customer number`, `Policennummer`. */
export function isNumbered(scan: Scan, index: number): boolean {
  const near = wordsBefore(scan, index, 5);
  const before = near.length < 2 ? [...near, ...[...scan.countingWords].reverse()] : near;
  // A short word is a country's prefix, or says nothing: `USt-IdNr.: DE …`, `policy number is …`.
  const [first = "", second = ""] = before.filter(
    (word) => numberWords.has(word) || (word.length > 2 && !fillerWords.has(word)),
  );
  const named = numberWords.has(first) ? second : first;
  if (registerWords.has(named) || (countedThing.test(named) && countsThings(named))) return true;
  if (!numberWords.has(first) && !numberWords.has(second)) return false;
  return [first, second].some((word) => ownerWords.has(word) || countsThings(word));
}

/** The words before `index`, nearest first; a hyphen joins "number" to what it numbers: `Zähler-Nr.`. */
function wordsBefore(scan: Scan, index: number, count: number): readonly string[] {
  const [first = "", second = "", ...others] = scan.wordsBefore(index, count);
  const isJoined = second !== "" && /-(?:nummer|nr)[.:]{0,2} ?$/i.test(scan.text.slice(Math.max(0, index - 12), index));
  return isJoined ? [second + first, ...others] : scan.wordsBefore(index, count);
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(","));
}
