import "./refuse-at-first.ts";
import { type Handle, initFrom } from "./init.ts";
import { type Options, parseOptions } from "./options.ts";
import { page } from "./page.ts";

// The script as a page loads it: the global `Sealpost`; or without a second script, by data attributes of its own.

const script = page().currentScript as HTMLScriptElement | null; // nobody loads it by a script inside an SVG
const folder = script?.src.replace(/[^/]*$/, "");
/** The service that served this script from `{endpoint}/embed/`; a copy from elsewhere needs the endpoint as an option. */
const endpoint = /^(.*)\/embed\/$/.exec(folder ?? "")?.[1];

declare global {
  interface Window {
    Sealpost: { readonly init: (id: string, options?: Options) => Handle };
  }
}

/** Binding by the attributes of this script element, until the page calls `init` for the same form. */
let byAttributes: Handle | undefined;
const formId = script?.getAttribute("data-sealpost");

/** See `init` in init.ts; here `endpoint` is known from where the script came from. */
function init(id: string, options?: Options): Handle {
  if (id === formId) byAttributes?.destroy();
  return initFrom(id, options, folder, true, endpoint);
}

window.Sealpost = { init };

// A snippet says it twice. Where an optimiser puts this script off, the call comes too early and fails, and this counts.
if (script && formId) byAttributes = init(formId, parseOptions(script.getAttribute("data-sealpost-options")));
