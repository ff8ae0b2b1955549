<?php

declare(strict_types=1);

namespace Sealpost\Internal;

/** Base64 to the letter: a text that a strict reader refuses is malformed (specification, section 1). */
final class Base64
{
    /** The bytes of canonical, padded base64; null for anything else, so that no two texts mean the same bytes. */
    public static function decode(mixed $text): ?string
    {
        // PHP's strict mode still accepts white space, and missing padding.
        $decoded = is_string($text) ? base64_decode($text, true) : false;
        return $decoded !== false && base64_encode($decoded) === $text ? $decoded : null;
    }

    /** The bytes of canonical base64url without padding; null for anything else. */
    public static function decodeUrl(mixed $text): ?string
    {
        $decoded = is_string($text) ? base64_decode(strtr($text, '-_', '+/'), true) : false;
        return $decoded !== false && self::encodeUrl($decoded) === $text ? $decoded : null;
    }

    public static function encodeUrl(string $data): string
    {
        return rtrim(strtr(base64_encode($data), '+/', '-_'), '=');
    }
}
