import type { Page } from "playwright-core";

/** A function that the browser gives pages: `Map`, `Object.keys`, `Array.prototype.map`; `Array.prototype.@@iterator`. */
export type BuiltIn = string;

/** Substitutes that a page may have put in its place: a constructor that ignores its arguments, what gives its input back, what gives nothing, what throws. */
export const replacements = {
  ignores: "function () { this.zoom = 3 }",
  echoes: "(input) => input",
  gives: "() => []",
  throws: "() => { throw new TypeError('replaced') }",
} as const;
export type Replacement = keyof typeof replacements;

/** A script that replaces one. Where it cannot (a member that is read-only), it does nothing. */
export function replace(builtIn: BuiltIn, replacement: Replacement): string {
  const path = builtIn.split(".");
  const name = path.pop() ?? "";
  const owner = ["window", ...path].join(".").replace("window.%TypedArray%", "Object.getPrototypeOf(Uint8Array)");
  const key = name.startsWith("@@") ? `Symbol.${name.slice(2)}` : JSON.stringify(name);
  return `Object.defineProperty(${owner}, ${key}, { value: ${replacements[replacement]}, writable: true, configurable: true })`;
}

/** Every word of a script: its variables and members, among others. */
export function wordsOf(script: string): readonly string[] {
  return [...new Set(script.match(/[A-Za-z_$][\w$]*/g))];
}

/**
 * The built-ins among `words`: of `page`, whose globals are not replaced. Those that `record` sees called, and the global functions and
 * classes.
 */
export async function listBuiltIns(page: Page, words: readonly string[]): Promise<readonly BuiltIn[]> {
  return page.evaluate((all) => {
    const found = new Set<string>();
    const isFunction = (owner: object, name: PropertyKey) =>
      typeof Object.getOwnPropertyDescriptor(owner, name)?.value === "function";
    const add = (path: string, owner: object) => {
      for (const word of all) if (word !== "constructor" && isFunction(owner, word)) found.add(`${path}.${word}`);
      if (isFunction(owner, Symbol.iterator)) found.add(`${path}.@@iterator`);
    };
    for (const name of Object.getOwnPropertyNames(window)) {
      const value: unknown = Object.getOwnPropertyDescriptor(window, name)?.value;
      if (typeof value === "function") {
        if (all.includes(name)) found.add(name);
        add(name, value);
        if (typeof value.prototype === "object" && value.prototype) add(`${name}.prototype`, value.prototype);
      } else if (typeof value === "object" && value && Object.prototype.toString.call(value) === `[object ${name}]`)
        add(name, value);
    }
    const typedArray = Object.getPrototypeOf(Uint8Array);
    add("%TypedArray%", typedArray);
    add("%TypedArray%.prototype", typedArray.prototype);
    return [...found];
  }, words);
}

/** A script that notes in `parent.called` which of `builtIns` are called, and lets them do what they do. */
export function record(builtIns: readonly BuiltIn[]): string {
  const watch = (all: readonly string[]) => {
    const called: Record<string, boolean> = Reflect.get(window.parent, "called");
    const { apply, construct, defineProperty, getOwnPropertyDescriptor } = Reflect;
    const typedArray = Object.getPrototypeOf(Uint8Array);
    const iterator = Symbol.iterator;
    const work: (() => void)[] = [];
    for (const path of all) {
      const names = path.split(".");
      const name = names.pop() as string;
      let owner: object = window;
      for (const one of names) owner = one === "%TypedArray%" ? typedArray : Reflect.get(owner, one);
      if (owner === window && /^[A-Z]/.test(name)) continue;
      const key = name === "@@iterator" ? iterator : name;
      const descriptor = getOwnPropertyDescriptor(owner, key);
      const original = descriptor?.value;
      if (!descriptor?.configurable) continue;
      work[work.length] = () =>
        defineProperty(owner, key, {
          ...descriptor,
          value: function (this: unknown, ...parameters: unknown[]) {
            called[path] = true;
            return new.target ? construct(original, parameters, new.target) : apply(original, this, parameters);
          },
        });
    }
    for (let index = 0; index < work.length; index++) work[index]?.();
  };
  return `(${watch})(${JSON.stringify(builtIns)})`;
}
