<?php

declare(strict_types=1);

namespace Sealpost\Internal;

/** RSA keys as OpenSSL takes them, of JSON Web Keys (RFC 7518 section 6.3; RFC 8017, appendix A.1). */
final class RsaKeys
{
    private const PRIVATE_MEMBERS = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];

    /** The names of a private key's members that a JWK lacks. @return list<string> */
    public static function missingMembers(array $jwk): array
    {
        return array_values(array_filter(self::PRIVATE_MEMBERS, static fn (string $name): bool => !is_string($jwk[$name] ?? null)));
    }

    /** Null where the members are no key. They need not fit each other yet. */
    public static function importPrivate(#[\SensitiveParameter] array $jwk): ?\OpenSSLAsymmetricKey
    {
        $numbers = array_map(static fn (string $name): ?string => Base64::decodeUrl($jwk[$name] ?? null), self::PRIVATE_MEMBERS);
        if (in_array(null, $numbers, true)) {
            return null;
        }
        $key = self::sequence(self::number("\0") . implode('', array_map(self::number(...), $numbers)));
        return self::orNull(openssl_pkey_get_private(self::pem('RSA PRIVATE KEY', $key)));
    }

    /** Whether the numbers of a private key, which is complete, are those of one key (specification, section 2). */
    public static function belongTogether(#[\SensitiveParameter] array $jwk): bool
    {
        $bytes = array_map(static fn (string $name): ?string => Base64::decodeUrl($jwk[$name]), self::PRIVATE_MEMBERS);
        // Zero bytes in front are not how a JWK writes a number.
        if (array_filter($bytes, static fn (?string $number): bool => ($number ?? '') === '' || $number[0] === "\0") !== []) {
            return false;
        }
        [$n, , $d, $p, $q, $dp, $dq, $qi] = array_map(Natural::of(...), $bytes);
        $one = Natural::of("\1");
        if ($p->compare($one) <= 0 || $q->compare($one) <= 0 || $p->times($q)->compare($n) !== 0 || $d->compare($n) >= 0) {
            return false;
        }
        foreach ([[$p, $dp], [$q, $dq]] as [$prime, $rest]) {
            $less = $prime->minus($one);
            $isInverse = $rest->times(Natural::of("\1\0\1"))->modulo($less)->compare($one) === 0;
            if (!$isInverse || $d->modulo($less)->compare($rest) !== 0) {
                return false;
            }
        }
        return $qi->compare($p) < 0 && $qi->times($q)->modulo($p)->compare($one) === 0;
    }

    /** A public key with this modulus and the exponent 65537. */
    public static function importPublic(string $modulus): ?\OpenSSLAsymmetricKey
    {
        $key = self::sequence(self::number($modulus) . self::number("\1\0\1"));
        $algorithm = "\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00"; // rsaEncryption
        $bits = "\x03" . self::length(strlen($key) + 1) . "\0" . $key;
        return self::orNull(openssl_pkey_get_public(self::pem('PUBLIC KEY', self::sequence($algorithm . $bits))));
    }

    private static function orNull(\OpenSSLAsymmetricKey|false $key): ?\OpenSSLAsymmetricKey
    {
        return $key === false ? null : $key;
    }

    private static function pem(string $label, #[\SensitiveParameter] string $der): string
    {
        return "-----BEGIN $label-----\n" . chunk_split(base64_encode($der), 64, "\n") . "-----END $label-----\n";
    }

    private static function sequence(#[\SensitiveParameter] string $content): string
    {
        return "\x30" . self::length(strlen($content)) . $content;
    }

    private static function number(#[\SensitiveParameter] string $bytes): string
    {
        $digits = ltrim($bytes, "\0");
        // A first bit that is set would make the number negative.
        $content = $digits === '' || ord($digits[0]) > 127 ? "\0" . $digits : $digits;
        return "\x02" . self::length(strlen($content)) . $content;
    }

    private static function length(int $length): string
    {
        $bytes = ltrim(pack('N', $length), "\0");
        return $length < 128 ? chr($length) : chr(0x80 | strlen($bytes)) . $bytes;
    }
}
