<?php

declare(strict_types=1);

namespace Sealpost\Internal;

/** Members of decoded JSON as what they have to be. Each throws an UnexpectedValueException for anything else. */
final class Shape
{
    private const NUMBER_MAX = 2 ** 53 - 1;

    public static function text(mixed $value): string
    {
        return is_string($value) ? $value : throw new \UnexpectedValueException('not a text');
    }

    public static function whole(mixed $value, int $least = -self::NUMBER_MAX): int
    {
        $isWhole = is_int($value) && $value >= $least && $value <= self::NUMBER_MAX;
        return $isWhole ? $value : throw new \UnexpectedValueException('not a whole number');
    }

    /** An object or a list: both are arrays in PHP. @return array<array-key, mixed> */
    public static function members(mixed $value): array
    {
        return is_array($value) ? $value : throw new \UnexpectedValueException('not an object');
    }

    /**
     * A sealed payload of any version, or a plain one, with its known members alone.
     *
     * @return array{encrypted: true, version: string, data: string, key: string, iv: string}
     *   |array{encrypted: false, version: 'plain1', fields: array<array-key, mixed>, text: ?string}
     */
    public static function payload(mixed $value): array
    {
        $encrypted = self::members($value)['encrypted'] ?? null;
        if ($encrypted === true) {
            $read = static fn (string $name): string => self::text($value[$name] ?? null);
            return ['encrypted' => true, 'version' => $read('version'), 'data' => $read('data'), 'key' => $read('key'), 'iv' => $read('iv')];
        }
        if ($encrypted === false && ($value['version'] ?? null) === 'plain1') {
            $text = is_string($value['text'] ?? null) ? $value['text'] : null;
            return ['encrypted' => false, 'version' => 'plain1', 'fields' => self::members($value['fields'] ?? null), 'text' => $text];
        }
        throw new \UnexpectedValueException('not a payload');
    }
}
