import type { PiiType } from "./types.ts";

/** PASSPORT stands for the passport type of the country at hand. */
export type FieldType = PiiType | "PASSPORT";

/**
 * The last words of a field's name or label that say what it holds, in English, German, French, Spanish, Italian, Dutch and
 * Portuguese; folded, without the words for "of".
 */
const lists: ReadonlyArray<readonly [FieldType, string]> = [
  [
    "EMAIL_ADDRESS",
    "email,e mail,mail,emails,email address,e mail address,mail address,emailaddress,emailadresse,e mail adresse,email adresse,mailadresse,mail adresse,courriel,mel,adresse email," +
      "adresse mail,adresse e mail,adresse electronique,correo,correo electronico,direccion correo,direccion email,posta elettronica,indirizzo email,indirizzo e mail,indirizzo mail,emailadres,e mailadres,mailadres,email adres," +
      "e mail adres,endereco email,endereco e mail,correio eletronico,correio electronico",
  ],
  [
    "PHONE_NUMBER",
    "phone,telephone,phonenumber,phoneno,mobile,mobilephone,mobilenumber,cell,cellphone,tel,fax,faxnumber,whatsapp,contact number,cell number,telefon,telefonnummer,rufnummer,handy,handynummer,mobil,mobilnummer," +
      "mobiltelefon,faxnummer,portable,numero telephone,telefono,movil,celular,cellulare,telefoon,telefoonnummer,mobiel,mobiele nummer,gsm,telefone,telemovel",
  ],
  [
    "PERSON_NAME",
    "firstname,lastname,fullname,surname,forename,givenname,familyname,middlename,maidenname,fname,lname,name first,name last,first name,last name,vorname,nachname,familienname,geburtsname,zuname,prenom," +
      "nom famille,apellido,apellidos,cognome,voornaam,achternaam,sobrenome,apelido,nom complet,nombre completo,nome completo,volledige naam,initials,salutation,honorific,cardholder,cardholdername",
  ],
  [
    "POSTAL_ADDRESS",
    "street,streetaddress,homeaddress,postaladdress,mailingaddress,address line,addressline,zip,zipcode,zip code,postcode,post code,postalcode,postal code,house number,apartment,strasse,hausnummer,postleitzahl,plz," +
      "anschrift,wohnort,rue,code postal,calle,domicilio,codigo postal,codice postale,via,straat,huisnummer,rua,morada,cep",
  ],
  [
    "DATE_OF_BIRTH",
    "birthday,birthdate,dateofbirth,dob,bday,date birth,birth date,birth year,birth month,birth day,year birth,geburtsdatum,geburtstag,geburtsjahr,date naissance,fecha nacimiento,data nascita,geboortedatum,verjaardag," +
      "data nascimento,aniversario",
  ],
  ["GENDER", "gender,sex,geschlecht,sexe,sexo,sesso,geslacht"],
  [
    "USERNAME",
    "username,user name,nickname,screen name,login,loginname,benutzername,identifiant,pseudo,nom utilisateur,nombre usuario,nome utente,gebruikersnaam,nome usuario",
  ],
  [
    "PASSWORD",
    "password,passwd,pwd,pass word,passphrase,passcode,passwort,kennwort,mot passe,contrasena,clave,parola chiave,wachtwoord,senha,palavra passe,one time code,otp",
  ],
  [
    "CREDIT_CARD",
    "card number,cardnumber,credit card,creditcard,creditcardnumber,debit card,cc number,ccnumber,kartennummer,kreditkarte,kreditkartennummer,carte bancaire,numero carte,numero tarjeta,numero carta,numero cartao,kaartnummer",
  ],
  [
    "CARD_DETAILS",
    "cvv,cvc,csc,cvn,security code,card code,card expiry,card expiration,expiry date,expiration date,cc exp,cc csc,card exp,pruefziffer,prufziffer,cryptogramme",
  ],
  ["IBAN_CODE", "iban,ibannumber"],
  ["US_SSN", "ssn,social security,socialsecurity,social security number"],
  ["US_ITIN", "itin,taxpayer id,taxpayer identification"],
  ["UK_NINO", "nino,national insurance,ni number"],
  ["UK_NHS", "nhs,nhs number"],
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
  ["ES_NIE", "nie"],
  ["CA_SIN", "social insurance"],
  ["AU_TFN", "tfn,tax file"],
  ["IN_AADHAAR", "aadhaar,aadhar"],
  ["US_NPI", "npi"],
  ["UK_DRIVING_LICENCE", "driving licence"],
];

export const fieldWords: ReadonlyMap<string, FieldType> = new Map(
  lists.flatMap(([type, list]) => list.split(",").map((entry): [string, FieldType] => [entry, type])),
);

/** "Name" and "address" say something alone or after one of their companions, and nothing after any other word: `company_name`. */
export const companions: ReadonlyArray<{
  readonly type: PiiType;
  readonly words: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}> = [
  {
    type: "PERSON_NAME",
    words: set("name,names,nom,nombre,nombres,nome,naam"),
    after: set(
      "first,last,full,your,given,family,middle,maiden,contact,legal,preferred,birth,billing,shipping,customer,client,patient,applicant,guest,student,attendee,participant,child,parent,spouse,partner," +
        "recipient,sender,person,cardholder,card,cc,form,data,field,fields,ihr,dein,voller,votre,ton,complet,completo,completa,su,tu,suo,tuo,uw,je,jouw,volledige,seu,teu,sua,primer,segundo,primeiro,ultimo",
    ),
  },
  {
    type: "POSTAL_ADDRESS",
    words: set("address,addresses,adresse,direccion,indirizzo,adres,endereco"),
    after: set(
      "street,home,postal,billing,shipping,mailing,your,delivery,residential,residence,current,permanent,customer,contact,full,invoice,form,data,field,fields,ihre,deine,votre,complete,postale,livraison,facturation,su,tu," +
        "postale,residenza,uw,je,volledige,seu,completa,completo",
    ),
  },
];

/** The words for "of" and the like, which stand between two that count. */
export const joiningWords: ReadonlySet<string> = set("of,the,de,du,des,d,del,della,di,da,do,van,der,l,la,le,el,a,au");

/** What may follow the words that count. */
export const trailingWords: ReadonlySet<string> = set(
  "number,no,nr,num,value,confirm,confirmation,again,repeat,home,work,private,required,optional,nummer,numero,wiederholen,bestatigen,privat,prive,trabajo,casa",
);

function set(list: string): ReadonlySet<string> {
  return new Set(list.split(","));
}
