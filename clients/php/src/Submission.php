<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Shape;

/**
 * A stored submission, still sealed. Times are milliseconds since the Unix epoch: `timestamp` of the visitor's clock, `receivedAt` of
 * the server's. In a form's bin it has `binnedAt`, since when, and `purgeAt`, when it is deleted for good; else both are null.
 */
final class Submission
{
    /** @param array<string, mixed> $payload */
    public function __construct(
        public readonly string $id,
        public readonly string $formId,
        public readonly array $payload,
        public readonly int $keyVersion,
        public readonly int $timestamp,
        public readonly int $receivedAt,
        public readonly ?int $binnedAt = null,
        public readonly ?int $purgeAt = null,
    ) {
    }

    /** The submission in an answer, and nothing else of it. Throws an ApiError for anything else. @internal */
    public static function parse(mixed $value, bool $isBinned = false): self
    {
        try {
            $members = Shape::members($value);
            $whole = static fn (string $name): int => Shape::whole($members[$name] ?? null);
            if (!Ids::is(IdKind::Submission, $members['id'] ?? null) || !Ids::is(IdKind::Form, $members['formId'] ?? null)) {
                throw new \UnexpectedValueException('not an id');
            }
            $times = [$whole('timestamp'), $whole('receivedAt'), ...($isBinned ? [$whole('binnedAt'), $whole('purgeAt')] : [])];
            $payload = Shape::payload($members['payload'] ?? null);
            return new self($members['id'], $members['formId'], $payload, $whole('keyVersion'), ...$times);
        } catch (\UnexpectedValueException) {
            throw new ApiError("The server's answer holds something that is no submission", 200);
        }
    }
}
