import { testInBrowser } from "../../../tests/support/package-in-browser.ts";

testInBrowser(import.meta.dirname, 150);
