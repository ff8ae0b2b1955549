<?php

declare(strict_types=1);

namespace Sealpost\Internal;

/** AES-256-GCM with a nonce of 12 bytes and a tag of 16 at the end. */
final class Gcm
{
    public const TAG_BYTES = 16;
    private const CIPHER = 'aes-256-gcm';

    public static function encrypt(
        #[\SensitiveParameter] string $key,
        string $nonce,
        #[\SensitiveParameter] string $plaintext,
        string $additionalData,
    ): string {
        $tag = '';
        $sealed = openssl_encrypt($plaintext, self::CIPHER, $key, OPENSSL_RAW_DATA, $nonce, $tag, $additionalData, self::TAG_BYTES);
        if ($sealed === false) {
            throw new \RuntimeException('OpenSSL has no ' . self::CIPHER);
        }
        return $sealed . $tag;
    }

    /** The plaintext; null when anything is not as it was sealed. */
    public static function decrypt(
        #[\SensitiveParameter] string $key,
        string $nonce,
        string $sealed,
        string $additionalData,
    ): ?string {
        // openssl_decrypt fills a short key with zeros, and takes a tag of any length.
        if (strlen($key) !== 32 || strlen($nonce) !== 12 || strlen($sealed) < self::TAG_BYTES) {
            return null;
        }
        $tag = substr($sealed, -self::TAG_BYTES);
        $text = substr($sealed, 0, -self::TAG_BYTES);
        $opened = openssl_decrypt($text, self::CIPHER, $key, OPENSSL_RAW_DATA, $nonce, $tag, $additionalData);
        return $opened === false ? null : $opened;
    }
}
