import { type Handle, initFrom } from "./init.ts";
import { type Options, parseOptions } from "./options.ts";
import { page } from "./page.ts";

// The script as a page loads it: the global `Sealpost`; or without a second script, by data attributes of its own.

const script = page().currentScript as HTMLScriptElement | null; // nobody loads it by a script inside an SVG
const folder = script?.src.replace(/[^/]*$/, "");
/** The service that served this script from `{endpoint}/embed/`; a copy from elsewhere needs the endpoint as an option. */
const endpoint = /^(.*)\/embed\/$/.exec(folder ?? "")?.[1];

/** See `init` in init.ts; here `endpoint` is known from where the script came from. */
function init(formId: string, options: Options = {}): Handle {
  return initFrom(formId, { ...options, endpoint: options.endpoint ?? endpoint }, folder);
}

Reflect.set(window, "Sealpost", { init });

const formId = script?.dataset.sealpost;
if (script && formId !== undefined) init(formId, parseOptions(script.dataset.sealpostOptions));
