type Category = Intl.LDMLPluralRule;

/** One form for each category that the language has: English has `one` and `other`, Polish also `few` and `many`. */
export type PluralForms<Categories extends Category> = Readonly<Record<Categories, string>>;

export interface Plurals<Categories extends Category> {
  /** The form for this count, without the count. */
  readonly plural: (count: number, forms: PluralForms<Categories>) => string;
  /** The count and the form for it: "1 entry", "1,005 entries". */
  readonly counted: (count: number, forms: PluralForms<Categories>) => string;
}

/** `categories` are those of the language (CLDR), so that the type asks for exactly its forms; others are refused. */
export function createPlurals<const Categories extends Category>(
  tag: string,
  categories: readonly Categories[],
): Plurals<Categories> {
  const rules = new Intl.PluralRules(tag);
  const known = rules.resolvedOptions().pluralCategories.toSorted();
  if (known.join() !== categories.toSorted().join())
    throw new Error(`${tag} has the plural categories ${known.join(", ")}`);
  const whole = new Intl.NumberFormat(tag);
  const plural = (count: number, forms: PluralForms<Categories>): string => forms[rules.select(count) as Categories]; // compared above
  return { plural, counted: (count, forms) => `${whole.format(count)} ${plural(count, forms)}` };
}
