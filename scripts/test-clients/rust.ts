import { join } from "node:path";
import { isPresent, type Language, LanguageAbsentError, run } from "./language.ts";

/** No package: the lines of docs/receivers.md, compiled with their crates. Needs the crates' registry and the headers of OpenSSL. */
export const rust: Language = {
  name: "Rust",
  async run() {
    if (!isPresent("cargo", "--version")) throw new LanguageAbsentError("Rust is absent");
    if (!isPresent("pkg-config", "openssl")) throw new LanguageAbsentError("the headers of OpenSSL are absent");
    await run(
      join(import.meta.dirname, "../.."),
      process.execPath,
      ["--conditions=@sealpost/source", "--test", "--test-name-pattern=Rust", "tests/docs/receivers.test.ts"],
      { SEALPOST_TEST_GUIDE_RUST: "1" },
    );
  },
};
