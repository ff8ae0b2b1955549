/** Two more than a name may have, for `[]`. */
export const nameLengthMax = 258;

/** Nothing is taken of a control field with a name of any length; every other name that is too long ends the reading. */
export function refuseLongName(name: string): void {
  if (name.length > nameLengthMax) throw new RangeError("The name of a field is too long");
}
