<?php

declare(strict_types=1);

namespace Sealpost;

/**
 * What a visitor typed, by field name; `sealed` is false where nobody sealed it: the server could read it, and could have made it up.
 * Objects of JSON are arrays here, so a field called `1` has the key 1, an int: compare names with `(string) $name`.
 */
final class Opened
{
    public readonly bool $opened;

    /** @param array<array-key, mixed> $fields */
    public function __construct(
        public readonly array $fields,
        public readonly bool $sealed = true,
    ) {
        $this->opened = true;
    }
}
