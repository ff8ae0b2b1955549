<?php

declare(strict_types=1);

namespace Sealpost\Tests;

/** A server on loopback that gives each request the next answer. */
final class PlayedServer
{
    public readonly string $url;

    /** @var resource */
    private $process;

    /** @var array<int, resource> */
    private array $pipes = [];

    /** @var list<array{method: string, path: string, headers: array<string, string>, body: string}> */
    private array $requests = [];

    /** `$answers` are the bytes of whole answers; an empty one ends the connection instead. */
    public function __construct(string ...$answers)
    {
        $command = [PHP_BINARY, __DIR__ . '/played-server.php'];
        $this->process = proc_open($command, [['pipe', 'r'], ['pipe', 'w']], $this->pipes) ?: throw new \RuntimeException('no process');
        fwrite($this->pipes[0], json_encode($answers, JSON_THROW_ON_ERROR) . "\n");
        $this->url = 'http://127.0.0.1:' . trim((string) fgets($this->pipes[1]));
        stream_set_blocking($this->pipes[1], false);
    }

    public function __destruct()
    {
        proc_terminate($this->process);
        array_map(fclose(...), $this->pipes);
        proc_close($this->process);
    }

    /** The bytes of an answer; `$announced` says how many more its length promises. @param array<string, string|int> $headers */
    public static function answer(mixed $body, int $status = 200, array $headers = [], int $announced = 0): string
    {
        $data = is_string($body) ? $body : json_encode($body, JSON_THROW_ON_ERROR);
        $lines = ["HTTP/1.1 $status Played"];
        foreach (['Content-Length' => strlen($data) + $announced, ...$headers] as $name => $value) {
            $lines[] = "$name: $value";
        }
        return implode("\r\n", $lines) . "\r\n\r\n$data";
    }

    /** An answer in chunks (RFC 9112 section 7.1), with an end or without. @param list<string> $chunks */
    public static function chunked(array $chunks, string $end = "0\r\n\r\n"): string
    {
        $framed = array_map(static fn (string $chunk): string => dechex(strlen($chunk)) . "\r\n$chunk\r\n", $chunks);
        return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" . implode('', $framed) . $end;
    }

    /** The requests so far. @return list<array{method: string, path: string, headers: array<string, string>, body: string}> */
    public function requests(): array
    {
        // Each was written before it was answered, so all of them are in the pipe.
        foreach (explode("\n", (string) stream_get_contents($this->pipes[1])) as $line) {
            if ($line !== '') {
                $this->requests[] = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
            }
        }
        return $this->requests;
    }
}
