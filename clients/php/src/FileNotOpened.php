<?php

declare(strict_types=1);

namespace Sealpost;

/** A sealed file was changed, or is not complete. It does not say what. */
final class FileNotOpened extends \RuntimeException
{
    public function __construct()
    {
        parent::__construct('This file could not be opened: it was changed or is not complete');
    }
}
