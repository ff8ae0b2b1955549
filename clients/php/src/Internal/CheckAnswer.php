<?php

declare(strict_types=1);

namespace Sealpost\Internal;

/** Whether an answer has what the API document promises. */
final class CheckAnswer
{
    /** @var array<string, list<string>>|null by operation */
    private static ?array $described = null;

    /**
     * The first member that is missing or of another kind; null where all are as promised.
     *
     * @param array<array-key, mixed> $answer
     */
    public static function findUnexpectedMember(string $operation, array $answer): ?string
    {
        self::$described ??= self::describe();
        foreach (self::$described[$operation] ?? [] as $member) {
            [$path, $kinds] = explode('=', $member);
            preg_match_all('/\[\]|[\w?]+/', $path, $parts);
            if (!self::isThere($answer, $parts[0], explode('|', $kinds))) {
                return $member;
            }
        }
        return null;
    }

    /** @return array<string, list<string>> */
    private static function describe(): array
    {
        $described = [];
        foreach (explode("\n", AnswerMembers::TEXT) as $line) {
            $words = explode(' ', $line);
            $described["$words[0] $words[1]"] = array_slice($words, 2);
        }
        return $described;
    }

    /**
     * @param list<string> $path
     * @param list<string> $kinds
     */
    private static function isThere(mixed $value, array $path, array $kinds): bool
    {
        $part = array_shift($path);
        if ($part === null) {
            return array_filter($kinds, static fn (string $kind): bool => self::isOfKind($value, $kind)) !== [];
        }
        if (!is_array($value)) {
            return false;
        }
        if ($part === '[]') {
            foreach ($value as $item) {
                if (!self::isThere($item, $path, $kinds)) {
                    return false;
                }
            }
            return true;
        }
        $name = rtrim($part, '?');
        return array_key_exists($name, $value) ? self::isThere($value[$name], $path, $kinds) : $name !== $part;
    }

    private static function isOfKind(mixed $value, string $kind): bool
    {
        return match ($kind) {
            'any' => true,
            'null' => $value === null,
            'string' => is_string($value),
            'integer' => is_int($value),
            'number' => is_int($value) || is_float($value),
            'boolean' => is_bool($value),
            // Both are arrays in PHP, and alike where they are empty.
            'list' => is_array($value) && array_is_list($value),
            default => is_array($value) && ($value === [] || !array_is_list($value)),
        };
    }
}
