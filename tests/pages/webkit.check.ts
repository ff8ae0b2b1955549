import { findWebKit } from "../browsers/webkit.ts";
import { checkPages } from "./check-pages.ts";

// `npm run test:pages`

const webkit = await findWebKit();
if (webkit) checkPages(webkit);
else console.log("NOT TESTED in WebKit: install webkit2gtk-driver and xvfb");
