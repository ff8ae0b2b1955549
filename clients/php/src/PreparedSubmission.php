<?php

declare(strict_types=1);

namespace Sealpost;

/** A sealed submission, ready to be sent, as often as it takes: the same id and bytes are one submission. */
final class PreparedSubmission
{
    /** @param array<string, mixed> $payload */
    public function __construct(
        public readonly string $id,
        public readonly string $formId,
        public readonly int $keyVersion,
        public readonly array $payload,
    ) {
    }
}
