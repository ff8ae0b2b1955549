/**
 * The person whose page this is: the first that a session has named here. It never becomes somebody else's: what is in its memory ends with the
 * page, and the next person gets a new one.
 */
let person: string | undefined;

export const findPagePerson = (): string | undefined => person;

export function setPagePerson(id: string): void {
  person = id;
}
