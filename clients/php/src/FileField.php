<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Base64;

/** A file as the value of a field. `name` and `type` are the visitor's claims: for display, to be trusted in nothing. */
final class FileField
{
    public function __construct(
        public readonly string $name,
        public readonly string $type,
        public readonly FileKey $fileKey,
    ) {
    }

    /** The file that the value of a field refers to; null for any other value, which is an ordinary answer. */
    public static function parse(mixed $value, string $formId, string $submissionId): self|NewerFile|null
    {
        $file = is_array($value) && array_keys($value) === ['$file'] ? $value['$file'] : null;
        $format = is_array($file) ? $file['format'] ?? null : null;
        if (is_string($format) && $format !== 'spf1') {
            return new NewerFile(is_string($file['name'] ?? null) ? $file['name'] : '');
        }
        if ($format !== 'spf1' || !Ids::is(IdKind::File, $file['id'] ?? null)) {
            return null;
        }
        [$name, $type, $size] = [$file['name'] ?? null, $file['type'] ?? null, $file['size'] ?? null];
        $key = Base64::decode($file['key'] ?? null);
        // An integer was digits alone: 3.0 and 3e0 are no sizes.
        if (!is_string($name) || !is_string($type) || $key === null || !is_int($size)) {
            return null;
        }
        try {
            return new self($name, $type, new FileKey($formId, $submissionId, $file['id'], $size, $key));
        } catch (\InvalidArgumentException) {
            return null;
        }
    }

    /** The value of a field that refers to a sealed file. @return array{'$file': array<string, int|string>} */
    public function toField(): array
    {
        return ['$file' => [
            'id' => $this->fileKey->fileId,
            'name' => $this->name,
            'type' => $this->type,
            'size' => $this->fileKey->size,
            'key' => base64_encode($this->fileKey->key),
            'format' => 'spf1',
        ]];
    }
}
