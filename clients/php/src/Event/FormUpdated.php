<?php

declare(strict_types=1);

namespace Sealpost\Event;

/** `name` and `settings` are what changed, with the new values; a setting's name is as in the API. */
final class FormUpdated extends Event
{
    public function __construct(
        public readonly EventForm $form,
        public readonly int $timestamp,
        public readonly bool $test,
        public readonly ?string $name,
        /** @var array<string, mixed> */
        public readonly array $settings,
    ) {
    }
}
