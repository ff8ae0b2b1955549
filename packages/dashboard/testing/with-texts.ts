import { deliveryErrors, errors } from "../../texts/src/en/errors.ts";
import { formats } from "../../texts/src/en/formats.ts";
import { text as english } from "../../texts/testing/english.ts";
import { setErrorSentences } from "../src/texts/error-sentence.ts";
import { setFormats } from "../src/texts/format.ts";
import { text } from "../src/texts/text.ts";

// For tests that import modules of the app which show texts: these find English ones, as after the start of the app. Imported first.
setFormats(formats);
Object.assign(text, english, { deliveryErrors });
setErrorSentences(errors, errors);
