import type { PiiType } from "./types.ts";

/** PASSPORT stands for the passport type of the form's country. */
export type FieldType = PiiType | "PASSPORT";

/** A date of birth in three fields, in each language: words for it and for its parts. */
const births = [
  ["birth,birthday,birthdate,dob,bday", "day,month,year,date,dd,mm,yy,yyyy"],
  ["geburt,geburts,geburtsdatum,geburtstag", "tag,monat,jahr"],
  ["naissance", "jour,mois,annee,date"],
  ["nacimiento,nascimento", "dia,mes,ano,fecha,data"],
  ["nascita", "giorno,mese,anno,data"],
  ["geboorte,geboortedatum", "dag,maand,jaar"],
] as const;

/**
 * What says what a field holds, as the last words of any name (`emergency_contact_phone`), in English, German, French, Spanish,
 * Italian, Dutch and Portuguese; folded, without the words for "of". Nothing here may have another everyday meaning.
 */
const lists: ReadonlyArray<readonly [FieldType, string]> = [
  [
    "EMAIL_ADDRESS",
    "email,e mail,emails,email id,emailaddress,mailaddress,emailadresse,mailadresse,courriel,adresse electronique,correo,correo electronico,posta elettronica,emailadres,mailadres,correio eletronico,correio electronico,replyto,reply to",
  ],
  [
    "PHONE_NUMBER",
    "phone,telephone,phonenumber,phoneno,mobilephone,mobilenumber,mobile number,mobile no,cellphone,tel,fax,faxnumber,whatsapp,contact number,cell number,telefon,telefonnummer,rufnummer,handynummer,mobilnummer," +
      "mobiltelefon,faxnummer,telefono,telefoon,telefoonnummer,mobiele nummer,telefone,telemovel",
  ],
  [
    "PERSON_NAME",
    "firstname,lastname,fullname,surname,forename,givenname,familyname,middlename,maidenname,fname,lname,name first,name last,first name,last name,middle name,given name,family name,vorname,nachname,familienname," +
      "geburtsname,zuname,prenom,nom famille,apellido,apellidos,cognome,voornaam,achternaam,sobrenome,apelido,nom complet,nombre completo,nome completo,volledige naam,cardholder,cardholdername,name on card,account holder,accountholder,kontoinhaber,kontoinhaberin,titulaire compte,titular cuenta,intestatario conto,rekeninghouder,titular conta",
  ],
  [
    "POSTAL_ADDRESS",
    "streetaddress,homeaddress,postaladdress,mailingaddress,street address,address line,addressline,address street,address city,address zip,address town,address state,address province,billing state,billing province,state province,zipcode,zip code,postcode,post code,postalcode,postal code,house number," +
      "housenumber,hausnummer,postleitzahl,plz,anschrift,wohnort,code postal,codigo postal,codice postale,huisnummer,woonplaats,lieferadresse,rechnungsadresse",
  ],
  [
    "DATE_OF_BIRTH",
    "birthday,birthdate,dateofbirth,dob,bday,geburtsdatum,geburtstag,geburtsjahr,geboortedatum,verjaardag," +
      `aniversario,${birthParts()}`,
  ],
  ["GENDER", "gender,sex,geschlecht,sexe,sexo,sesso,geslacht"],
  [
    "USERNAME",
    "username,user name,userid,user id,login id,nickname,screen name,loginname,benutzername,nom utilisateur,nombre usuario,nome utente,gebruikersnaam,nome usuario",
  ],
  [
    "PASSWORD",
    "password,passwd,pwd,pass word,passphrase,passcode,passwort,kennwort,mot passe,contrasena,parola chiave,wachtwoord,senha,palavra passe,one time code,otp",
  ],
  [
    "CREDIT_CARD",
    "card number,cardnumber,card no,credit card,creditcard,creditcardnumber,debit card,cc number,ccnumber,kartennummer,kreditkarte,kreditkartennummer,carte bancaire,numero carte,numero tarjeta,numero carta,numero cartao,kaartnummer",
  ],
  [
    "CARD_DETAILS",
    "cvv,cvc,csc,cvn,security code,card code,card expiry,card expiration,card expiry date,card expiration date,cc exp,cc csc,card exp,exp date,exp month,exp year,expmonth,expyear,expiry month,expiry year,expiration month,expiration year,expiration date month,expiration date year,expirationmonth,expirationyear,card month,card year,cc month,cc year,kartenprufziffer,cryptogramme",
  ],
  [
    "IBAN_CODE",
    "iban,ibannumber,bank account,bankaccount,sort code,sortcode,routing number,bankverbindung,kontonummer,kontonr,konto nr,konto nummer,numero compte,compte bancaire,numero cuenta,cuenta bancaria,numero conto,conto corrente,rekeningnummer,bankrekening,numero conta,conta bancaria",
  ],
  ["US_SSN", "ssn,social security,socialsecurity"],
  ["US_ITIN", "itin,taxpayer id,taxpayer identification"],
  ["UK_NINO", "nino,national insurance,ni number"],
  ["UK_NHS", "nhs"],
  ["IP_ADDRESS", "ip address,ipaddress,ip adresse,adresse ip,direccion ip,indirizzo ip"],
  ["MAC_ADDRESS", "mac address,macaddress"],
  [
    "PASSPORT",
    "passport,passportnumber,reisepass,reisepassnummer,passnummer,passeport,pasaporte,passaporto,paspoort,paspoortnummer,passaporte",
  ],
  ["IT_FISCAL_CODE", "codice fiscale"],
  ["PL_PESEL", "pesel"],
  ["SE_PERSONNUMMER", "personnummer"],
  ["ES_NIF", "nif,dni"],
  ["CA_SIN", "social insurance"],
  ["AU_TFN", "tfn,tax file"],
  ["IN_AADHAAR", "aadhaar,aadhar"],
  ["US_NPI", "npi"],
  ["UK_DRIVING_LICENCE", "driving licence"],
];

/** Words that name a field only as the whole of its name or label: they also describe other things than cards and people. */
export const wholeNames: ReadonlyMap<string, FieldType> = new Map([
  ...entriesOf("CARD_DETAILS", "expiry date,expiration date,prufziffer"),
  ...entriesOf(
    "PERSON_NAME",
    "next kin,guardian,legal guardian,parent guardian,erziehungsberechtigte,erziehungsberechtigter",
  ),
]);

function entriesOf(type: FieldType, list: string): Array<[string, FieldType]> {
  return list.split(",").map((entry) => [entry, type]);
}

/** `birth_month`, `dob-day`, `geburt_jahr`, `jour_naissance`. */
function birthParts(): string {
  return births
    .flatMap(([words, parts]) =>
      words.split(",").flatMap((birth) => parts.split(",").flatMap((part) => [`${birth} ${part}`, `${part} ${birth}`])),
    )
    .join(",");
}

/** Words for a date of birth, after which a letter is a part of it: `birthdate_m`, `dob[y]`, `geburtsdatum_t`. */
export const birthWords: ReadonlySet<string> = new Set(births.flatMap(([words]) => words.split(",")));

export const fieldWords: ReadonlyMap<string, FieldType> = new Map(
  lists.flatMap(([type, list]) => entriesOf(type, list)),
);

/** Whose it is, or what part of a form: after these a word of several meanings means what a person has. */
const owners =
  "your,my,user,customer,client,patient,applicant,guest,student,member,contact,billing,bill,shipping,ship,delivery,invoice,home,private,personal,work,business,emergency,parent,child,recipient,sender,buyer,payer," +
  "owner,holder,cardholder,employee,person,current,permanent,to,form,data,field,fields,input,txt,ihr,ihre,dein,deine,kunde,kunden,rechnung,lieferung,privat,votre,ton,client,livraison,facturation,su,tu,cliente,envio,entrega,suo,tuo,uw," +
  "je,jouw,klant,seu,teu,primary,secondary,alternate,alt";

/**
 * What says something alone or after one of its companions, and nothing after any other word: `company_name`, `paper_gsm`,
 * `palabra_clave`, `how_did_you_hear_via`.
 */
export const companions: ReadonlyArray<{
  readonly type: PiiType;
  readonly words: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}> = [
  {
    type: "PERSON_NAME",
    words: set("name,names,nom,nombre,nombres,nome,naam"),
    after: set(
      "first,last,full,your,my,given,family,middle,maiden,contact,legal,preferred,birth,billing,shipping,customer,client,patient,applicant,guest,student,attendee,participant,child,children,guardian,kin,kind,kindes,enfant,bambino,nino,hijo,crianca,parent,spouse,partner," +
        "recipient,sender,person,emergency,employee,member,visitor,passenger,buyer,payer,owner,holder,cardholder,card,cc,form,data,field,fields,ihr,dein,voller,votre,ton,complet,completo,completa,su,tu,suo,tuo,uw,je,jouw," +
        "volledige,seu,teu,sua,primer,segundo,primeiro,ultimo",
    ),
  },
  { type: "PERSON_NAME", words: set("initials,salutation,honorific,anrede"), after: set(`${owners},name`) },
  {
    type: "POSTAL_ADDRESS",
    words: set("address,addresses,addr,adresse,direccion,indirizzo,adres,endereco"),
    after: set(
      `${owners},street,postal,mailing,residential,residence,full,postale,residenza,volledige,completa,completo,name,house,second,line`,
    ),
  },
  {
    type: "POSTAL_ADDRESS",
    words: set(
      "street,strasse,rue,calle,domicilio,via,straat,rua,morada,apartment,apt,zip,cep,city,town,suburb,locality,ort,stadt,ville,commune,ciudad,localidad,poblacion,citta,comune,stad,plaats,cidade,localidade",
    ),
    after: set(
      `${owners},address,addr,adresse,direccion,indirizzo,adres,endereco,zip,postcode,plz,residence,postal,house`,
    ),
  },
  { type: "EMAIL_ADDRESS", words: set("mail,mel"), after: set(`${owners},reply,adresse,direccion,indirizzo,endereco`) },
  {
    type: "PHONE_NUMBER",
    words: set("mobile,cell,handy,mobil,portable,movil,celular,cellulare,mobiel,gsm"),
    after: set(`${owners},phone,telephone,tel,telefon,telefono,telefone,numero`),
  },
  {
    type: "USERNAME",
    words: set("user,login,identifiant,pseudo,benutzer,utilisateur,usuario,utente,gebruiker,handle"),
    after: set(`${owners},email,twitter,social`),
  },
  { type: "PASSWORD", words: set("clave"), after: set("su,tu,user,usuario") },
  { type: "ES_NIE", words: set("nie"), after: set("su,tu,dni,nif,numero") },
];

/** "Name" before whose it is: `Nom de l'enfant`, `name_child`. In French, `nombre` is a number: in Spanish it counts before its own words. */
export const ownedNames: ReadonlyArray<readonly [names: ReadonlySet<string>, owners: ReadonlySet<string>]> = [
  [set("name,names,nom,nome,naam"), companions[0]?.after ?? set("")],
  [set("nombre"), set("hijo,hija,nino,nina,alumno,alumna,paciente,padre,madre,tutor,titular")],
];

/** The words for "of" and "and" and the `s` of a possessive (`child's name`), which stand between two that count. */
export const joiningWords: ReadonlySet<string> = set(
  "of,the,and,de,du,des,d,del,della,di,da,do,van,der,und,l,la,le,el,a,au,et,y,en,s",
);

/** Words that may follow the words that count; "address" also follows words that are not about a street: `email_address`. */
export const trailingWords: ReadonlySet<string> = set(
  "number,no,nr,num,value,field,input,confirm,confirmation,again,repeat,home,work,private,required,optional,nummer,numero,wiederholen,bestatigen,privat,prive,trabajo,casa,address,adresse,adres",
);

/** A name that begins so is a question, and the answer is no such thing: `warum_keine_e_mail`, `which_phone`. */
export const questionWords: ReadonlySet<string> = set(
  "why,what,which,how,when,where,who,do,does,did,are,can,could,would,will,should,warum,wieso,weshalb,was,welche,welcher,welches,wie,wann,wo,wer,haben,sind,mochten,pourquoi,quel,quelle,quels,quelles,combien," +
    "quand,ou,qui,que,quien,cual,cuanto,cuando,donde,por,perche,quale,quando,dove,chi,waarom,welk,wat,hoe,wanneer,waar,porque,qual,quem,onde",
);

/** After these the words are a subject that something is said about: `comment_on_phone`, `Anmerkung zu Ihrer Adresse`. */
export const subjectWords: ReadonlySet<string> = set("on,about,regarding,zu,zum,zur,uber,sur,sobre,over");

/** After these even the plainest word is a way or a fact, not the thing: `contact_by_phone`, `has_email`. */
export const asideWords: ReadonlySet<string> = set(
  "by,via,per,par,por,no,without,with,has,have,is,allow,enable,show,hide,mit,ohne,hat,haben,sans,avec,sin,con,met,zonder,sem,com,which,whose,welche",
);

function set(list: string): ReadonlySet<string> {
  return new Set(list.split(","));
}
