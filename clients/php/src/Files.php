<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Gcm;
use Sealpost\Internal\Padding;
use Sealpost\Internal\Pieces;

/** Files of any size in constant memory, the format `spf1` (specification, section 13). A source is a stream, or gives strings. */
final class Files
{
    private const CHANGED = 'The file has another size than at first: it was changed while it was read';

    /**
     * The bytes of a sealed file, piece by piece, each of them authentic. **The file is whole only when the generator has ended**
     * without a FileNotOpened; `openTo` keeps nothing before that.
     *
     * @param resource|iterable<string> $source
     * @return \Generator<int, string>
     */
    public static function open($source, FileKey $fileKey): \Generator
    {
        return self::openPieces(Pieces::chunks($source), $fileKey);
    }

    /**
     * Opens a sealed file into the file `$path`, which appears, or is replaced, only once everything was checked. Throws a
     * FileNotOpened, or a RuntimeException when the file can't be written, and leaves nothing.
     *
     * @param resource|iterable<string> $source
     */
    public static function openTo($source, FileKey $fileKey, string $path): void
    {
        $temporary = dirname($path) . '/.' . basename($path) . '.' . bin2hex(random_bytes(8));
        $target = @fopen($temporary, 'xb');
        if ($target === false) {
            throw new \RuntimeException("$temporary can't be written");
        }
        try {
            // Before the first byte: what is opened is for its owner alone.
            chmod($temporary, 0600);
            foreach (self::open($source, $fileKey) as $piece) {
                self::write($target, $piece, $path);
            }
            if (!fflush($target) || !fclose($target) || !rename($temporary, $path)) {
                throw new \RuntimeException("$path can't be written");
            }
        } catch (\Throwable $error) {
            unlink($temporary);
            throw $error;
        }
    }

    /**
     * The sealed bytes of a file, piece by piece. Throws an InvalidArgumentException when the file has not the size that `$fileKey`
     * says: it may change while it is read.
     *
     * @param resource|iterable<string> $source
     * @return \Generator<int, string>
     */
    public static function seal($source, FileKey $fileKey): \Generator
    {
        return self::sealPieces(Pieces::chunks($source), $fileKey);
    }

    /** The size in bytes of a file of `$size` bytes once it is sealed. */
    public static function sealedSize(int $size): int
    {
        $padded = Padding::size($size);
        return $padded + intdiv($padded + Pieces::PLAIN_BYTES - 1, Pieces::PLAIN_BYTES) * Gcm::TAG_BYTES;
    }

    private static function openPieces(iterable $chunks, FileKey $fileKey): \Generator
    {
        $left = $fileKey->size;
        $index = 0;
        foreach (Pieces::withLast($chunks, Pieces::SEALED_BYTES) as [$piece, $isLast]) {
            // A piece has at least one byte besides its tag.
            $opened = strlen($piece) > Gcm::TAG_BYTES
                ? Gcm::decrypt($fileKey->key, self::nonce($index, $isLast), $piece, self::additionalData($fileKey))
                : null;
            $plaintext = substr($opened ?? throw new FileNotOpened(), 0, $left);
            $left -= strlen($plaintext);
            $index++;
            if ($plaintext !== '') {
                yield $plaintext;
            }
        }
        if ($index === 0 || $left > 0) {
            throw new FileNotOpened();
        }
    }

    private static function sealPieces(iterable $chunks, FileKey $fileKey): \Generator
    {
        $bound = self::additionalData($fileKey);
        $index = 0;
        foreach (Pieces::withLast(self::padded($chunks, $fileKey->size), Pieces::PLAIN_BYTES) as [$piece, $isLast]) {
            yield Gcm::encrypt($fileKey->key, self::nonce($index, $isLast), $piece, $bound);
            $index++;
        }
    }

    private static function padded(iterable $chunks, int $size): \Generator
    {
        $received = 0;
        foreach ($chunks as $chunk) {
            $received += strlen($chunk);
            if ($received > $size) {
                throw new \InvalidArgumentException(self::CHANGED);
            }
            yield $chunk;
        }
        if ($received !== $size) {
            throw new \InvalidArgumentException(self::CHANGED);
        }
        $padding = Padding::size($size) - $size;
        for ($done = 0; $done < $padding; $done += Pieces::PLAIN_BYTES) {
            yield str_repeat("\0", min($padding - $done, Pieces::PLAIN_BYTES));
        }
    }

    private static function nonce(int $index, bool $isLast): string
    {
        return "\0\0\0" . pack('J', $index) . ($isLast ? "\1" : "\0");
    }

    private static function additionalData(FileKey $fileKey): string
    {
        return "sealpost/spf1\n{$fileKey->formId}\n{$fileKey->fileId}";
    }

    /** @param resource $target */
    private static function write($target, string $piece, string $path): void
    {
        if (@fwrite($target, $piece) !== strlen($piece)) {
            throw new \RuntimeException("$path can't be written");
        }
    }
}
