<?php

declare(strict_types=1);

namespace Sealpost\Event;

use Sealpost\ReceivedSubmission;

/** A submission was received. */
final class SubmissionCreated extends Event
{
    public function __construct(
        public readonly EventForm $form,
        public readonly int $timestamp,
        public readonly bool $test,
        public readonly ReceivedSubmission $submission,
    ) {
    }
}
