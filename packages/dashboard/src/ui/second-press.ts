/** Presses of a finger that follow each other this quickly are one double tap. Of a mouse the browser says it itself. */
const doubleTapMilliseconds = 500;
/** How far apart the two halves of a double tap may be. */
const reachPixels = 24;
const stepPixels = 12;
const steps = Array.from(
  { length: (2 * reachPixels) / stepPixels + 1 },
  (_, index) => index * stepPixels - reachPixels,
);

const controls = "a[href], button, summary, input, select, textarea, label, [role=row]";
/** Controls that nobody means twice, unlike a check box, which the second press puts back. */
const pressedOnce = "a[href], button:not([role=switch], [data-may-repeat])";

/** A control as it was at a point of the page. */
interface Sample {
  readonly x: number;
  readonly y: number;
  readonly control: Element;
  readonly name: string;
}

interface Press {
  readonly x: number;
  readonly y: number;
  readonly isMouse: boolean;
  /** The controls under the pointer and around it, before the press had an effect. */
  readonly samples: readonly Sample[];
}

/**
 * Keeps the second half of a double press from doing the same thing twice, and from pressing a control that the first half has
 * brought under the finger: a link in the place of a button, a check box of a page that moved. One guard for all controls, whatever
 * they are made of. Presses by keyboard, by a script and by assistive technology have no pointer, and count.
 */
export function ignoreSecondPresses(): void {
  let pressed: Press | undefined;
  let counted: Press | undefined;
  let countedAt = 0;

  document.addEventListener(
    "pointerdown",
    (event) => {
      if (event.isPrimary) pressed = describePress(event);
    },
    true,
  );
  document.addEventListener(
    "pointercancel",
    () => {
      pressed = undefined;
    },
    true,
  );
  const isIgnored = (event: MouseEvent, press: Press): boolean => {
    const isQuick = event.timeStamp - countedAt <= doubleTapMilliseconds;
    const isSecond = press.isMouse ? event.detail > 1 : isQuick && isNear(press, counted);
    return isSecond && !(event.target instanceof Element && mayPressAgain(event.target, counted, press));
  };
  // Before the click a press moves the focus: into a field, for which a phone brings its keyboard up.
  document.addEventListener(
    "mousedown",
    (event) => {
      if (pressed !== undefined && isIgnored(event, pressed)) event.preventDefault();
    },
    true,
  );
  document.addEventListener(
    "click",
    (event) => {
      const press = pressed;
      pressed = undefined;
      // A label's click is followed by one of its control, which no pointer made.
      if (press === undefined || event.detail === 0) return;
      const isIgnoredNow = isIgnored(event, press);
      // A third press soon after is no more meant for what came than the second was.
      countedAt = event.timeStamp;
      if (!isIgnoredNow) {
        counted = press;
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    true,
  );
}

function describePress({ clientX: x, clientY: y, pointerType }: PointerEvent): Press {
  const samples = steps.flatMap((down) =>
    steps.flatMap((right): readonly Sample[] => {
      const control = findControl(document.elementFromPoint(x + right, y + down));
      return control === null ? [] : [{ x: x + right, y: y + down, control, name: nameControl(control) }];
    }),
  );
  return { x, y, isMouse: pointerType === "mouse", samples };
}

function isNear({ x, y }: Press, first: Press | undefined): boolean {
  return first !== undefined && Math.abs(x - first.x) <= reachPixels && Math.abs(y - first.y) <= reachPixels;
}

/** Whether the control was there already, under the same name, and a second press is as good as the first. */
function mayPressAgain(target: Element, first: Press | undefined, { x, y }: Press): boolean {
  const control = findControl(target);
  if (control === null || first === undefined || control.matches(pressedOnce)) return false;
  const name = nameControl(control);
  return first.samples.some(
    (sample) =>
      sample.control === control &&
      sample.name === name &&
      Math.abs(sample.x - x) <= stepPixels &&
      Math.abs(sample.y - y) <= stepPixels,
  );
}

function findControl(element: Element | null): Element | null {
  const control = element?.closest(controls) ?? element;
  return control instanceof HTMLLabelElement ? (control.control ?? control) : control;
}

/** A control that got another name means something else, though it is the same element. */
function nameControl(control: Element): string {
  if (control instanceof HTMLInputElement)
    return Array.from(control.labels ?? [], ({ textContent }) => textContent).join(" ");
  return control.matches("a, button, summary") ? `${control.ariaLabel ?? ""} ${control.textContent}` : "";
}
