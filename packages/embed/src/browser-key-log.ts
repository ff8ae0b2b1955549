// The script as a page loads it that pins its form's key log: the same as browser.ts, and it knows the option `keyLog`.

import "./key-log.ts";
import "./browser.ts";
