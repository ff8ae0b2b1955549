<?php

declare(strict_types=1);

namespace Sealpost;

/**
 * A request that was signed with one of the secrets, just now. `deliveryId` stays the same over all attempts of a delivery:
 * remember it to drop duplicates. `sentAt`: when this attempt was sent, in milliseconds since the Unix epoch.
 */
final class Verified
{
    public readonly bool $verified;

    public function __construct(
        public readonly string $deliveryId,
        public readonly int $sentAt,
        public readonly string $body,
    ) {
        $this->verified = true;
    }
}
