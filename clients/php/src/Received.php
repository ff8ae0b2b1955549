<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Event\Event;

/**
 * A verified request. `deliveryId` and `sentAt` as in Verified; `opened` is about the submission of a SubmissionCreated, and null for
 * other events.
 */
final class Received
{
    public readonly bool $verified;

    public function __construct(
        public readonly string $deliveryId,
        public readonly int $sentAt,
        public readonly Event $event,
        public readonly Opened|NotOpened|null $opened,
    ) {
        $this->verified = true;
    }
}
