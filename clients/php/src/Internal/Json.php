<?php

declare(strict_types=1);

namespace Sealpost\Internal;

/** JSON to the letter (RFC 8259; specification, sections 4 and 7). */
final class Json
{
    public const LEVELS_MAX = 64;

    /** PHP's arrays can be made to collide: 65,536 chosen names took 3 s, these take less than 0.1 s. */
    public const MEMBERS_MAX = 10_000;

    private const LONE_SURROGATES = '/\\\\\\\\|\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}'
        . '|\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}/';

    /**
     * The members of a JSON object in UTF-8, objects inside it as arrays too. Throws a JsonException for anything else, and for
     * objects and arrays that are nested deeper than `$levels`, or hold more than `$membersMax` members altogether.
     *
     * @return array<array-key, mixed>
     */
    public static function parseObject(string $text, int $levels, int $membersMax = self::MEMBERS_MAX): array
    {
        // An array would look like an object with the names 0, 1, 2 once it is decoded.
        if (!str_starts_with(ltrim($text, " \t\r\n"), '{')) {
            throw new \JsonException('not an object');
        }
        $outside = self::withoutStrings($text);
        if (self::hasForeignLiteral($outside) || substr_count($outside, ':') > $membersMax) {
            throw new \JsonException('not JSON, or too much of it');
        }
        $depth = $levels + 1; // json_decode counts what is inside the innermost array as a level
        try {
            $value = json_decode($text, true, $depth, JSON_THROW_ON_ERROR);
        } catch (\JsonException $error) {
            if ($error->getCode() !== JSON_ERROR_UTF16) {
                throw $error;
            }
            $value = json_decode(self::replaceLoneSurrogates($text), true, $depth, JSON_THROW_ON_ERROR);
        }
        if (!is_array($value)) {
            throw new \JsonException('not JSON');
        }
        return $value;
    }

    /** Whether an object of a text that `parseObject` takes has a member twice, however its name is written. */
    public static function hasDoubledNames(string $text): bool
    {
        preg_match_all('/"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"(\s*+:)?|[][{}]/s', $text, $tokens, PREG_SET_ORDER);
        $open = [];
        foreach ($tokens as $token) {
            if ($token[0] === '{' || $token[0] === '[') {
                $open[] = [];
            } elseif ($token[0] === '}' || $token[0] === ']') {
                array_pop($open);
            } elseif (isset($token[1])) {
                $name = 's' . json_decode(rtrim($token[0], ": \t\r\n"));
                if (isset($open[count($open) - 1][$name])) {
                    return true;
                }
                $open[count($open) - 1][$name] = true;
            }
        }
        return false;
    }

    /** Throws a JsonException for texts that are not UTF-8, for NAN and INF, and beyond 64 levels. */
    public static function encode(mixed $value): string
    {
        $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS | JSON_UNESCAPED_SLASHES;
        return json_encode($value, $flags, self::LEVELS_MAX);
    }

    /** PHP's strings hold UTF-8, which has no halves of surrogate pairs; a program that is not ours may seal them. */
    public static function replaceLoneSurrogates(string $text): string
    {
        $replace = static fn (array $match): string => strlen($match[0]) === 6 ? '\ufffd' : $match[0];
        return preg_replace_callback(self::LONE_SURROGATES, $replace, $text) ?? '';
    }

    /** Throws a JsonException where PHP's regular expressions give up. */
    private static function withoutStrings(string $text): string
    {
        $outside = preg_replace('/"[^"]*+"/', '', str_replace('\\"', '', str_replace('\\\\', '', $text)));
        return $outside ?? throw new \JsonException('not JSON');
    }

    /** Whether it has `TRUE` or `Null`: json_decode takes literals in any case, JSON has them in lower case. */
    private static function hasForeignLiteral(string $outside): bool
    {
        return preg_match('/[A-DF-Z]|[a-z]E/', $outside) === 1;
    }
}
