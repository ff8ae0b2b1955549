<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Base64;

/** Signatures of webhooks (specification, section 9). */
final class Webhook
{
    public const TOLERANCE_SECONDS = 300;
    private const SIGNATURES_MAX = 32;

    /**
     * Checks the signature of a request (Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`) under any of
     * `$secrets`, and that it was sent within five minutes of `$now` (seconds since the Unix epoch; the clock, unless given). Never
     * throws on what a stranger sent. `$body` is the raw body. Says nothing about what the body means: give it the secrets of one form, and
     * compare the form that the event names, or use `Receiver`.
     *
     * @param list<string> $secrets
     * @param iterable<string, string|list<string>> $headers names in any case, as `getallheaders()` and frameworks give them
     */
    public static function verify(
        #[\SensitiveParameter] array $secrets,
        iterable $headers,
        string $body,
        int|float|null $now = null,
    ): Verified|NotVerified {
        $found = self::collectHeaders($headers);
        $names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
        $missing = array_filter($names, static fn (string $name): bool => ($found[$name] ?? '') === '');
        if ($missing !== []) {
            $message = 'The request lacks ' . implode(' and ', $missing);
            return new NotVerified(NotVerifiedReason::MissingHeader, $message);
        }
        [$id, $timestamp, $signature] = array_map(static fn (string $name): string => $found[$name], $names);
        return match (self::verifyStandard($secrets, $id, $timestamp, $signature, $body, $now ?? microtime(true))) {
            null => new Verified($id, (int) $timestamp * 1000, $body),
            NotVerifiedReason::TimestampOutOfTolerance => new NotVerified(
                NotVerifiedReason::TimestampOutOfTolerance,
                'The request is signed, but was sent more than five minutes from now',
            ),
            default => new NotVerified(
                NotVerifiedReason::InvalidSignature,
                'No signature fits the body under any secret of this receiver',
            ),
        };
    }

    /**
     * The same for the three headers as they came; one that is missing is empty. Null when the request is valid. Constant time in the
     * signature.
     *
     * @param list<string> $secrets
     */
    public static function verifyStandard(
        #[\SensitiveParameter] array $secrets,
        string $id,
        string $timestamp,
        string $signature,
        string $body,
        int|float $now,
    ): ?NotVerifiedReason {
        // The signed content is `id.timestamp.body`: a dot inside the id could move the borders between the three.
        if ($id === '' || str_contains($id, '.') || preg_match('/\A[1-9][0-9]{0,11}\z/', $timestamp) !== 1) {
            return NotVerifiedReason::InvalidSignature;
        }
        $given = array_slice(explode(' ', $signature, self::SIGNATURES_MAX + 1), 0, self::SIGNATURES_MAX);
        $fits = false;
        foreach ($secrets as $secret) {
            $key = self::secretBytes($secret);
            $expected = $key === null ? null : 'v1,' . self::hmac($key, "$id.$timestamp.$body");
            foreach ($expected === null ? [] : $given as $value) {
                $fits = hash_equals($expected, $value) || $fits;
            }
        }
        if (!$fits) {
            return NotVerifiedReason::InvalidSignature;
        }
        // Asked this way round, because a clock that says NAN must not accept everything.
        $isNow = abs($now - (int) $timestamp) <= self::TOLERANCE_SECONDS;
        return $isNow ? null : NotVerifiedReason::TimestampOutOfTolerance;
    }

    /**
     * Whether `$header` is the `X-Service-Signature` of `$body` under one of `$secrets`. It has no timestamp, and so does not notice
     * a repeated request.
     *
     * @param list<string> $secrets
     */
    public static function verifyService(#[\SensitiveParameter] array $secrets, string $body, ?string $header): bool
    {
        $fits = static fn (string $secret): bool => $secret !== '' && hash_equals(self::signService($secret, $body), $header ?? '');
        return array_filter($secrets, $fits) !== [];
    }

    /** One value of `webhook-signature`, for tests of a receiver. Throws an InvalidArgumentException on anything else than a secret. */
    public static function signStandard(#[\SensitiveParameter] string $secret, string $id, int $timestamp, string $body): string
    {
        $key = self::secretBytes($secret) ?? throw new \InvalidArgumentException('A webhook secret is whsec_ followed by base64');
        return 'v1,' . self::hmac($key, "$id.$timestamp.$body");
    }

    /** The value of `X-Service-Signature`, for tests of a receiver. */
    public static function signService(#[\SensitiveParameter] string $secret, string $body): string
    {
        return 'sha256=' . hash_hmac('sha256', $body, $secret);
    }

    /** A fresh webhook secret. */
    public static function createSecret(): string
    {
        return 'whsec_' . base64_encode(random_bytes(32));
    }

    /**
     * By lower-case name. A header that occurs several times is joined by `, `, which no single value of a webhook contains, so a
     * doubled id or timestamp never passes for one of its values; signatures are a list.
     *
     * @internal
     * @param iterable<string, string|list<string>> $headers
     * @return array<string, string>
     */
    public static function collectHeaders(iterable $headers): array
    {
        $found = [];
        foreach ($headers as $name => $values) {
            foreach (is_array($values) ? $values : [$values] as $value) {
                $key = strtolower((string) $name);
                $text = is_scalar($value) ? (string) $value : '';
                $found[$key] = isset($found[$key]) ? "$found[$key], $text" : $text;
            }
        }
        return $found;
    }

    private static function secretBytes(#[\SensitiveParameter] string $secret): ?string
    {
        $decoded = str_starts_with($secret, 'whsec_') ? Base64::decode(substr($secret, 6)) : null;
        return $decoded === '' ? null : $decoded;
    }

    private static function hmac(#[\SensitiveParameter] string $key, string $content): string
    {
        return base64_encode(hash_hmac('sha256', $content, $key, true));
    }
}
