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

    /**
     * @param array<array-key, mixed> $fields
     * @param string $text the fields as JSON, with the digits that were sealed: PHP holds no `1e400` and no `9223372036854775808`
     * @param array<array-key, mixed>|null $sealpost what the page has sealed along, `$sealpost`; as authentic as the fields: who has the
     *   public key can write it
     */
    public function __construct(
        public readonly array $fields,
        public readonly bool $sealed = true,
        public readonly string $text = '',
        public readonly ?array $sealpost = null,
    ) {
        $this->opened = true;
    }
}
