import type { Fields } from "@sealpost/wire";

export interface Answer {
  /** Days after the start of the month that the pictures show. */
  readonly daysAfter: number;
  readonly fields: Fields;
}

const names = [
  "Zoë Müller",
  "Jonas Weber",
  "",
  "Aylin Demir",
  "Piotr Nowak",
  "Mei Chen",
  "",
  "Samira Haddad",
  "Tom O’Neill",
  "Ines Castro",
];
const topics = [["hours"], ["pay", "hours"], ["safety"], ["pay"], ["hours", "safety"], ["other"]];
const messages = [
  "The night shift has had no first-aider since May. Who may I talk to?",
  "May my holidays be moved because of a new project?",
  "Since the new roster came we have less than eleven hours between two shifts.",
  "How is overtime counted when I travel on a Sunday?",
  "The fire door in hall 3 is blocked again. Photos on request.",
  "I would like to work four days a week from January on. What is the way to ask?",
  "Is the bonus agreement of 2024 still valid for part-time staff?",
  "Thank you for the last meeting. Could the minutes be sent round?",
];
/** How many came on each day: little at weekends, a peak after a meeting. */
const perDay = [2, 4, 3, 5, 3, 0, 1, 4, 6, 3, 5, 2, 1, 0, 3, 5, 12, 9, 6, 1, 0, 4, 3, 6, 4, 3, 0, 1, 5, 4];

export function createAnswers(): readonly Answer[] {
  let index = 0;
  return perDay.flatMap((count, dayIndex) =>
    Array.from({ length: count }, (_, position) => {
      const number = index++;
      const name = names[number % names.length] ?? "";
      return {
        daysAfter: dayIndex + (position + 1) / (count + 1),
        fields: {
          name,
          email:
            name === ""
              ? ""
              : `${name
                  .split(" ")[0]
                  ?.normalize("NFKD")
                  .replace(/\P{ASCII}/gu, "")
                  .toLowerCase()}@example.com`,
          topics: topics[number % topics.length] ?? [],
          message: messages[(number * 5) % messages.length] ?? "",
        },
      };
    }),
  );
}
