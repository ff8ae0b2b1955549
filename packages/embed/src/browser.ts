import { type Handle, initFrom } from "./init.ts";
import { type Options, readAttributes } from "./options.ts";
import { documentMember } from "./page.ts";

// The script as a page loads it: the global `Sealpost`, or without any other script by its own data attributes.

const script = documentMember("currentScript");
const element = script instanceof HTMLScriptElement ? script : undefined;
const folder = element?.src.replace(/\/[^/]*$/, "");
/** The service that served this script from `{endpoint}/embed/`; a copy from elsewhere has to be told its endpoint. */
const endpoint = folder?.endsWith("/embed") ? folder.slice(0, -"/embed".length) : undefined;

/** See `init` in init.ts; here `endpoint` is known from where the script came from. */
function init(formId: string, options: Options = {}): Handle {
  return initFrom(formId, { ...options, endpoint: options.endpoint ?? endpoint }, folder);
}

Reflect.set(window, "Sealpost", { init });

const formId = element?.dataset.sealpost;
if (element !== undefined && formId !== undefined) init(formId, readAttributes(element.dataset));
