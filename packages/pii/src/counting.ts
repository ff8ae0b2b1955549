import type { Scan } from "./scan.ts";

/** Words after which a bare number counts things, not people: an ISBN has an NHS number's check digit, an order a phone's length. */
const countingWords = words(
  "isbn,issn,ean,upc,gtin,sku,order,orders,invoice,tracking,parcel,shipment,ticket,article,item,serial,part,model,batch,lot,reference,ref,timestamp,epoch," +
    "bestellung,bestellnummer,bestellnr,auftrag,auftragsnummer,rechnung,rechnungsnummer,rechnungsnr,artikel,artikelnummer,sendung,sendungsnummer,sendungsverfolgung," +
    "commande,facture,colis,suivi,pedido,factura,seguimiento,envio,ordine,fattura,spedizione,tracciamento,bestelling,factuur,zending,encomenda,fatura",
);

/** VAT, registers, tax offices, policies, cases: directly before a number, or before "number", these name it however it is grouped. */
const registerWords = words(
  "isbn,issn,ean,upc,gtin,sku,serial,part,vat,tax,ein,charity,policy,case,claim," +
    "ust,ustid,uid,steuernummer,finanzamt,handelsregister,hrb,hra,kundennummer,policennummer,versicherungsschein,aktenzeichen,fallnummer,mitgliedsnummer,buchungsnummer,vorgangsnummer,vertragsnummer," +
    "tva,siren,siret,rcs,police,contrat,dossier,iva,cif,poliza,expediente,contrato,piva,rea,polizza,pratica,contratto," +
    "btw,kvk,klantnummer,polisnummer,dossiernummer,lidnummer,boekingsnummer,nipc,contribuinte,apolice,processo",
);
/** After these a number may be a telephone ("For reservations: …"): only next to "number" do they count. */
const ownerWords = words(
  "customer,client,member,membership,account,company,registration,registered,licence,license,booking,reservation,confirmation,contract,kunden,mitglied,adherent,immatriculation,cliente,socio,reserva,prenotazione,klant",
);
const numberWords = words("number,no,nr,num,numero,nummer,id,code,n,ref,reference,idnr,identification");
const fillerWords = words("the,ist,est,der,die,des,del,che,your,our,ihre,meine,votre");

/** Whether one of the three words before `index` says so, or a `#` stands directly before. */
export function isCounted(scan: Scan, index: number): boolean {
  return (
    scan.text[index - 1] === "#" ||
    scan.wordsBefore(index, 3).some((word) => countingWords.has(word)) ||
    isNumbered(scan, index)
  );
}

/** Whether the words before `index` name a number of a register or a thing: `VAT no. BE`, `case`, `customer number`, `Policennummer`. */
export function isNumbered(scan: Scan, index: number): boolean {
  const near = scan.wordsBefore(index, 5);
  const before = near.length < 2 ? [...near, ...[...scan.countingWords].reverse()] : near;
  // A short word is a country's prefix, or says nothing: `USt-IdNr.: DE …`, `policy number is …`.
  const [first = "", second = ""] = before.filter(
    (word) => numberWords.has(word) || (word.length > 2 && !fillerWords.has(word)),
  );
  if (registerWords.has(numberWords.has(first) ? second : first)) return true;
  if (!numberWords.has(first) && !numberWords.has(second)) return false;
  return [first, second].some((word) => ownerWords.has(word) || countingWords.has(word));
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(","));
}
