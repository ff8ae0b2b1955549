/** A browser that runs here, found by `findEngines` in engines.ts. */
export interface Engine {
  readonly name: "Chromium" | "Firefox" | "WebKit";
  readonly version: string;
  /** A window in a fresh profile: no cookies, no cache, no keys. Certificates of our own are accepted. */
  start(): Promise<Driver>;
}

/**
 * The little that Playwright (Chromium), WebDriver BiDi (Firefox) and WebDriver (WebKit) all offer. Everything a person does is built
 * on it in tab.ts, the same for all, so that a difference between two runs is one of the browsers.
 */
export interface Driver {
  /** Resolves when the page has loaded. */
  navigate(url: string): Promise<void>;
  /** The value, as JSON, of an expression in the page; a promise is awaited. Throws what the page throws. */
  evaluate(expression: string): Promise<string | undefined>;
  /** Real input: the browser takes it for that of a person. */
  perform(source: InputSource): Promise<void>;
  /** Chooses files in the file input that `selector` finds. */
  choose(selector: string, paths: readonly string[]): Promise<void>;
  /** Where downloads land, under the names that the page suggests. */
  readonly downloads: string;
  close(): Promise<void>;
}

/** WebDriver, section "Actions": both protocols take the same. */
export type InputSource =
  | { readonly type: "key"; readonly id: "keyboard"; readonly actions: readonly KeyAction[] }
  | {
      readonly type: "pointer";
      readonly id: "mouse";
      readonly parameters: { readonly pointerType: "mouse" };
      readonly actions: readonly PointerAction[];
    };

export interface KeyAction {
  readonly type: "keyDown" | "keyUp";
  readonly value: string;
}

export type PointerAction =
  | { readonly type: "pointerMove"; readonly x: number; readonly y: number }
  | { readonly type: "pointerDown" | "pointerUp"; readonly button: 0 };
