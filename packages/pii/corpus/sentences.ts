/** `{}` is where the value goes. Names of the words that precede bare numbers are in `contexts`. */
export const sentences: readonly string[] = [
  "{}",
  "Please use {} for this.",
  "My details: {}, thanks!",
  "I already sent you {} last week but nobody answered.",
  "Hello, it is {}. Could you check that?",
  "We moved in March ({}) and the old entry is wrong.",
  "As I said: {}; everything else stays the same.",
  "The value \"{}\" was rejected by your form.",
  "First line\n{}\nlast line",
  "is it {}? I am not sure",
  "Bitte verwenden Sie {} dafür.",
  "Meine Angaben: {}, vielen Dank!",
  "Ich habe Ihnen schon {} geschickt, aber keine Antwort erhalten.",
  "Wir sind umgezogen ({}) und der alte Eintrag stimmt nicht mehr.",
  "Es geht um {}. Können Sie das prüfen?",
  "Merci d'utiliser {} pour la suite.",
  "Voici : {}, bonne journée !",
  "Je vous ai déjà envoyé {} la semaine dernière.",
  "L'ancienne valeur était {}, elle n'est plus à jour.",
  "Por favor, use {} para todo.",
  "Mis datos son {}, ¡gracias!",
  "¿Es correcto {}? No estoy segura.",
  "Ya les mandé {} la semana pasada.",
  "Potete usare {} per questo.",
  "I miei dati: {}, grazie mille!",
  "Vi ho già mandato {} la settimana scorsa.",
  "Gebruik hiervoor {} alstublieft.",
  "Mijn gegevens: {}, bedankt!",
  "Ik heb u vorige week {} gestuurd.",
  "Por favor usem {} para isto.",
  "Os meus dados são {}, obrigado!",
  "Já vos enviei {} na semana passada.",
];

export const phoneContexts: readonly string[] = [
  "Phone: {}", "my mobile is {}", "Please call me on {} after six.", "tel {}", "WhatsApp {} works best", "fax: {}", "cell {} thanks",
  "Telefon: {}", "Handynummer {}", "Bitte anrufen: {}", "Mobil {} ab 18 Uhr", "Téléphone : {}", "mon portable : {}", "appelez le {} svp",
  "Teléfono: {}", "móvil {}", "llámame al {}", "Telefono: {}", "cellulare {}", "chiamare il {}", "Telefoon: {}", "mobiel {}", "bel mij op {}",
  "Telefone: {}", "telemóvel {}", "ligue para {}",
];

export const contexts: Readonly<Record<string, readonly string[]>> = {
  US_SSN: ["SSN {}", "my ssn is {}", "Social Security number: {}", "ssn: {} please delete"],
  US_ITIN: ["ITIN {}", "my itin is {}", "taxpayer number {}"],
  UK_NHS: ["NHS number {}", "my nhs no. is {}", "NHS: {}"],
};
