<?php

declare(strict_types=1);

namespace Sealpost\Tests;

use Sealpost\OpeningKey;

/** The vectors of the specification, section 10. */
final class Vectors
{
    /** @return array<array-key, mixed> */
    public static function read(string $name): array
    {
        $path = __DIR__ . "/../../../packages/wire/vectors/$name.json";
        return json_decode((string) file_get_contents($path), true, 512, JSON_THROW_ON_ERROR);
    }

    /** By its name: `fingerprint`, `publicKey`, `privateKey`. @return array<string, mixed> */
    public static function key(string $name): array
    {
        static $keys = null;
        $keys ??= [...self::read('keys'), ...self::read('hybrid-keys')];
        return $keys[$name];
    }

    /** The key of a vector, with what it is known to belong to; null for a hybrid one. */
    public static function openingKey(array $label): ?OpeningKey
    {
        static $made = [];
        $jwk = self::key($label['name'])['privateKey'];
        return $jwk['kty'] === 'AKP' ? null : $made[serialize($label)] ??= OpeningKey::parse([...$label, 'privateKey' => $jwk]);
    }

    /** 32 bytes that a vector has in the place of randomness. */
    public static function derive(string $what, string $name): string
    {
        return hash('sha256', "Sealpost vector: $what: $name", true);
    }

    /** For a data provider: each vector under its name. @return array<string, array{array<string, mixed>}> */
    public static function named(string ...$files): array
    {
        $named = [];
        foreach ($files as $file) {
            foreach (self::read($file) as $vector) {
                $named["$file: {$vector['name']}"] = [$vector];
            }
        }
        return $named;
    }
}
