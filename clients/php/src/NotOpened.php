<?php

declare(strict_types=1);

namespace Sealpost;

/** Why the fields can't be had. This is for the owner of the key, not for who sent the payload. */
final class NotOpened
{
    public readonly bool $opened;

    public function __construct(
        public readonly NotOpenedReason $reason,
        public readonly string $message,
        public readonly bool $sealed = true,
    ) {
        $this->opened = false;
    }
}
