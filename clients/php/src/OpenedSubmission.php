<?php

declare(strict_types=1);

namespace Sealpost;

/** A stored submission, and what opening it gave. */
final class OpenedSubmission
{
    public function __construct(
        public readonly Submission $submission,
        public readonly Opened|NotOpened $result,
    ) {
    }
}
