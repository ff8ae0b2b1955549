<?php

declare(strict_types=1);

/** Loads the classes of this package where Composer does not. */
spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/src/' . strtr(substr($class, strlen('Sealpost\\')), '\\', '/') . '.php';
    if (str_starts_with($class, 'Sealpost\\') && is_file($file)) {
        require $file;
    }
});
