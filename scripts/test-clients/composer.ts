import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isPresent, run } from "./language.ts";

/** Composer allows root, and asks nobody. */
const environment = { COMPOSER_ALLOW_SUPERUSER: "1", COMPOSER_NO_INTERACTION: "1" };

/** Fails unless each file of the installed package is loaded by the name of its class. */
const loadAll = `<?php
require __DIR__ . '/vendor/autoload.php';
$sources = __DIR__ . '/vendor/sealpost/sealpost/src/';
$count = 0;
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($sources, FilesystemIterator::SKIP_DOTS)) as $file) {
    $name = 'Sealpost\\\\' . strtr(substr($file->getPathname(), strlen($sources), -4), '/', '\\\\');
    if (!class_exists($name) && !interface_exists($name) && !enum_exists($name)) throw new Exception("$name is not loaded");
    $count++;
}
if ($count === 0 || is_dir(__DIR__ . '/vendor/phpseclib')) throw new Exception('Other packages than this one were installed');
echo "Composer installs the package, and loads $count classes\\n";
`;

/**
 * Composer finds nothing wrong with the package, and installs it as its README says, from a folder and without any registry.
 * That it names its version is wanted: archives of releases have it from there.
 */
export async function testComposer(sources: string): Promise<void> {
  if (!isPresent("composer", "--version")) {
    console.log("Skipped: installing through Composer, which is absent (Debian: composer)");
    return;
  }
  await run(sources, "composer", ["validate", "--strict", "--no-check-version"], environment);
  const folder = mkdtempSync(join(tmpdir(), "sealpost-composer-"));
  try {
    const repositories = [{ type: "path", url: sources, options: { symlink: false } }, { "packagist.org": false }];
    writeFileSync(join(folder, "composer.json"), JSON.stringify({ repositories }));
    writeFileSync(join(folder, "load-all.php"), loadAll);
    await run(folder, "composer", ["require", "--quiet", "sealpost/sealpost:@dev"], environment);
    await run(folder, "php", ["load-all.php"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
