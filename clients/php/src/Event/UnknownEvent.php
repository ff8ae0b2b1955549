<?php

declare(strict_types=1);

namespace Sealpost\Event;

/** A kind of event that this version does not know. Answer 204, as to any other. */
final class UnknownEvent extends Event
{
    public function __construct(
        public readonly string $name,
        /** @var array<array-key, mixed> */
        public readonly array $body,
        public readonly bool $test,
    ) {
    }
}
