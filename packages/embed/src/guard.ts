import { decide } from "./decision.ts";
import { ownMembers } from "./own-members.ts";
import { type Control, listen, unclobbered } from "./page.ts";
import { attributesOf, catching, complain } from "./refuse.ts";
import { nextTask } from "./time-slices.ts";

/** Keeps a form from being sent by anybody but the embed. */
export interface Guard {
  /** Sets the attributes once more, should the page have changed them. */
  hold(): void;
  /** Gives the form back as it was. */
  release(): void;
}

type Send = (submitter: Control | null) => unknown;

/** Each form that is bound: what `form.submit()` does, and what a submit event does first of all. */
interface Guarded {
  readonly send: Send;
  readonly begin: (event: Event) => void;
}

const guarded = new WeakMap<EventTarget, Guarded>();
let isPatched = false;

/**
 * Calls `send` in the moment in which the browser would collect the answers: once every listener of the submit event has run and none has
 * cancelled it, or when a script calls `form.submit()`. The browser itself then sends nothing: the form's method is `dialog`, which
 * libraries that send forms respect too, as do clones of the form.
 */
export function guardForm(target: HTMLFormElement, mark: string | undefined, send: Send): Guard {
  const form = unclobbered(target);
  const aborter = new AbortController();
  const held: Record<string, string> = ownMembers({ method: "dialog", ...(mark && { "data-sealpost": mark }) });
  const before = attributesOf(form);
  /** The submit event of which a library made a request of its own, that was stopped. */
  let taken: (() => void) | undefined;
  let begun: Event | undefined;

  function hold(): void {
    // The observer of init.ts hears of each change: a `getAttribute` of the page's that never says so would have it set without end.
    for (const name in held) if (attributesOf(form)[name] !== held[name]) restore(form, name, held[name]);
  }

  function begin(event: Event): void {
    // A script's own event submits nothing in a browser either; nor does that of a form inside this one.
    if (!event.isTrusted || event.target !== target || event === begun) return;
    begun = event;
    const submitter = (event as SubmitEvent).submitter as Control | null; // the browser's own; nothing but a control submits
    const own = submitter && attributesOf(submitter);
    const ownMethod = own?.formmethod;
    const decideNow = (isPrevented: boolean) => decide(isPrevented || !form.isConnected, own);
    const intent = decideNow(false);
    const isOurs = intent === "collect";
    // The browser reads this after the event: of a button with an address of its own, as it would without the embed.
    const lent = isOurs ? ownMethod && "dialog" : intent === "elsewhere" && (ownMethod ?? before.method ?? "get");
    if (submitter && lent) {
      submitter.setAttribute("formmethod", lent);
      nextTask().then(() => restore(submitter, "formmethod", ownMethod));
    }
    if (!isOurs) return;

    const { preventDefault } = event; // the page may have an Event of its own
    const path = event.composedPath();
    const listening = new AbortController();
    let isRefused: boolean | undefined;
    let isOver = false;
    let isTaken = false;

    function end(): void {
      if (isOver) return;
      isOver = true;
      listening.abort();
      isRefused ??= event.defaultPrevented;
      preventDefault.call(event);
      if (decideNow(isRefused && !isTaken) === "collect") send(submitter);
    }

    taken = () => {
      isTaken = true;
      // A library that asks later: the page's listeners have run by then.
      if (isOver) send(submitter);
    };

    // The last listener of each: so the last to be called that is not kept from being called.
    for (const node of path)
      listen(
        node,
        "submit",
        catching(() => {
          if (node === target) {
            isRefused = event.defaultPrevented;
            // Libraries that send all forms listen further out, and leave alone what is cancelled. A check of the page is heard all the same.
            if (!isRefused) {
              event.preventDefault();
              event.preventDefault = () => {
                isRefused = true;
              };
            }
          }
          if (event.cancelBubble || node === path.at(-1)) end();
        }, complain),
        listening,
      );
    // Where a listener kept the event from all others.
    nextTask().then(end);
  }

  /**
   * A request that htmx made of the submit event: it is not asked whether the event was cancelled, it cancels it. Of a form that it had taken
   * before it was bound, htmx 4 makes no request at all, for its method: its `config:request` is the last that is heard.
   */
  function stopRequest(event: Event): void {
    if (event.target !== target) return;
    event.preventDefault();
    taken?.();
    taken = undefined;
  }

  hold();
  guarded.set(target, { send, begin });
  patchSubmit();
  listen(target, "submit", catching(begin, complain), aborter, { capture: true });
  for (const type of ["htmx:beforeRequest", "htmx:config:request"]) listen(target, type, stopRequest, aborter);

  return {
    hold,
    release() {
      aborter.abort();
      guarded.delete(target);
      for (const name in held) restore(form, name, before[name]);
    },
  };
}

function restore(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** `form.submit()` asks no listener and no validation; of a form that is bound, the embed collects what the browser would. */
function patchSubmit(): void {
  if (isPatched) return;
  isPatched = true;
  const { prototype } = HTMLFormElement;
  const { submit } = prototype;
  prototype.submit = function (this: HTMLFormElement) {
    const one = guarded.get(this);
    if (!one) submit.call(this);
    // It asks no listener, and has no button that could lead elsewhere.
    else if (unclobbered(this).isConnected) one.send(null);
  };
  // A listener further out, in its capturing phase, may keep the event from the form: a browser sends the form all the same.
  for (const name of ["stopPropagation", "stopImmediatePropagation"] as const) {
    const stop = Event.prototype[name];
    Event.prototype[name] = function (this: Event) {
      if (this.type === "submit") guarded.get(this.target as EventTarget)?.begin(this); // a map has nothing for null
      stop.call(this);
    };
  }
}
