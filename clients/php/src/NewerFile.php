<?php

declare(strict_types=1);

namespace Sealpost;

/** A file that a newer program sealed, in a format that this one does not know. Show its name alone. */
final class NewerFile
{
    public function __construct(public readonly string $name)
    {
    }
}
