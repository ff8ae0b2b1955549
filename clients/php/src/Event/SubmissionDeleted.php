<?php

declare(strict_types=1);

namespace Sealpost\Event;

/** A submission is gone for good. */
final class SubmissionDeleted extends Event
{
    public function __construct(
        public readonly EventForm $form,
        public readonly int $timestamp,
        public readonly bool $test,
        public readonly string $submissionId,
    ) {
    }
}
