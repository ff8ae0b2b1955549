/** Checksums over strings of digits (and letters where said). Each is the published algorithm of the identifiers that it names. */

/** ISO/IEC 7812-1 annex B: payment cards, CA_SIN, SE_PERSONNUMMER, and US_NPI with its prefix. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The sum of each digit times its weight. */
export function weightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0);
}

/** ISO/IEC 7064 MOD 97-10 as ISO 13616 applies it: the first four characters moved to the end, letters as 10 to 35. */
export function remainder97(characters: string): number {
  let remainder = 0;
  for (const character of characters.slice(4) + characters.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}

/** ISO 2108 section 6: an ISBN is an EAN of thirteen digits that begins with 978 or 979. */
export function isIsbn13(digits: string): boolean {
  return /^97[89]\d{10}$/.test(digits) && weightedSum(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0;
}

export function areAllEqual(digits: string): boolean {
  return digits === (digits[0] ?? "").repeat(digits.length);
}

/** J. Verhoeff, "Error Detecting Decimal Codes", 1969: the dihedral group D5, and one permutation applied once more each place. */
export function passesVerhoeff(digits: string): boolean {
  const permutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
  let check = 0;
  for (let place = 0; place < digits.length; place++) {
    let digit = Number(digits[digits.length - 1 - place]);
    for (let turn = place % 8; turn > 0; turn--) digit = permutation[digit] ?? 0;
    check = multiply(check, digit);
  }
  return check === 0;
}

/** In D5 the digits 0–4 are rotations, 5–9 reflections. */
function multiply(one: number, other: number): number {
  const rotation = one < 5 ? (one + other) % 5 : (one - other + 10) % 5;
  return one < 5 === other < 5 ? rotation : rotation + 5;
}
