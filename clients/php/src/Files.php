<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Gcm;
use Sealpost\Internal\Padding;
use Sealpost\Internal\Pieces;

/** Files of any size in constant memory, the format `spf1` (specification, section 13). A source is a stream, or gives strings. */
final class Files
{
    private const COMMITMENT_BYTES = 32;
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
        $whole = Padding::size($size) + self::COMMITMENT_BYTES;
        return $whole + intdiv($whole + Pieces::PLAIN_BYTES - 1, Pieces::PLAIN_BYTES) * Gcm::TAG_BYTES;
    }

    private static function openPieces(iterable $chunks, FileKey $fileKey): \Generator
    {
        [$cipherKey, $commitment] = self::derive($fileKey);
        [$left, $sealedLeft] = [$fileKey->size, self::sealedSize($fileKey->size)];
        $index = 0;
        foreach (Pieces::withLast($chunks, Pieces::SEALED_BYTES) as [$piece, $isLast]) {
            $sealedLeft -= strlen($piece);
            if ($sealedLeft < 0 || $isLast !== ($sealedLeft === 0)) {
                throw new FileNotOpened();
            }
            if ($index === 0) {
                if (!hash_equals($commitment, substr($piece, 0, self::COMMITMENT_BYTES))) {
                    throw new FileNotOpened();
                }
                $piece = substr($piece, self::COMMITMENT_BYTES);
            }
            $opened = Gcm::decrypt($cipherKey, self::nonce($index, $isLast), $piece, '');
            $plaintext = substr($opened ?? throw new FileNotOpened(), 0, $left);
            $left -= strlen($plaintext);
            $index++;
            if ($plaintext !== '') {
                yield $plaintext;
            }
        }
        if ($sealedLeft > 0) {
            throw new FileNotOpened();
        }
    }

    private static function sealPieces(iterable $chunks, FileKey $fileKey): \Generator
    {
        [$cipherKey, $commitment] = self::derive($fileKey);
        $index = 0;
        foreach (Pieces::withLast(self::padded($chunks, $fileKey->size), Pieces::PLAIN_BYTES) as [$piece, $isLast]) {
            $nonce = self::nonce($index, $isLast);
            yield $index === 0
                ? $commitment . Gcm::encrypt($cipherKey, $nonce, substr($piece, self::COMMITMENT_BYTES), '')
                : Gcm::encrypt($cipherKey, $nonce, $piece, '');
            $index++;
        }
    }

    private static function padded(iterable $chunks, int $size): \Generator
    {
        // The commitment has its room in the first piece.
        yield str_repeat("\0", self::COMMITMENT_BYTES);
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

    /**
     * The cipher key, and the commitment: a hash of the file key and what it is bound to, so that one sealed file has one content.
     *
     * @return array{string, string}
     */
    private static function derive(FileKey $fileKey): array
    {
        $binding = "sealpost/spf1\n{$fileKey->formId}\n{$fileKey->submissionId}\n{$fileKey->fileId}\n{$fileKey->size}";
        $derived = hash_hkdf('sha256', $fileKey->key, 32 + self::COMMITMENT_BYTES, $binding);
        return [substr($derived, 0, 32), substr($derived, 32)];
    }

    /** @param resource $target */
    private static function write($target, string $piece, string $path): void
    {
        if (@fwrite($target, $piece) !== strlen($piece)) {
            throw new \RuntimeException("$path can't be written");
        }
    }
}
