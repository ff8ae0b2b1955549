import type { Fields } from "@sealpost/wire";

const names = [
  "Zoë Müller",
  "Ada Lovelace",
  "Seán Ó Murchú",
  "مريم الحداد",
  "Nguyễn Thị Minh",
  "佐藤 花子",
  "Łukasz Żak",
  "Björk Guðmundsdóttir",
  "Chidi Okafor",
  "José García",
  "Anna-Lena van der Berg",
  "Δήμητρα Παππά",
];
const topics = ["hours", "pay", "safety"];
const sentences = [
  "The night shift has had no first-aider since May.",
  "Who may I talk to?",
  "Please call me in the afternoon.",
  "I would like to come on Thursday with two colleagues.",
  "Können Sie mir das Formular noch einmal schicken?",
  "Merci beaucoup, c'était très clair.",
  "The last delivery was two days late, and one box was open.",
  "Is the building accessible by wheelchair? 🙏",
  "Everything arrived in good order.",
];

/** The answers of visitor number `index` in the demo's form: the same for the same number, short and long, in several scripts. */
export function answersOf(index: number): Fields {
  const name = pick(names, index);
  const length = 1 + ((index * 7) % 5);
  const message = Array.from({ length }, (_, place) => pick(sentences, index * 5 + place * 2)).join(" ");
  const email = `visitor-${index + 1}@example.com`;
  const chosen = topics.filter((_, place) => (index >> place) % 2 === 1);
  // As the embed collects them: one box is a text, several are a list, none leave no field.
  const [topic] = chosen;
  return {
    name,
    email,
    ...(topic === undefined ? {} : { topics: chosen.length === 1 ? topic : chosen }),
    message,
  };
}

function pick(values: readonly string[], index: number): string {
  return values[index % values.length] ?? "";
}
