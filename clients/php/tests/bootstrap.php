<?php

declare(strict_types=1);

$composer = __DIR__ . '/../vendor/autoload.php';
require is_file($composer) ? $composer : __DIR__ . '/../autoload.php';

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/' . substr($class, strlen('Sealpost\\Tests\\')) . '.php';
    if (str_starts_with($class, 'Sealpost\\Tests\\') && is_file($file)) {
        require $file;
    }
});

// Debian's php-phpseclib3, another implementation to compare with.
if (!is_file($composer) && stream_resolve_include_path('phpseclib3/autoload.php') !== false) {
    require_once 'phpseclib3/autoload.php';
}
