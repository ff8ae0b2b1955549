import assert from "node:assert/strict";
import { test } from "node:test";
import { findPii } from "./find.ts";
import { stripPii } from "./strip.ts";

const things = [
  "Zähler",
  "Chargen",
  "Modell",
  "Konto",
  "Vorgangs",
  "Inventar",
  "Ticket",
  "Fahrgestell",
  "ordre",
  "klant",
  "artikel",
];
const endings = ["nummer", "-Nummer", "nr", "-Nr.", "nr."];
const figures = ["01712345678", "0171 1234567", "07712345678", "061234567890"];

test("a number after a word that ends in -nummer or -nr counts things, in text and as the name of a field", () => {
  for (const thing of things) {
    for (const ending of endings) {
      for (const figure of figures) {
        const text = `${thing}${ending} ${figure}`;
        assert.deepEqual(findPii(text, { country: "DE" }), [], text);
        if (thing === "Konto") continue; // a field for a bank account loses its value
        const name = `${thing}${ending}`.replace(/[-.]/g, "").toLowerCase();
        assert.deepEqual(stripPii({ [name]: figure.replace(" ", "") }, {}, { country: "DE" }).stripped, [], name);
      }
    }
  }
});

test("a telephone's, a house's or a person's number counts no things", () => {
  const names = ["Telefon", "Handy", "Mobil", "Fax", "Ruf", "Festnetz", "Mobiltelefon", "Service"];
  for (const name of names.flatMap((stem) => endings.map((ending) => `${stem}${ending}`)))
    assert.equal(findPii(`${name} 01712345678`, { country: "DE" }).length, 1, name);
});

test("words for things in English, German, Polish and French keep a bare number", () => {
  const words =
    "charge,model,PO,loan,invoice,BLZ,Konto,zamówienie,faktura,umowa nr,NIP,REGON,commande,contrat,Rechnung Nr.,order no.";
  for (const word of words.split(","))
    for (const country of ["US", "DE", "PL", "FR", "GB"] as const)
      for (const figure of ["0612345678", "2125552368", "512345678"])
        assert.deepEqual(findPii(`${word} ${figure}`, { country }), [], `${country} ${word} ${figure}`);
});

test("the nearer word decides: a telephone number after an order's is one", () => {
  for (const text of [
    "Order 1234, tel 2125552368",
    "Kundennummer 4711, Telefon 01712345678",
    "invoice, please call 2125552368",
  ])
    assert.deepEqual(
      findPii(text).map(({ type }) => type),
      ["PHONE_NUMBER"],
      text,
    );
  assert.deepEqual(findPii("please call about order 2125552368"), []);
});
