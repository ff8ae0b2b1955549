<?php

declare(strict_types=1);

namespace Sealpost\Internal;

/** Bytes of any number, cut into pieces of one length, in constant memory. */
final class Pieces
{
    public const PLAIN_BYTES = 65_536;
    public const SEALED_BYTES = self::PLAIN_BYTES + Gcm::TAG_BYTES;

    /**
     * Each piece with whether it is the last one. That one may be shorter, and is never empty.
     *
     * @param iterable<string> $chunks
     * @return \Generator<int, array{string, bool}>
     */
    public static function withLast(iterable $chunks, int $length): \Generator
    {
        $gathered = '';
        foreach ($chunks as $chunk) {
            // In parts, because a chunk may be large: what was gathered never exceeds two pieces.
            for ($start = 0; $start < strlen($chunk); $start += $length) {
                $gathered .= substr($chunk, $start, $length);
                // More than one piece: the first of them is not the last one.
                if (strlen($gathered) > $length) {
                    yield [substr($gathered, 0, $length), false];
                    $gathered = substr($gathered, $length);
                }
            }
        }
        if ($gathered !== '') {
            yield [$gathered, true];
        }
    }

    /**
     * @param resource|iterable<string> $source
     * @return iterable<string>
     */
    public static function chunks($source): iterable
    {
        if (is_iterable($source)) {
            return $source;
        }
        if (!is_resource($source)) {
            throw new \InvalidArgumentException('A source is a stream, or gives strings');
        }
        return self::read($source);
    }

    /** @param resource $stream */
    private static function read($stream): \Generator
    {
        while (!feof($stream)) {
            $chunk = fread($stream, self::PLAIN_BYTES);
            if ($chunk === false || (stream_get_meta_data($stream)['timed_out'] ?? false)) {
                throw new \RuntimeException("The source can't be read");
            }
            yield $chunk;
        }
    }
}
