<?php

declare(strict_types=1);

namespace Sealpost\Internal;

/** Addresses of an instance and its resources. */
final class Url
{
    /** The address of an instance without a slash at its end. Throws an InvalidArgumentException for what is no such address. */
    public static function parseBase(string $text): string
    {
        // Neither credentials nor a query or fragment; no blank and no line break.
        if (preg_match('/\Ahttps?:\/\/[^\s\0-\x1f\/?#@]+(?:\/[^\s\0-\x1f?#]*)?\z/i', $text) !== 1) {
            $example = 'https://forms.example.org';
            throw new \InvalidArgumentException("baseUrl must be the address of the instance, such as $example");
        }
        return rtrim($text, '/');
    }

    /**
     * A path of the API document with its parameters. Throws an InvalidArgumentException for what is no id.
     *
     * @param array<string, string> $path
     * @param array<string, int|string|null> $query those that are null are left out
     */
    public static function fill(string $template, array $path, array $query): string
    {
        foreach ($path as $name => $value) {
            // An empty id or `..` would name another resource: a list instead of its member, say, when deleting.
            if (preg_match('/\A[A-Za-z0-9_-]+\z/', $value) !== 1) {
                throw new \InvalidArgumentException('Not an id: ' . json_encode($value, JSON_INVALID_UTF8_SUBSTITUTE));
            }
            $template = str_replace('{' . $name . '}', $value, $template);
        }
        $given = http_build_query($query, '', '&', PHP_QUERY_RFC3986);
        return $given === '' ? $template : "$template?$given";
    }
}
