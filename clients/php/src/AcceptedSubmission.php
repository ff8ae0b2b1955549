<?php

declare(strict_types=1);

namespace Sealpost;

/** A submission that the server has taken. Times are milliseconds since the Unix epoch. */
final class AcceptedSubmission
{
    public function __construct(
        public readonly string $id,
        public readonly int $timestamp,
        public readonly int $receivedAt,
    ) {
    }
}
