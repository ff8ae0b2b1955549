import { findChromiumEngine } from "../browsers/chromium.ts";
import { checkPages } from "./check-pages.ts";

// `npm run test:pages`

checkPages(await findChromiumEngine());
