<?php

declare(strict_types=1);

namespace Sealpost\Internal;

/** A JSON object whose numbers keep the digits that they were written with, and whose objects are no lists. */
final class ExactJson
{
    /** Possessive throughout: a text of a megabyte takes no stack. */
    private const TEXTS_AND_NUMBERS = '/"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|-?[0-9][-+.0-9Ee]*+/s';

    /** In each text and number of the tree, names included, the first character says which of the two it is. */
    private const TEXT = 's';
    private const NUMBER = 'n';

    private function __construct(private readonly \stdClass $object)
    {
    }

    /** Parses a text that `Json::parseObject` takes. Throws a JsonException for others. */
    public static function parse(string $text, int $levels): self
    {
        $mark = static fn (array $match): string => $match[0][0] === '"'
            ? '"' . self::TEXT . substr($match[0], 1)
            : '"' . self::NUMBER . "$match[0]\"";
        $marked = preg_replace_callback(self::TEXTS_AND_NUMBERS, $mark, Json::replaceLoneSurrogates($text));
        $object = json_decode((string) $marked, false, $levels + 1, JSON_THROW_ON_ERROR);
        return $object instanceof \stdClass ? new self($object) : throw new \JsonException('not an object');
    }

    /** Removes the member of this name if it is an object, and says whether it was. */
    public function takeObject(string $name): bool
    {
        $member = self::TEXT . $name;
        $isObject = ($this->object->{$member} ?? null) instanceof \stdClass;
        if ($isObject) {
            unset($this->object->{$member});
        }
        return $isObject;
    }

    /**
     * The same JSON as arrays, in which each plain payload has, next to its fields, their text as `text`: as arrays they have lost their
     * digits, and `{}` is `[]`.
     */
    public static function addTexts(array $value, string $json, int $levels): array
    {
        return str_contains($json, 'plain1') ? self::withTexts($value, self::parse($json, $levels)->object) : $value;
    }

    private static function withTexts(array $value, mixed $exact): array
    {
        $member = static fn (int|string $name): mixed => is_array($exact) ? $exact[$name] : $exact->{self::TEXT . $name};
        $isPlain = ($value['encrypted'] ?? null) === false && ($value['version'] ?? null) === 'plain1';
        if ($isPlain && is_array($value['fields'] ?? null)) {
            return [...$value, 'text' => self::write($member('fields'))];
        }
        foreach (array_filter($value, is_array(...)) as $name => $child) {
            $value[$name] = self::withTexts($child, $member($name));
        }
        return $value;
    }

    /** JSON without white space, every name once. */
    public function format(): string
    {
        return self::write($this->object);
    }

    private static function write(mixed $value): string
    {
        if (is_array($value)) {
            return '[' . implode(',', array_map(self::write(...), $value)) . ']';
        }
        if (is_string($value)) {
            $content = substr($value, 1);
            return $value[0] === self::NUMBER ? $content : Json::encode($content);
        }
        if (!$value instanceof \stdClass) {
            return Json::encode($value);
        }
        $members = [];
        foreach ((array) $value as $name => $member) {
            $members[] = self::write((string) $name) . ':' . self::write($member);
        }
        return '{' . implode(',', $members) . '}';
    }
}
