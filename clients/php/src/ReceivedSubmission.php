<?php

declare(strict_types=1);

namespace Sealpost;

/**
 * A submission in a webhook, still sealed. Times are milliseconds since the Unix epoch: `timestamp` of the visitor's clock,
 * `receivedAt` of the server's. `keyVersion` may be null where the payload is plain.
 */
final class ReceivedSubmission
{
    /** @param array<string, mixed> $payload */
    public function __construct(
        public readonly string $id,
        public readonly string $formId,
        public readonly array $payload,
        public readonly ?int $keyVersion,
        public readonly int $timestamp,
        public readonly int $receivedAt,
    ) {
    }
}
