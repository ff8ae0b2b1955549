<?php

declare(strict_types=1);

namespace Sealpost\Internal;

use Sealpost\ConnectionError;

/**
 * An answer whose body is read as it comes. PHP's own reader takes a lost connection for the end of the body: the length, or the
 * framing of chunks (RFC 9112 section 7.1), says here whether it was the end. Every method throws a ConnectionError when it wasn't.
 */
final class HttpAnswer
{
    private const PORTION_BYTES = 1 << 15;
    private const LINE_BYTES_MAX = 1 << 13;

    /**
     * @param array<string, string> $headers by lower-case name
     * @param resource $stream
     */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        private $stream,
    ) {
    }

    /** The whole body; null when it is larger than `$bytesMax`. */
    public function readWhole(int $bytesMax): ?string
    {
        $body = '';
        foreach ($this->portions() as $portion) {
            $body .= $portion;
            if (strlen($body) > $bytesMax) {
                return null;
            }
        }
        return $body;
    }

    /** @return \Generator<int, string> none of them empty */
    public function portions(): \Generator
    {
        try {
            if (strtolower($this->headers['transfer-encoding'] ?? '') === 'chunked') {
                yield from $this->chunks();
            } else {
                $length = $this->headers['content-length'] ?? null;
                yield from $length === null ? $this->untilEnd() : $this->exactly((int) $length);
            }
        } finally {
            fclose($this->stream);
        }
    }

    private function chunks(): \Generator
    {
        while (($length = $this->chunkLength()) > 0) {
            yield from $this->exactly($length);
            $this->line();
        }
        while ($this->line() !== '') {
            // Trailers tell nothing that is needed here.
        }
    }

    private function chunkLength(): int
    {
        if (preg_match('/\A([0-9a-fA-F]{1,8})[ \t]*(?:;|\z)/', $this->line(), $match) !== 1) {
            throw new ConnectionError('The answer of the server is not HTTP');
        }
        return (int) hexdec($match[1]);
    }

    private function exactly(int $length): \Generator
    {
        while ($length > 0) {
            $portion = $this->readSome(min($length, self::PORTION_BYTES));
            if ($portion === '') {
                throw $this->lost();
            }
            $length -= strlen($portion);
            yield $portion;
        }
    }

    private function untilEnd(): \Generator
    {
        while (($portion = $this->readSome(self::PORTION_BYTES)) !== '') {
            yield $portion;
        }
        if (!feof($this->stream)) {
            throw $this->lost();
        }
    }

    private function readSome(int $bytesMax): string
    {
        do {
            $portion = @fread($this->stream, $bytesMax);
            $isOver = feof($this->stream) || stream_get_meta_data($this->stream)['timed_out'];
        } while ($portion === '' && !$isOver);
        return $portion === false ? throw $this->lost() : $portion;
    }

    private function line(): string
    {
        $line = @fgets($this->stream, self::LINE_BYTES_MAX);
        return $line !== false && str_ends_with($line, "\n") ? rtrim($line, "\r\n") : throw $this->lost();
    }

    private function lost(): ConnectionError
    {
        $isSilent = stream_get_meta_data($this->stream)['timed_out'];
        return new ConnectionError($isSilent
            ? 'The server was silent for too long'
            : 'The connection to the server was lost: the answer ends early');
    }
}
