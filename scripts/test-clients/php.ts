import { join } from "node:path";
import { withAge } from "./age.ts";
import { testComposer } from "./composer.ts";
import { isPresent, type Language, LanguageAbsentError, run } from "./language.ts";

const sources = join(import.meta.dirname, "../../clients/php");
const versionCheck = 'exit(PHP_VERSION_ID >= 80100 && PHP_INT_SIZE === 8 && extension_loaded("openssl") ? 0 : 1);';

/** The package needs nothing but PHP. Its tests need PHPUnit, and compare with phpseclib where that is installed. */
export const php: Language = {
  name: "PHP",
  async run(prepare) {
    if (!isPresent("php", "-r", versionCheck)) throw new LanguageAbsentError("PHP 8.1 or newer with openssl is absent");
    if (!isPresent("phpunit", "--version")) throw new LanguageAbsentError("PHPUnit is absent (Debian: phpunit)");
    await run(sources, "phpunit", [], await withAge(await prepare()));
    await testComposer(sources);
  },
};
