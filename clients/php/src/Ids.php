<?php

declare(strict_types=1);

namespace Sealpost;

/** Ids: TypeIDs, a prefix and a UUIDv7 in base32 (specification, section 8). */
final class Ids
{
    private const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

    /** A fresh id. `$milliseconds` since the Unix epoch is the moment in it: now, unless given. */
    public static function create(IdKind $kind, ?int $milliseconds = null): string
    {
        $moment = substr(pack('J', $milliseconds ?? (int) floor(microtime(true) * 1000)), 2);
        $random = random_bytes(10);
        $random[0] = chr(0x70 | (ord($random[0]) & 0x0f));
        $random[2] = chr(0x80 | (ord($random[2]) & 0x3f));
        return self::encode($kind, $moment . $random);
    }

    /** The id with these 16 bytes. @internal */
    public static function encode(IdKind $kind, string $uuid): string
    {
        $bits = '00';
        foreach (str_split($uuid) as $byte) {
            $bits .= str_pad(decbin(ord($byte)), 8, '0', STR_PAD_LEFT);
        }
        $letters = array_map(static fn (string $five): string => self::ALPHABET[bindec($five)], str_split($bits, 5));
        return $kind->value . '_' . implode('', $letters);
    }

    /** Whether `$text` is an id of this kind. Lower case only. */
    public static function is(IdKind $kind, mixed $text): bool
    {
        return is_string($text) && preg_match("/\\A{$kind->value}_[0-7][0-9a-hjkmnp-tv-z]{25}\\z/", $text) === 1;
    }
}
