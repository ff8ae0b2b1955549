/** Words that say "a phone number follows", in English, German, French, Spanish, Italian, Dutch and Portuguese, folded. */
export const phoneWords: ReadonlySet<string> = new Set(
  (
    "phone,phones,phonenumber,telephone,tel,tele,ph,tlf,telf,mobile,mob,cell,cellphone,fax,telefax,call,calls,calling,ring,dial,text,sms,whatsapp,signal,telegram,viber,hotline,reach," +
    "telefon,telefonnummer,telefonnr,rufnummer,handy,handynummer,handynr,mobil,mobilnummer,mobiltelefon,festnetz,ruf,rufen,anrufen,anruf," +
    "telephonez,telephoner,portable,mobiles,fixe,appelez,appeler,appelle,joindre,joignable,telecopie," +
    "telefono,telefonos,movil,celular,llamar,llame,llama,llamame,telefonico," +
    "cellulare,chiamare,chiama,chiami,chiamatemi,chiamami,fisso," +
    "telefoon,telefoonnummer,mobiel,gsm,bel,bellen,belt,bereikbaar," +
    "telefone,telemovel,ligar,ligue,ligacao,liga,contacto,contato"
  ).split(","),
);
