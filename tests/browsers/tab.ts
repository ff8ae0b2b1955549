import type { Driver } from "./driver.ts";

/** An element to look for: by what people read and hear, or by a selector. */
export type Target =
  | { readonly button: string }
  | { readonly label: string }
  | { readonly text: string }
  | { readonly css: string };

/** A window with a person before it. Everything waits until it can be done, and throws when that takes too long. */
export interface Tab {
  readonly driver: Driver;
  /** Calls a function in the page. It stands alone: what it needs comes as arguments, as JSON. */
  run<Arguments extends readonly unknown[], Result>(
    work: (...parameters: Arguments) => Result,
    ...parameters: Arguments
  ): Promise<Awaited<Result>>;
  /** Resolves with the first value of `work` that is true. A page that is being left is asked again on the next. */
  until<Arguments extends readonly unknown[], Result>(
    work: (...parameters: Arguments) => Result,
    ...parameters: Arguments
  ): Promise<NonNullable<Awaited<Result>>>;
  see(target: Target): Promise<void>;
  /** Moves the mouse there and presses, `times` times. */
  click(target: Target, times?: 1 | 2): Promise<void>;
  /** Types with the keyboard into what has the focus. */
  type(text: string): Promise<void>;
  /** Clicks into a field and types. */
  fill(label: string, text: string): Promise<void>;
}

/** Keys without a character: WebDriver, section "Keyboard actions". */
export const keys = { enter: "\uE007", tab: "\uE004", space: " " } as const;

const defaultPatienceMilliseconds = 60_000;

export function createTab(driver: Driver, patienceMilliseconds = defaultPatienceMilliseconds): Tab {
  /** The place of a target that has stopped moving: the page around it may still be filling, and a press would miss. */
  async function locateAtRest(target: Target): Promise<{ readonly x: number; readonly y: number }> {
    let before = await tab.until(locate, target, true);
    for (;;) {
      const now = await tab.until(locate, target, true);
      if (now.x === before.x && now.y === before.y) return now;
      before = now;
    }
  }

  const tab: Tab = {
    driver,
    async run(work, ...parameters) {
      const call = `(${work.toString()})(...${JSON.stringify(parameters)})`;
      const json = await driver.evaluate(`(async () => JSON.stringify({ value: await ${call} }))()`);
      return JSON.parse(json ?? "{}").value;
    },
    async until(work, ...parameters) {
      const end = Date.now() + patienceMilliseconds;
      let reason: unknown;
      for (;;) {
        try {
          const value = await tab.run(work, ...parameters);
          if (value) return value;
        } catch (error) {
          reason = error;
        }
        if (Date.now() > end) {
          const shown = await tab.run(() => `${location.href}\n${document.body?.innerText}`).catch(String);
          throw new Error(`Waited in vain for ${work.name || work} ${JSON.stringify(parameters)} on ${shown}`, {
            cause: reason,
          });
        }
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    },
    async see(target) {
      await tab.until(locate, target, false);
    },
    async click(target, times = 1) {
      const { x, y } = await locateAtRest(target);
      const press = [
        { type: "pointerDown", button: 0 },
        { type: "pointerUp", button: 0 },
      ] as const;
      await driver.perform({
        type: "pointer",
        id: "mouse",
        parameters: { pointerType: "mouse" },
        actions: [{ type: "pointerMove", x, y }, ...press, ...(times === 2 ? press : [])],
      });
    },
    async type(text) {
      await driver.perform({
        type: "key",
        id: "keyboard",
        actions: Array.from(text).flatMap((value) => [
          { type: "keyDown", value },
          { type: "keyUp", value },
        ]),
      });
    },
    async fill(label, text) {
      await tab.click({ label });
      await tab.type(text);
    },
  };
  return tab;
}

/** Runs in the page: the middle of what is meant, once it shows; to be pressed, it is enabled and under nothing else. */
function locate(
  target: { readonly button?: string; readonly label?: string; readonly text?: string; readonly css?: string },
  isToPress: boolean,
) {
  const { button, label, text, css } = target;
  const isNamed = (element: Element, name: string) =>
    (element.getAttribute("aria-label") ?? element.textContent ?? "").trim() === name;
  const find = (): Element | null | undefined => {
    if (css !== undefined) return document.querySelector(css);
    if (button !== undefined)
      return [...document.querySelectorAll("button, a, [role=button], [role=menuitem], [role=tab]")].find((element) =>
        isNamed(element, button),
      );
    if (label !== undefined) {
      const labels = [...document.querySelectorAll("label")];
      const isCalled = (element: Element) => element.textContent?.trim() === label;
      // A label may continue with a hint.
      const found = labels.find(isCalled) ?? labels.find((element) => element.textContent?.trim().startsWith(label));
      return (
        found?.control ?? [...document.querySelectorAll("[aria-label]")].find((element) => isNamed(element, label))
      );
    }
    // The innermost that holds the words, of those that are shown if they stand somewhere else as well.
    const found = [...document.querySelectorAll("body *")].filter((element) =>
      element.textContent?.includes(text ?? ""),
    );
    return found.findLast((element) => element.getClientRects().length > 0) ?? found.at(-1);
  };
  const element = find();
  if (!element || (isToPress && element.matches(":disabled"))) return undefined;
  element.scrollIntoView({ block: "center", behavior: "instant" });
  const { left, top, width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0) return undefined;
  const [x, y] = [Math.floor(left + width / 2), Math.floor(top + height / 2)];
  const there = document.elementFromPoint(x, y);
  return !isToPress || there === element || element.contains(there) ? { x, y } : undefined;
}
