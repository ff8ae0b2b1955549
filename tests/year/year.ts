import assert from "node:assert/strict";
import { type Council, startCouncil } from "./council.ts";
import { arrive, type Councillor, type PaperSheet, readEverything } from "./councillor.ts";
import type { CouncilForm } from "./flows.ts";

export const founder = "Ada Brandt";
export const [bo, cy, dee, eve, finn, gus, hana] = [
  "Bo Castillo",
  "Cy Demir",
  "Dee Eriksen",
  "Eve Farkas",
  "Finn Gruber",
  "Gus Horvat",
  "Hana Ito",
] as const;
/** In the order in which they are invited; the first one as a manager. */
export const newcomers = [bo, cy, dee, eve, finn, gus, hana] as const;

/** People, forms and paper, as each month leaves them to the next one. */
export interface Year {
  readonly council: Council;
  /** Each member, under their name. */
  readonly people: Map<string, Councillor>;
  /** In the order in which they were made. Readers read the first two. */
  readonly forms: CouncilForm[];
  /** Those of the organization's recovery key. */
  readonly recoverySheets: PaperSheet[];
  find(name: string): Councillor;
  formsOf(person: Councillor): readonly CouncilForm[];
  /** Each member in their own browser, each submission since January. */
  everyoneReads(): Promise<void>;
}

export async function startYear(): Promise<Year> {
  const council = await startCouncil();
  const people = new Map<string, Councillor>();
  const forms: CouncilForm[] = [];
  const formsOf = ({ name }: Councillor) => (name === founder || name === bo ? forms : forms.slice(0, 2));
  return {
    council,
    people,
    forms,
    recoverySheets: [],
    find: (name) => people.get(name) ?? assert.fail(name),
    formsOf,
    async everyoneReads() {
      for (const person of people.values()) {
        await arrive(person);
        await readEverything(council, person, formsOf(person));
      }
    },
  };
}
