<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Gcm;
use Sealpost\Internal\Json;
use Sealpost\Internal\Oaep;
use Sealpost\Internal\Padding;

/** Sealing fields to the owner of a form, as the script in a page does (specification, sections 3 and 4). */
final class Sealing
{
    /**
     * The payload of these fields, `sp1`. Throws an InvalidArgumentException for fields that are nested more than 64 levels deep, for
     * texts that are not UTF-8, for numbers that JSON does not have, and for names of Sealpost itself: those of fields that begin with
     * `$sealpost`, and the one member of a value if it begins with `$` and is no file. Each call draws a fresh key: to send a payload
     * again, send the same one.
     *
     * @param array<array-key, mixed> $fields
     * @return array{encrypted: true, version: 'sp1', data: string, key: string, iv: string}
     */
    public static function seal(
        #[\SensitiveParameter] array $fields,
        PublicKey $key,
        string $formId,
        int $keyVersion,
        string $submissionId,
    ): array {
        $text = self::encodeFields($fields);
        [$contentKey, $iv] = [random_bytes(Oaep::MESSAGE_BYTES), random_bytes(12)];
        $data = self::encryptText($text, $contentKey, $iv, Opening::additionalData($formId, $keyVersion, $submissionId));
        return [
            'encrypted' => true,
            'version' => 'sp1',
            'data' => base64_encode($data),
            'key' => base64_encode($key->encrypt($contentKey)),
            'iv' => base64_encode($iv),
        ];
    }

    /** The fields as JSON in UTF-8, not padded yet. @internal */
    public static function encodeFields(#[\SensitiveParameter] array $fields): string
    {
        try {
            $text = Json::encode((object) $fields);
            self::refuseOurs(json_decode($text, true, 512, JSON_THROW_ON_ERROR));
            return $text;
        } catch (\JsonException $error) {
            throw new \InvalidArgumentException($error->getCode() === JSON_ERROR_DEPTH
                ? 'Fields may be nested 64 levels deep, not more'
                : 'Fields are texts in UTF-8, finite numbers, booleans, null, and arrays of these');
        }
    }

    private static function refuseOurs(#[\SensitiveParameter] array $fields): void
    {
        foreach ($fields as $name => $value) {
            if (preg_match('/^\$+sealpost/', (string) $name) === 1) {
                throw new \InvalidArgumentException('Names of fields that begin with $sealpost are those of Sealpost itself');
            }
            if (self::holdsOurs($value)) {
                throw new \InvalidArgumentException(
                    'A value whose one member begins with $ is one of Sealpost itself: give it another name',
                );
            }
        }
    }

    private static function holdsOurs(#[\SensitiveParameter] mixed $value): bool
    {
        if (!is_array($value)) {
            return false;
        }
        $name = count($value) === 1 ? (string) array_key_first($value) : '';
        if (str_starts_with($name, '$') && !($name === '$file' && self::isFile($value[$name]))) {
            return true;
        }
        foreach ($value as $member) {
            if (self::holdsOurs($member)) {
                return true;
            }
        }
        return false;
    }

    /** Whether it is of a field that `FileField::toField` makes. */
    private static function isFile(mixed $value): bool
    {
        return is_array($value) && Ids::is(IdKind::File, $value['id'] ?? null) && ($value['format'] ?? null) === 'spf1';
    }

    /** `data` of a payload, before base64. @internal */
    public static function encryptText(
        #[\SensitiveParameter] string $text,
        #[\SensitiveParameter] string $contentKey,
        string $iv,
        string $bound,
    ): string {
        return Gcm::encrypt($contentKey, $iv, str_pad($text, Padding::size(strlen($text))), $bound);
    }
}
