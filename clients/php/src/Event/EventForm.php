<?php

declare(strict_types=1);

namespace Sealpost\Event;

/** The form that an event is about. */
final class EventForm
{
    public function __construct(
        public readonly string $id,
        public readonly string $name,
    ) {
    }
}
