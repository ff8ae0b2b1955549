<?php

declare(strict_types=1);

namespace Sealpost;

/** Everything that sealing or opening a file takes. A file that is sealed again takes another key. Never shows the key. */
final class FileKey
{
    public const KEY_BYTES = 32;
    public const FILE_BYTES_MAX = 1 << 40;

    /** `$size` in bytes. Throws an InvalidArgumentException for what is no size or key. */
    public function __construct(
        public readonly string $formId,
        public readonly string $submissionId,
        public readonly string $fileId,
        public readonly int $size,
        #[\SensitiveParameter] public readonly string $key,
    ) {
        if ($size < 0 || $size > self::FILE_BYTES_MAX || strlen($key) !== self::KEY_BYTES) {
            throw new \InvalidArgumentException('A file has 0 to 2^40 bytes, and a key of 32');
        }
    }

    /** A fresh key and id for a file of `$size` bytes. */
    public static function create(string $formId, string $submissionId, int $size): self
    {
        return new self($formId, $submissionId, Ids::create(IdKind::File), $size, random_bytes(self::KEY_BYTES));
    }

    /** @return array<string, mixed> what var_dump shows */
    public function __debugInfo(): array
    {
        return [
            'formId' => $this->formId,
            'submissionId' => $this->submissionId,
            'fileId' => $this->fileId,
            'size' => $this->size,
        ];
    }
}
