import { type FieldRule, type Hint, isQuestion, namesPerson, ruleOf, wordsOf } from "./fields.ts";
import { detectors, type Found, findWith, type Search } from "./find.ts";
import { finish, type Steps } from "./steps.ts";
import { allTypes, defaultTypes, isToken, type PiiType, parseTypes, removedToken, tokens } from "./types.ts";
import { splitWords } from "./words.ts";

/** The fields of a form: any JSON object. */
export type Fields = { readonly [name: string]: FieldValue };
export type FieldValue =
  | string
  | number
  | boolean
  | null
  | readonly FieldValue[]
  | { readonly [name: string]: FieldValue };

/** By field name; for a field inside another, by its dotted path. */
export type Hints = Readonly<Record<string, Hint>>;

export interface Options {
  readonly types?: readonly PiiType[];
  readonly country?: string;
}

export interface Stripped {
  fields: Fields;
  stripped: Array<{ field: string; types: PiiType[] }>;
}

/**
 * A copy of `fields` without common patterns of personal data, and the names of the fields that lost something (dotted path,
 * array indexes left out; never values, lengths or positions). Without `types`, fields lose whole values of every type, and
 * texts lose the twelve default types; with `types`, both lose only those. A text of more than 65,536 UTF-16 units, what is over
 * 1,048,576 in all, and what is nested deeper than 32 is removed whole. More than 1,000 values are a RangeError and a value
 * that is no JSON a TypeError: after an error there is no result, and nothing may be sent or stored.
 */
export function stripPii(fields: Fields, hints: Hints = {}, options: Options = {}): Stripped {
  return finish(stripPiiInSteps(fields, hints, options));
}

/**
 * `stripPii` in pieces of a few milliseconds at most, for those who have something else to do meanwhile: `next()` does one, the last has
 * the result. The arguments may not change before that.
 */
export function stripPiiInSteps(fields: Fields, hints: Hints = {}, options: Options = {}): Steps<Stripped> {
  return stripWith((text, search) => findWith(detectors, text, search), fields, hints, options);
}

const textMax = 65_536; // UTF-16 units of one text
const totalMax = 1_048_576; // of all texts and names
const valuesMax = 1_000; // members of objects and arrays, at every depth
const depthMax = 32;
/** Inputs whose readers expect a number or a date, and would trip over a token. */
const figureInputs = new Set(["number", "range", "date", "datetime-local", "month", "week", "time"]);

type Find = (text: string, search: Search) => Steps<Found[]>;

/** Shared by all values of one submission, with the counts over them. */
interface Walk {
  readonly find: (text: string, place?: Place, isFigure?: boolean) => Steps<Found[]>;
  readonly hintOf: (path: string) => Hint;
  readonly country: string;
  readonly fieldTypes: ReadonlySet<PiiType>;
  readonly stripped: Map<string, Set<PiiType>>;
  textUnits: number;
  values: number;
}

/** Shared within one field: its place, its hints, and what follows from them. */
interface Place {
  /** The path, with names as in the result: a name that was itself personal data must not come back in the report. */
  readonly path: string;
  /** The path with the original names, to look up hints. */
  readonly hintPath: string;
  readonly hint: Hint;
  readonly rule: FieldRule;
  readonly words: readonly string[];
  /** Those that say what its members hold: none of a question. */
  readonly groupWords: readonly string[];
  /** Whether its name was removed. */
  readonly isRenamed: boolean;
  readonly depth: number;
}

/** `stripPii` with its finder as an argument. An error of the finder is not caught, so it leaves no result. */
export function* stripWith(find: Find, fields: Fields, hints: Hints, options: Options): Steps<Stripped> {
  const country = (options.country ?? "US").toUpperCase();
  const types = parseTypes(options.types ?? defaultTypes);
  const walk: Walk = {
    find: (text, place, isFigure = false) =>
      find(text, {
        types,
        country,
        fieldWords: place?.words ?? [],
        countingWords: place === undefined || place.isRenamed ? [] : place.words,
        isFigure,
      }),
    hintOf: (path) => (Object.hasOwn(hints, path) ? hints[path] : undefined) ?? {},
    country,
    fieldTypes: parseTypes(options.types ?? allTypes),
    stripped: new Map(),
    textUnits: 0,
    values: 0,
  };
  const root: Place = {
    path: "",
    hintPath: "",
    hint: {},
    rule: { kind: "scan" },
    words: [],
    groupWords: [],
    isRenamed: false,
    depth: 0,
  };
  const result = yield* stripObject(walk, fields, root);
  return { fields: result, stripped: Array.from(walk.stripped, ([field, found]) => ({ field, types: [...found] })) };
}

function* stripObject(walk: Walk, object: Fields, parent: Place): Steps<Fields> {
  // Without a prototype, `__proto__` is a name like any other.
  const result: Record<string, FieldValue> = Object.create(null);
  const entries = Object.entries(object);
  const newNames = yield* nextNames(
    walk,
    entries.map(([name]) => name),
    parent,
  );
  for (const [index, [name, value]] of entries.entries()) {
    yield;
    const newName = newNames[index] ?? removedToken;
    const hintPath = join(parent.hintPath, name);
    const hint = walk.hintOf(hintPath);
    const words = [...wordsOf(name), ...splitWords(hint.label ?? "")];
    const isPerson = isGroup(value) && hint.pii === undefined && namesPerson(name);
    const rule = isPerson ? parent.rule : nextRule(walk, name, hint, parent);
    result[newName] = yield* stripValue(walk, value, {
      path: join(parent.path, newName),
      hintPath,
      hint,
      rule,
      words,
      groupWords: isQuestion(name) ? [] : words,
      isRenamed: newName !== name,
      depth: parent.depth + 1,
    });
  }
  return result;
}

function* stripValue(walk: Walk, value: FieldValue, place: Place): Steps<FieldValue> {
  if (++walk.values > valuesMax) throw new RangeError(`A submission has at most ${valuesMax} values`);
  if (value === null) return null;
  if (typeof value === "string") return yield* stripText(walk, value, place);
  if (typeof value === "number") return yield* stripNumber(walk, value, place);
  // Yes and no name nobody; but what the form's author marked goes.
  if (typeof value === "boolean") return place.hint.pii === true ? remove(walk, place, null) : value;
  if (typeof value !== "object") throw new TypeError("A submission holds a value that is not JSON");
  if (place.depth > depthMax) {
    record(walk, place.path, []);
    return removedToken;
  }
  if (!isList(value)) return yield* stripObject(walk, value, place);
  const members: FieldValue[] = [];
  for (const member of value) {
    yield;
    members.push(yield* stripValue(walk, member, { ...place, depth: place.depth + 1 }));
  }
  return members;
}

function* stripText(walk: Walk, text: string, place: Place): Steps<string | null> {
  // A value that is a token holds nothing any more, whatever its field is called now that names may have been removed too.
  if (place.rule.kind === "keep" || text.trim() === "" || isToken(text)) return text;
  const expectsFigure = figureInputs.has(place.hint.type?.toLowerCase() ?? "");
  if (place.rule.kind === "remove") return remove(walk, place, expectsFigure ? null : tokenOf(place.rule.type));
  if (isOverLimit(walk, text)) {
    record(walk, place.path, []);
    return removedToken;
  }
  const found = yield* walk.find(text, place, expectsFigure);
  if (found.length === 0) return text;
  record(
    walk,
    place.path,
    found.map((hit) => hit.type),
  );
  return expectsFigure ? null : replace(text, found);
}

function* stripNumber(walk: Walk, value: number, place: Place): Steps<number | null> {
  if (place.rule.kind === "keep") return value;
  if (place.rule.kind === "remove") return remove(walk, place, null);
  const found = yield* walk.find(String(value), place, true);
  if (found.length === 0) return value;
  record(
    walk,
    place.path,
    found.map((hit) => hit.type),
  );
  return null;
}

/** The contents of a kept or removed field are kept or removed with it; a part with a more exact type gets its own token. */
function nextRule(walk: Walk, name: string, hint: Hint, { rule: outer, groupWords }: Place): FieldRule {
  if (outer.kind === "keep") return outer;
  const own = ruleOf(name, hint, walk.country, groupWords);
  if (own.kind === "scan") return outer;
  return own.kind === "remove" && own.type !== undefined && !walk.fieldTypes.has(own.type) && hint.pii !== true
    ? outer
    : own;
}

/** A name that holds personal data becomes its token, with `_2` and so on where two would be the same; the others stay. */
function* nextNames(walk: Walk, names: readonly string[], parent: Place): Steps<string[]> {
  const types: (PiiType[] | undefined)[] = [];
  for (const name of names) types.push(yield* typesOfName(walk, name, parent));
  const taken = new Set(names.filter((_name, index) => types[index] === undefined));
  return names.map((name, index) => {
    const found = types[index];
    if (found === undefined) return name;
    const token = tokenOf(found[0]);
    let unique = token;
    for (let copy = 2; taken.has(unique); copy++) unique = `${token}_${copy}`;
    taken.add(unique);
    record(walk, join(parent.path, unique), found);
    return unique;
  });
}

/** `undefined` if the name may stay; no types if it was too long to look at. */
function* typesOfName(walk: Walk, name: string, parent: Place): Steps<PiiType[] | undefined> {
  if (parent.rule.kind === "keep" || walk.hintOf(join(parent.hintPath, name)).pii === false) return undefined;
  if (isOverLimit(walk, name)) return [];
  const found = yield* walk.find(name);
  return found.length === 0 ? undefined : found.map((hit) => hit.type);
}

function isOverLimit(walk: Walk, text: string): boolean {
  walk.textUnits += text.length;
  return text.length > textMax || walk.textUnits > totalMax;
}

function remove<Value extends string | null>(walk: Walk, place: Place, value: Value): Value {
  record(walk, place.path, place.rule.kind === "remove" && place.rule.type !== undefined ? [place.rule.type] : []);
  return value;
}

function record(walk: Walk, path: string, types: readonly PiiType[]): void {
  const known = walk.stripped.get(path) ?? new Set();
  for (const type of types) known.add(type);
  walk.stripped.set(path, known);
}

function tokenOf(type: PiiType | undefined): string {
  return type === undefined ? removedToken : tokens[type];
}

/** Replaces hits in the order of the text, none over another. Cutting the whole text at each would be quadratic. */
function replace(text: string, found: readonly Found[]): string {
  let replaced = "";
  let end = 0;
  for (const hit of found) {
    replaced += text.slice(end, hit.start) + tokens[hit.type];
    ({ end } = hit);
  }
  return replaced + text.slice(end);
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function isGroup(value: FieldValue): boolean {
  return typeof value === "object" && value !== null && !isList(value);
}

/** `Array.isArray` does not narrow a readonly array away from an object. */
function isList(value: FieldValue): value is readonly FieldValue[] {
  return Array.isArray(value);
}
