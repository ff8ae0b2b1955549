<?php

declare(strict_types=1);

namespace Sealpost;

/** Why a request is not one that Sealpost sent to this receiver just now. `message` is for your log, not for the sender. */
final class NotVerified
{
    public readonly bool $verified;

    public function __construct(
        public readonly NotVerifiedReason $reason,
        public readonly string $message,
    ) {
        $this->verified = false;
    }
}
