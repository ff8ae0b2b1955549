<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Json;

/**
 * A refusal of the API. A server that can't be reached is a ConnectionError instead.
 *
 * `errorCode` is one of the API's error codes, or `unexpected_answer`: something else answered, another server or a proxy. `reason` is
 * the code of the message (`form_name_taken`), `details` maps the paths of invalid fields to messages, `retryAfter` is in seconds,
 * `requestId` is for the operator's log.
 */
final class ApiError extends \RuntimeException
{
    private const CODES = [
        400 => 'bad_request',
        401 => 'unauthorized',
        403 => 'forbidden',
        404 => 'not_found',
        405 => 'method_not_allowed',
        409 => 'conflict',
        412 => 'conflict',
        413 => 'payload_too_large',
        415 => 'unsupported_media_type',
        428 => 'bad_request',
        429 => 'rate_limited',
        500 => 'internal_error',
        503 => 'unavailable',
    ];

    /** @param array<string, string> $details */
    public function __construct(
        string $message,
        public readonly int $status,
        public readonly string $errorCode = 'unexpected_answer',
        public readonly ?string $reason = null,
        public readonly array $details = [],
        public readonly ?int $retryAfter = null,
        public readonly ?string $requestId = null,
    ) {
        parent::__construct($message);
    }

    /**
     * The error in an answer, `{error, message, …}` or `{error: sentence}`. `$now` in seconds since the Unix epoch. @internal
     *
     * @param array<string, string> $headers by lower-case name
     */
    public static function parse(int $status, array $headers, string $body, float $now): self
    {
        try {
            $value = Json::parseObject($body, 32);
        } catch (\JsonException) {
            $value = [];
        }
        $text = static fn (string $name): ?string => is_string($value[$name] ?? null) ? $value[$name] : null;
        $details = is_array($value['details'] ?? null) ? array_filter($value['details'], is_string(...)) : [];
        return new self(
            $text('message') ?? $text('error') ?? "The server answered $status, but not as Sealpost does",
            $status,
            self::CODES[$status] ?? 'unexpected_answer',
            $text('code'),
            $details,
            self::parseRetryAfter($value['retryAfter'] ?? $headers['retry-after'] ?? null, $now),
            $headers['x-request-id'] ?? null,
        );
    }

    /** Seconds, or an HTTP date (RFC 9110 section 10.2.3). */
    private static function parseRetryAfter(mixed $value, float $now): ?int
    {
        if (is_string($value) && preg_match('/\A[0-9]{1,9}\z/', $value) === 1) {
            return (int) $value;
        }
        if (is_string($value)) {
            $date = \DateTimeImmutable::createFromFormat('D, d M Y H:i:s \G\M\T', $value, new \DateTimeZone('UTC'));
            return $date === false ? null : max(0, (int) ceil($date->getTimestamp() - $now));
        }
        return is_int($value) || (is_float($value) && abs($value) < 1e9) ? max(0, (int) ceil($value)) : null;
    }
}
