/** Sentences that hold no personal data and must come through unchanged: ordinary prose, written for this corpus. */
export const prose: Readonly<Record<string, readonly string[]>> = {
  en: [
    "The statement was a success, and everybody passed the test without tips.", "We would like to order twelve chairs and three tables for our office.", "Is the blue version still available, or only the red one?",
    "I have been waiting for an answer since Monday.", "Your website does not work in my browser; the button stays grey.", "Could you tell me the opening hours on public holidays?", "The delivery came late, but the driver was very friendly.",
    "We met at the fair in Hanover and talked about a possible cooperation.", "My daughter is 7 and my son is 10 years old.", "Please call back between 9 and 5, it is urgent.", "The room on floor 3 was too loud at night.", "I rate your service 4.5 out of 5.",
    "In 2019 we had 1,200 visitors, in 2023 more than 3,400.", "The meeting at 10:30 was moved to 14:15.", "He ran 42.195 km in 3:12:45.", "Shipping to Canada takes 5-7 working days, doesn't it?", "The score was 3-1 at half-time and 4-2 in the end.",
    "Which phone model do you recommend for a beginner?", "The e-mail newsletter is too frequent for my taste.", "Please mail the catalogue to our headquarters.", "I forgot my password again, how can I reset it?", "The key to success is patience.", "Our address book needs an update.",
    "Twenty-four hours a day, 24/7, all year round.", "Use the code at the checkout to get ten percent off.", "We are at the corner, next to the bakery.", "Meet me @ home later.", "My name is on the list, I think.", "I will be there in a couple of minutes; wait for me.",
    "An apple a day keeps the doctor away.", "He said: \"I'd rather not.\" And left.", "There are 365 days in a year and 8760 hours.", "Chapter 3.2.1 explains the details.", "The temperature fell to -12.5 degrees.", "Size 42, colour black, quantity 2.", "Room 101, seats 12-14, row 7.",
  ],
  de: [
    "Das Angebot hat uns gut gefallen, wir melden uns nächste Woche.", "Die Lieferung kam zwei Tage zu spät, aber alles war vollständig.", "Können Sie mir bitte die Öffnungszeiten an Feiertagen nennen?", "Wir suchen eine Wohnung mit drei Zimmern und Balkon.", "Am 24.12. haben wir geschlossen.",
    "Der Termin ist am 21.11.2026 um 10:30 Uhr.", "Der Preis beträgt 1.234,56 € zuzüglich Mehrwertsteuer.", "Im Jahr 2024 hatten wir 1.200.000 Besucher.", "Die Straße ist wegen Bauarbeiten gesperrt.", "Unser Telefon ist seit gestern gestört.", "Bitte rufen Sie mich zurück, es eilt.", "Mein Handy ist kaputt.",
    "Die Version 2.3.1 läuft bei uns nicht.", "Das Passwort habe ich leider vergessen.", "Wir waren zu viert im Zimmer 214.", "Die Rechnung Nr. 2026-00123 ist noch offen.", "Meine Kundennummer lautet 482913.", "Das Paket wiegt 2,5 kg und ist 30 x 40 x 50 cm groß.", "Seite 12 bis 15, Absatz 3.", "Es steht 2:1 nach 90 Minuten.",
    "Von Montag bis Freitag, 9-17 Uhr.", "Die Temperatur sank auf -5 Grad.", "Ich bin 34 Jahre alt und habe zwei Kinder.", "Das Konzert beginnt um 20.15 Uhr.", "Rund 83 000 000 Menschen leben in Deutschland.", "Artikel 10, Absatz 2 des Grundgesetzes.",
  ],
  fr: [
    "Bonjour, je voudrais réserver une table pour quatre personnes.", "La livraison est arrivée avec deux jours de retard.", "Pouvez-vous m'indiquer vos horaires d'ouverture ?", "Le prix est de 1 234,56 € hors taxes.", "En 2023, la ville comptait 2 102 650 habitants.", "Le rendez-vous est le 21/11/2026 à 10h30.",
    "Mon téléphone est tombé en panne hier soir.", "J'ai oublié mon mot de passe, que faire ?", "La version 4.2.0 ne fonctionne pas chez nous.", "Nous sommes trois et nous venons en train.", "La facture n° 2026-0042 n'est pas encore payée.", "Il fait -3 degrés ce matin à Lyon.", "La chambre 305 était trop bruyante.",
    "Je suis très contente de votre service, merci.", "Le match s'est terminé 3-2.", "Le magasin est ouvert de 9 h à 18 h.", "Le colis pèse 2,5 kg.", "Plus de 67 000 000 de Français ont voté.", "Article 12, alinéa 3 du code.", "Le concert commence à 20:30.", "C'est la troisième fois que j'écris.", "Une adresse élégante au cœur de la ville.",
  ],
  es: [
    "Hola, quería preguntar si todavía quedan entradas.", "El pedido llegó tarde, pero estaba completo.", "¿Me pueden decir el horario de los domingos?", "El precio es de 1.234,56 € sin IVA.", "En 2023 la población era de 48 345 223 personas.", "La reunión es el 21/11/2026 a las 10:30.", "Se me ha roto el móvil esta mañana.",
    "He olvidado mi contraseña otra vez.", "La versión 3.1.4 no funciona.", "Somos cuatro adultos y dos niños de 6 y 9 años.", "La factura 2026-0815 sigue pendiente.", "La habitación 214 tenía vistas al mar.", "El partido terminó 2-1.", "Abrimos de 9 a 17 horas.", "El paquete pesa 3,5 kg.", "Estoy muy contenta con el servicio, gracias.",
    "La temperatura bajó a -4 grados.", "El artículo 18 de la Constitución.", "El concierto empieza a las 20:30.", "Necesito un presupuesto para 25 sillas.", "Mi nombre está en la lista, creo.",
  ],
  it: [
    "Buongiorno, vorrei sapere se la camera è ancora disponibile.", "La consegna è arrivata con due giorni di ritardo.", "Potete dirmi gli orari di apertura nei giorni festivi?", "Il prezzo è di 1.234,56 € più IVA.", "Nel 2023 gli abitanti erano 58 997 201.", "L'appuntamento è il 21/11/2026 alle 10:30.", "Il mio telefono si è rotto ieri.",
    "Ho dimenticato la password, cosa faccio?", "La versione 2.0.1 non funziona.", "Siamo in quattro, due adulti e due bambini.", "La fattura n. 2026/0042 non è ancora pagata.", "La camera 305 era troppo rumorosa.", "La partita è finita 3-2.", "Siamo aperti dalle 9 alle 18.", "Il pacco pesa 2,5 kg.", "Sono molto contenta del servizio, grazie.",
    "La temperatura è scesa a -2 gradi.", "Articolo 21 della Costituzione.", "Il concerto comincia alle 20.30.", "Vorrei un preventivo per 12 sedie.",
  ],
  nl: [
    "Goedemiddag, ik wil graag een tafel voor vier personen reserveren.", "De levering kwam twee dagen te laat.", "Kunt u mij de openingstijden op feestdagen geven?", "De prijs is € 1.234,56 exclusief btw.", "In 2023 had het land 17 811 291 inwoners.", "De afspraak is op 21-11-2026 om 10.30 uur.", "Mijn telefoon is gisteren gevallen.",
    "Ik ben mijn wachtwoord vergeten.", "Versie 5.1.2 werkt niet bij ons.", "Wij zijn met twee volwassenen en drie kinderen.", "Factuur 2026-0099 is nog niet betaald.", "Kamer 214 was te lawaaiig.", "De wedstrijd eindigde in 2-1.", "Wij zijn open van 9 tot 17 uur.", "Het pakket weegt 2,5 kg.", "Ik ben heel tevreden over uw dienst.",
    "Het vroor vannacht -6 graden.", "Artikel 7 van de Grondwet.", "Het concert begint om 20.15 uur.", "Graag een offerte voor 40 stoelen.",
  ],
  pt: [
    "Boa tarde, queria saber se ainda há vagas.", "A encomenda chegou com dois dias de atraso.", "Podem dizer-me o horário aos domingos?", "O preço é de 1.234,56 € sem IVA.", "Em 2023 a população era de 10 639 726 pessoas.", "A reunião é no dia 21/11/2026 às 10:30.", "O meu telefone avariou ontem.", "Esqueci-me da senha outra vez.",
    "A versão 1.4.2 não funciona.", "Somos quatro adultos e duas crianças.", "A fatura 2026/123 continua por pagar.", "O quarto 305 era muito barulhento.", "O jogo acabou 2-1.", "Estamos abertos das 9 às 18 horas.", "O pacote pesa 2,5 kg.", "Estou muito contente com o serviço, obrigada.", "A temperatura desceu a -1 grau.", "Artigo 13 da Constituição.",
  ],
};

/** Figures and code, filled with random digits by the generator (see `fill`). */
export const figures: readonly string[] = [
  "Order 1#####, please.", "Order number 10######", "order no. 2026-00####", "Invoice INV-2026-0####", "Rechnung RE-####-###", "Commande n° 45####", "Pedido 77#####", "Bestellnummer 4########", "Invoice no. 7#########", "Tracking number 94001#################", "Tracking: 1Z999AA1#########", "Sendungsnummer 00340434###########*",
  "Parcel JD0140#############", "ISBN 978-3-16-148410-0", "ISBN 0-306-40615-2", "ISBN 0306406152", "ISBN 9783161484100", "EAN 4006381333931", "ISSN 0378-5955", "SKU 123-####-AB", "Part XY-######-Z", "Serial no. SN#########", "Model A1#### rev. 2", "Ticket #12####", "Ticket #1#########", "Ref. ABC/2026/####",
  "On 2026-11-21 at 10:30", "2026-11-21T10:30:00Z", "21.11.2026 - 28.11.2026", "11/21/2026 10:30 PM", "21 Nov 2026", "2026-W47-6", "from 2026-11-21 to 2026-12-1*", "10:30:15.123", "9:00-17:30", "20261121", "1763683###", "1763683######", "Q3 2026, 2024-2026", "years 2019, 2020, 2021",
  "Version 1.2.3", "v10.15.7", "1.2.3.4.5", "Chrome/142.0.0.0", "version 10.0.19041.1", "lodash@4.17.21", "react@19.2.0-rc.1", "node v26.10.0 (linux)", "^1.13.16 || ~2.0.0", "python 3.14.0rc2", "libssl 3.0.13-0ubuntu3",
  "$1,234,567.89", "1.234.567,89 €", "1 234 567,89 EUR", "USD 12,500.00", "¥120,000", "CHF 1'234.50", "3.14159265358979", "0.000012345678", "1e-10", "6.02214076e23", "99.9 %", "1 000 000 000", "12,345,678,901",
  "48.858370, 2.294481", "40.7128 N 74.0060 W", "52°31′12″N 13°24′18″E", "-33.8688 151.2093", "550e8400-e29b-41d4-a716-446655440000", "~~~~~~~~-~~~~-4~~~-a~~~-~~~~~~~~~~~~", "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~", "commit ~~~~~~~", "#ff8800 and #0af", "sha256:~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
  "std::vector<int> v;", "a::before { content: \"\" }", "10:30::", "Foo::Bar.new", "use std::fmt::Debug;", "f :: Int -> Int", "Math.max(1, 2, 3)", "array[10][20]", "x = y @ z", "git checkout -b fix-123", "npm install --save-dev", "SELECT * FROM t WHERE id = 42;", "if (a < b && c > d) { return 0x1f; }", "for (let i = 0; i < 100; i++)", "@handle and @other_handle", "user@localhost",
  "const port = 8080;", "margin: 0 auto 10px 20px;", "rgb(12, 34, 56)", "C:\\Users\\Public\\file.txt", "/usr/local/bin/node --test", "https://example.com/products?page=2&sort=asc", "https://example.com/a/b#section-2", "www.example.com/shop", "1920x1080@60", "10x 20x 30x", "50% off 2 for 1",
  "call 911", "24/7", "3-1, 2-0, 6-4 3-6 7-6", "100-200", "pages 12-15, 20-25", "rows 101-110 205-210", "1 + 1 = 2", "7/8\" x 3 1/2\"", "size 10-12", "12 14 25 33 41 49", "1/2/3", "A4, B5, 80 g/m²", "Boeing 747-400", "Windows 11 24H2", "ZIP 90210-####", "Boston, MA 02110-1301", "04 54 65 73 74 30 82", "RFC 3986 section 6.2.2.1", "90210", "10115 Berlin", "75001 Paris", "SW-12/2026", "Gate B42, seat 17C",
  "Flight LH 1234 on 21 Nov", "Room 2.14", "§ 12 Abs. 3", "Art. 5(1)(a)", "Bus 42, Linie U7", "ISO 9001:2015", "EN 60529 IP65", "RFC 5322", "DIN A4", "IPv4 and IPv6", "AES-256-GCM", "2x4 GB DDR5-6000", "f/2.8 1/250s ISO 400", "BTC 0.00012345", "3,5 Mio.", "15 000 m²", "8 336 817", "1.200.000", "Score: 123-45",
];
