import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ruleOf } from "./fields.ts";

function typeOf(name: string, hint = {}, country = "US"): string | undefined {
  const rule = ruleOf(name, hint, country);
  return rule.kind === "remove" ? (rule.type ?? "unknown") : undefined;
}

suite("names", () => {
  test("what must stay stays", () => {
    const names =
      "statement,success,passed,tips,state,shipping_notes,hostname,filename,company_name,product_name,event_name,email_opt_in,phone_consent,cc_emails_enabled,described,recipe,zipfile," +
      "ip_address_visible,web_address_type,companyName,product[name],message,comments,subject,order_number,country,quantity,emailing,nameless,address_book,username_hint,birthplace_known,sexy,relative,mobility," +
      "how_did_you_hear_via,paper_gsm,palabra_clave,favourite_street,wall_street,is_mobile,table_cell,fuel_cell,file_zip,direct_mail,last_login,event_city,membership_expiry_date,contact_by_phone,has_email,nunca_nie,Produktname," +
      "city_guide,town_hall,city_event,tipo_usuario,user_type,door_handle,product_handle,birth_weight,birthplace_d,month-selector,year-selector,report_m";
    for (const name of names.split(",")) assert.equal(typeOf(name), undefined, name);
  });
  test("the last words decide, in every spelling", () => {
    const expected: Readonly<Record<string, string>> = {
      EMAIL_ADDRESS:
        "email,Email,e-mail,E-Mail,user_email,emergency_contact_email,_replyto,reply-to,email_id,userEmail,confirm_email,email_confirmation,email2,email_address,contact[email],E-Mail-Adresse,courriel,correo electrónico,adresse mail,work.email",
      PHONE_NUMBER:
        "phone,emergency_contact_phone,phone_number_2,mobile_no,user_mobile,mobile,mobileNumber,home_phone,phone_home,tel,fax,telefonnummer,Handynummer,téléphone,teléfono,móvil,cellulare,telefoon,telemóvel,phoneNo",
      PERSON_NAME:
        "name,first_name,lastName,name_first,full-name,your name,contact_name,surname,Name on card,accountHolderName,Vorname,nachname,prénom,nom,nom de famille,apellidos,cognome,achternaam,nome completo,form[name],name2",
      POSTAL_ADDRESS:
        "address,address_1,address2,shippingAddress1,order[address][address_1],billTo_addr,address[city],city,Town/City,Suburb/City,ville_commune,billing_city,cardHolderZip,ctl00$Main$txtCity,Ort,Wohnort,address_town,street,home_street,Ihre Straße,street_address,homeAddress,billing address,zip,zip_code,postcode,PLZ,Straße,Anschrift,code postal,dirección,indirizzo,straat,morada",
      DATE_OF_BIRTH:
        "birthday,dob,date_of_birth,dateOfBirth,birth_date,Geburtsdatum,date de naissance,fecha de nacimiento,data di nascita,geboortedatum,data de nascimento," +
        "birth_month,dob-day,birthYear,birthday[year],birthdate_m,birth-d,dob[y],geburtsdatum_t,naissance_a,day_of_birth,geburt_jahr,jour_naissance,año de nacimiento",
      GENDER: "gender,sex,Geschlecht,sexe,género_sexo",
      USERNAME:
        "username,user_name,userID,login_id,user,nickname,Benutzername,Usuario,tu usuario,Benutzer,utilisateur,handle,twitter_handle",
      PASSWORD: "password,newPassword,passwd,Passwort,mot de passe,contraseña,wachtwoord,senha",
      CREDIT_CARD: "card_number,payment[card_no],cardNumber,credit_card,Kreditkartennummer",
      CARD_DETAILS: "cvv,cvc,security_code,card_expiry",
      IBAN_CODE: "iban,IBAN,iban_number",
      US_SSN: "ssn,social_security_number",
      US_PASSPORT: "passport,passport_number,Reisepassnummer",
    };
    for (const [type, names] of Object.entries(expected))
      for (const name of names.split(",")) assert.equal(typeOf(name), type, name);
  });
  test("a name that asks, or says what the answer is about, decides nothing", () => {
    const questions =
      "warum_keine,why_no,which,what-is-your,how_do_you_use,do_you_have_a,Welche,pourquoi_pas_de,por_que_no,perche_non,waarom_geen";
    const subjects =
      "comment_on,comments_about_your,Anmerkung zu,Fragen zu Ihrer,Meinung über,remarque_sur,avis sur votre,comentario_sobre,feedback_regarding";
    const things = "e_mail,email,phone,Telefonnummer,Adresse,name,iban,password,birthday,street".split(",");
    for (const before of `${questions},${subjects}`.split(","))
      for (const thing of things)
        for (const hint of [{}, { type: "text", label: `${before} ${thing}`.replaceAll("_", " ") }])
          assert.equal(typeOf(`${before}_${thing}`, hint), undefined, `${before} ${thing}`);
    for (const thing of things) assert.equal(typeOf(`${thing}?`), undefined, thing);
    assert.equal(typeOf("name_on_card"), "PERSON_NAME");
  });
  test("whose name it is may stand before or after it; an account at a bank is one in each language", () => {
    const people = "child,guardian,parent,patient,applicant,spouse,account holder".split(",");
    for (const person of people)
      for (const label of [`${person}'s name`, `Name of ${person}`, `${person} name`])
        assert.equal(typeOf("q", { type: "text", label }), "PERSON_NAME", label);
    const labels =
      "Guardian,Parent/guardian,Next of kin,Kontoinhaber,Name des Kindes,Nom de l'enfant,Nombre del hijo,Titular da conta";
    for (const label of labels.split(",")) assert.equal(typeOf("q", { type: "text", label }), "PERSON_NAME", label);
    const accounts =
      "Kontonummer,Konto-Nr.,Sort code,Bank account number,Bankverbindung,Numéro de compte,Número de cuenta,Rekeningnummer,Routing number";
    for (const label of accounts.split(",")) assert.equal(typeOf("q", { type: "text", label }), "IBAN_CODE", label);
    const kept =
      "nombre_d_enfants,nombre_enfants,number_of_children,children,account_type,user_account,name_of_event,company name,next_step,kindergarten,guardian_angel,konto";
    for (const name of kept.split(",")) assert.equal(typeOf(name), undefined, name);
  });
  test("a passport is of the form's country", () => {
    assert.equal(typeOf("passport", {}, "GB"), "UK_PASSPORT");
  });
  test("a name that became a token says nothing", () => {
    for (const name of ["[EMAIL]", "[EMAIL]_2", "[NAME]"]) assert.equal(typeOf(name), undefined);
  });
});

suite("the first rule that speaks decides", () => {
  test("the author's word comes before everything", () => {
    assert.equal(typeOf("message", { pii: true }), "unknown");
    assert.equal(typeOf("email", { pii: true, type: "checkbox" }), "unknown");
    assert.equal(typeOf("email", { pii: true }), "EMAIL_ADDRESS");
    assert.equal(ruleOf("email", { pii: false, type: "email" }, "US").kind, "keep");
  });
  test("the kind of input decides after the author's mark", () => {
    assert.equal(typeOf("reply", { type: "email" }), "EMAIL_ADDRESS");
    assert.equal(typeOf("reply", { type: "TEL", autocomplete: "organization" }), "PHONE_NUMBER");
    assert.equal(typeOf("reply", { type: "password" }), "PASSWORD");
    for (const type of ["checkbox", "radio", "select-one", "select-multiple", "range", "color", "hidden", "number"])
      assert.equal(typeOf("email", { type, label: "Your email" }), undefined, type);
    assert.equal(typeOf("when", { type: "date" }), undefined);
    assert.equal(typeOf("birthday", { type: "date" }), "DATE_OF_BIRTH");
    assert.equal(typeOf("x", { type: "constructor" }), undefined);
  });
  test("autocomplete decides by its last token, whatever the input", () => {
    const expected: Readonly<Record<string, string | undefined>> = {
      "section-blue shipping street-address": "POSTAL_ADDRESS",
      "username webauthn": "USERNAME",
      "home tel-national": "PHONE_NUMBER",
      "cc-csc": "CARD_DETAILS",
      "cc-number": "CREDIT_CARD",
      "cc-given-name": "PERSON_NAME",
      "bday-year": "DATE_OF_BIRTH",
      sex: "GENDER",
      "one-time-code": "PASSWORD",
      "address-level2": "POSTAL_ADDRESS",
      "Given-Name": "PERSON_NAME",
      impp: "URL",
      on: undefined,
      off: undefined,
    };
    for (const [autocomplete, type] of Object.entries(expected))
      assert.equal(typeOf("x", { autocomplete }), type, autocomplete);
    assert.equal(typeOf("month", { type: "select-one", autocomplete: "bday-month" }), "DATE_OF_BIRTH");
    assert.equal(typeOf("code", { type: "number", autocomplete: "postal-code" }), "POSTAL_ADDRESS");
    for (const autocomplete of [
      "organization",
      "organization-title",
      "country",
      "country-name",
      "language",
      "transaction-amount",
      "cc-type",
    ])
      assert.equal(typeOf("name", { autocomplete }), undefined, autocomplete);
    assert.equal(typeOf("email", { autocomplete: "off" }), "EMAIL_ADDRESS");
  });
  test("a date of birth in parts is one, of choices and numbers too", () => {
    assert.equal(typeOf("birth_year", { type: "select-one" }), "DATE_OF_BIRTH");
    assert.equal(typeOf("dob[day]", { type: "number" }), "DATE_OF_BIRTH");
    assert.equal(typeOf("q", { type: "select-one", label: "Year of birth" }), undefined);
  });
  test("the month and year in which a card expires are card details, chosen from a list or not", () => {
    for (const name of [
      "exp_month",
      "expYear",
      "cardExpirationMonth",
      "cc-year",
      "expiry_month",
      "expirationDate_month",
    ])
      assert.equal(typeOf(name, { type: "select-one" }), "CARD_DETAILS", name);
    for (const name of ["month", "year", "report_year", "card_type", "state"])
      assert.equal(typeOf(name, { type: "select-one" }), undefined, name);
  });
  test("the label decides after the name", () => {
    assert.equal(typeOf("field_7", { label: "E-mail address (required)" }), "EMAIL_ADDRESS");
    assert.equal(typeOf("field_7", { label: "Vor- und Nachname *" }), "PERSON_NAME");
    assert.equal(typeOf("field_7", { label: "How did you hear about us?" }), undefined);
    assert.equal(typeOf("phone", { label: "Your email" }), "PHONE_NUMBER");
  });
  test("the placeholder decides after the label", () => {
    assert.equal(typeOf("field_7", { label: "How to reach you", placeholder: "Your e-mail" }), "EMAIL_ADDRESS");
    assert.equal(typeOf("field_7", { label: "Phone", placeholder: "Your e-mail" }), "PHONE_NUMBER");
    assert.equal(typeOf("field_7", { placeholder: "name@example.com" }), "EMAIL_ADDRESS");
  });
  test("a label that holds its text twice says it once", () => {
    assert.equal(typeOf("field_7", { type: "text", label: "Name on card\n Name on card" }), "PERSON_NAME");
    assert.equal(typeOf("field_7", { type: "text", label: "Name on card Name on card" }), "PERSON_NAME");
    assert.equal(typeOf("field_7", { type: "text", label: "Your card and the name on card" }), undefined);
  });
  test("a label with two names for one thing names it", () => {
    const expected = { "Town / City": "POSTAL_ADDRESS", "Suburb/City": "POSTAL_ADDRESS", "Email / Handle": "USERNAME" };
    for (const [label, type] of Object.entries(expected))
      assert.equal(typeOf("q", { type: "text", label }), type, label);
    for (const label of ["Door handle", "City guide", "Tipo de usuario"])
      assert.equal(typeOf("q", { type: "text", label }), undefined, label);
  });
  test("a label that is a question, or longer than four words, empties no answer", () => {
    const labels = [
      "Which of our plans has a phone?",
      "What is your e-mail address?",
      "Do you prefer phone or e-mail?",
      "Welcher Tarif hat ein Handy?",
      "Combien de temps passez-vous à la rue？",
      "Tell us what you think of our street",
      "Any phone?",
      "Welches Handy?",
      "Quel email？",
      "Anything else we should know about your address",
    ];
    for (const label of labels)
      for (const type of ["text", "textarea"]) assert.equal(typeOf("answer", { type, label }), undefined, label);
  });
  test("a label or a placeholder alone never empties a textarea; its name does", () => {
    assert.equal(typeOf("answer", { type: "textarea", label: "Phone", placeholder: "Address" }), undefined);
    assert.equal(typeOf("address", { type: "textarea" }), "POSTAL_ADDRESS");
  });
  test("an explanation in brackets or after a mark does not hide what a label names", () => {
    const expected: Readonly<Record<string, readonly string[]>> = {
      EMAIL_ADDRESS: [
        "E-mail (we never share it, why would we?)",
        "* Email: for the receipt",
        "Email – needed for the invoice",
      ],
      PHONE_NUMBER: [
        "Phone, for questions on the day only",
        "Telefon\nnur für Rückfragen am selben Tag",
        "Mobile phone | optional",
      ],
      PERSON_NAME: ["First name [as in your passport]"],
    };
    for (const [type, labels] of Object.entries(expected))
      for (const label of labels) assert.equal(typeOf("field_7", { type: "text", label }), type, label);
  });
});
