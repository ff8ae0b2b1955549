<?php

declare(strict_types=1);

namespace Sealpost\Internal;

use Sealpost\ConnectionError;

/** Requests through PHP's own streams: they need no extension, only `allow_url_fopen`. */
final class Http
{
    /**
     * Sends a request and reads the head of its answer, whatever its status. Redirects are not followed: they would carry the
     * credentials elsewhere. Throws a ConnectionError.
     *
     * @param array<string, string> $headers
     */
    public static function send(
        string $method,
        string $url,
        #[\SensitiveParameter] array $headers,
        ?string $body,
        float $timeout,
    ): HttpAnswer {
        $lines = array_map(static fn (string $name, string $value): string => "$name: $value", array_keys($headers), $headers);
        $options = [
            'method' => $method,
            'header' => [...$lines, 'Connection: close'],
            'timeout' => $timeout,
            'protocol_version' => 1.1,
            'follow_location' => 0,
            'ignore_errors' => true,
            'auto_decode' => false,
        ];
        $context = stream_context_create(['http' => $body === null ? $options : [...$options, 'content' => $body]]);
        $stream = self::open($url, $context);
        $head = stream_get_meta_data($stream)['wrapper_data'] ?? [];
        return self::parseHead(is_array($head) ? $head : [], $stream);
    }

    /**
     * @param resource $context
     * @return resource
     */
    private static function open(string $url, $context)
    {
        $reason = 'allow_url_fopen is off';
        set_error_handler(static function (int $_, string $message) use (&$reason): bool {
            $reason = trim(strrchr($message, ':') ?: $message, ': ');
            return true;
        });
        try {
            $stream = fopen($url, 'rb', false, $context);
        } finally {
            restore_error_handler();
        }
        return $stream === false ? throw new ConnectionError("The server can't be reached: $reason") : $stream;
    }

    /**
     * @param list<string> $lines
     * @param resource $stream
     */
    private static function parseHead(array $lines, $stream): HttpAnswer
    {
        [$status, $headers] = [0, []];
        foreach ($lines as $line) {
            if (preg_match('/\AHTTP\/[0-9.]+ ([0-9]{3})/', $line, $match) === 1) {
                [$status, $headers] = [(int) $match[1], []];
            } elseif (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower(trim($name))] = trim($value);
            }
        }
        return new HttpAnswer($status, $headers, $stream);
    }
}
