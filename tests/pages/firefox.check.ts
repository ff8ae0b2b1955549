import { findFirefox } from "../browsers/firefox.ts";
import { checkPages } from "./check-pages.ts";

// `npm run test:pages`

const firefox = findFirefox();
if (firefox) checkPages(firefox);
else console.log("NOT TESTED in Firefox: install it, or name it in FIREFOX_PATH");
