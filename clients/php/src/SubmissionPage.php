<?php

declare(strict_types=1);

namespace Sealpost;

/** One page of a form's submissions; `nextCursor` is null on the last one. */
final class SubmissionPage
{
    /** @param list<Submission> $submissions */
    public function __construct(
        public readonly array $submissions,
        public readonly int $total,
        public readonly ?string $nextCursor,
    ) {
    }
}
