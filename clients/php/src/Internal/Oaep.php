<?php

declare(strict_types=1);

namespace Sealpost\Internal;

/**
 * RSAES-OAEP of a content key (RFC 8017 section 7.1): SHA-256, also in MGF1, and an empty label. RSA itself is OpenSSL's; only from
 * version 8.5 on does PHP reach OpenSSL's padding with SHA-256.
 */
final class Oaep
{
    public const MESSAGE_BYTES = 32;
    private const HASH_BYTES = 32;

    /** 32 bytes, encrypted to a public key whose modulus has `$size` bytes. */
    public static function encrypt(\OpenSSLAsymmetricKey $key, int $size, #[\SensitiveParameter] string $message): string
    {
        $block = self::blockStart($size) . $message;
        $seed = random_bytes(self::HASH_BYTES);
        $maskedBlock = $block ^ self::mask($seed, strlen($block));
        $encoded = "\0" . ($seed ^ self::mask($maskedBlock, self::HASH_BYTES)) . $maskedBlock;
        if (!openssl_public_encrypt($encoded, $encrypted, $key, OPENSSL_NO_PADDING)) {
            throw new \RuntimeException('OpenSSL could not encrypt to this key');
        }
        return $encrypted;
    }

    /** The 32 bytes that were encrypted; null for anything else. The time it takes does not say which of its checks failed. */
    public static function decrypt(\OpenSSLAsymmetricKey $key, int $size, string $encrypted): ?string
    {
        if (strlen($encrypted) !== $size || !openssl_private_decrypt($encrypted, $encoded, $key, OPENSSL_NO_PADDING)) {
            return null;
        }
        $maskedBlock = substr($encoded, 1 + self::HASH_BYTES);
        $seed = substr($encoded, 1, self::HASH_BYTES) ^ self::mask($maskedBlock, self::HASH_BYTES);
        $block = $maskedBlock ^ self::mask($seed, strlen($maskedBlock));
        // The message has a fixed length, so all before it is known: one comparison in constant time.
        $isRight = hash_equals("\0" . self::blockStart($size), $encoded[0] . substr($block, 0, -self::MESSAGE_BYTES));
        return $isRight ? substr($block, -self::MESSAGE_BYTES) : null;
    }

    /** The part of the data block before a message of 32 bytes: the hash of the label, zeros, and a one. */
    private static function blockStart(int $size): string
    {
        $zeros = $size - 2 * self::HASH_BYTES - 2 - self::MESSAGE_BYTES;
        return hash('sha256', '', true) . str_repeat("\0", $zeros) . "\1";
    }

    /** MGF1 (RFC 8017, appendix B.2.1). */
    private static function mask(string $seed, int $length): string
    {
        $mask = '';
        for ($counter = 0; strlen($mask) < $length; $counter++) {
            $mask .= hash('sha256', $seed . pack('N', $counter), true);
        }
        return substr($mask, 0, $length);
    }
}
