<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Base64;
use Sealpost\Internal\ExactJson;
use Sealpost\Internal\Gcm;
use Sealpost\Internal\Json;

/** Opening what visitors sealed (specification, section 7). */
final class Opening
{
    public const ONLY_SP1 = 'This package opens sp1 only: '
        . "the command line of Sealpost and its packages for TypeScript, Python and Go open sp2";

    /**
     * Opens a sealed payload (`sp1`) with whichever of `$keys` fits. `$expectedFingerprint` is that of the form's key of this
     * version, where it is known. Every failure after a key was chosen looks the same. Never throws on what somebody sealed.
     *
     * @param array<array-key, mixed> $payload
     * @param list<OpeningKey> $keys
     */
    public static function openPayload(
        array $payload,
        array $keys,
        string $formId,
        int $keyVersion,
        string $submissionId,
        ?string $expectedFingerprint = null,
    ): Opened|NotOpened {
        $version = $payload['version'] ?? null;
        if ($version !== 'sp1') {
            $message = $version === 'sp2' ? self::ONLY_SP1 : 'This payload has a format that this version cannot open';
            return new NotOpened(NotOpenedReason::UnknownVersion, $message);
        }
        $candidates = self::findKeys($keys, $formId, $keyVersion, $expectedFingerprint);
        if ($candidates === []) {
            $message = "No private key available for key version $keyVersion of this form";
            return new NotOpened(NotOpenedReason::NoKey, $message);
        }
        $bound = self::additionalData($formId, $keyVersion, $submissionId);
        foreach ($candidates as $key) {
            $opened = self::decrypt($payload, $key, $bound);
            if ($opened !== null) {
                return $opened;
            }
        }
        $message = 'This payload could not be opened: it was changed, or sealed to another key';
        return new NotOpened(NotOpenedReason::CouldNotBeOpened, $message);
    }

    /**
     * Opens a submission as a webhook or the API shows it, sealed or plain. To who has keys a plain one is `NotSealed`, unless
     * `$acceptPlain` is true.
     *
     * @param list<OpeningKey> $keys
     */
    public static function openSubmission(
        Submission|ReceivedSubmission $submission,
        array $keys,
        ?string $expectedFingerprint = null,
        ?bool $acceptPlain = null,
    ): Opened|NotOpened {
        $payload = $submission->payload;
        if (($payload['encrypted'] ?? null) !== false) {
            $place = [$submission->formId, $submission->keyVersion ?? 0, $submission->id];
            return self::openPayload($payload, $keys, ...$place, expectedFingerprint: $expectedFingerprint);
        }
        if (($acceptPlain ?? $keys === []) && is_array($payload['fields'] ?? null)) {
            $text = $payload['text'] ?? Json::encode((object) $payload['fields']);
            return new Opened($payload['fields'], sealed: false, text: $text);
        }
        $message = 'Nobody sealed this submission: the server could read it, and could have made it up';
        return new NotOpened(NotOpenedReason::NotSealed, $message, sealed: false);
    }

    /** The bytes that bind a payload to its place (specification, section 5). @internal */
    public static function additionalData(string $formId, int $keyVersion, string $submissionId): string
    {
        return "sealpost/sp1\n$formId\n$keyVersion\n$submissionId";
    }

    /**
     * @param list<OpeningKey> $keys
     * @return list<OpeningKey>
     */
    private static function findKeys(array $keys, string $formId, int $keyVersion, ?string $expectedFingerprint): array
    {
        $only = static fn (array $keys, callable $isMeant): array => array_values(array_filter($keys, $isMeant));
        if ($expectedFingerprint !== null) {
            return $only($keys, static fn (OpeningKey $key): bool => $key->fingerprint === $expectedFingerprint);
        }
        $candidates = $only($keys, static fn (OpeningKey $key): bool => in_array($key->formId, [null, $formId], true));
        $labelled = $only($candidates, static fn (OpeningKey $key): bool => $key->keyVersion === $keyVersion);
        return $labelled ?: $only($candidates, static fn (OpeningKey $key): bool => $key->keyVersion === null);
    }

    /** Null whatever is wrong: nobody learns which step failed. */
    private static function decrypt(array $payload, OpeningKey $key, string $bound): ?Opened
    {
        [$data, $sealedKey, $iv] = array_map(
            static fn (string $name): ?string => Base64::decode($payload[$name] ?? null),
            ['data', 'key', 'iv'],
        );
        if ($data === null || $sealedKey === null || $iv === null) {
            return null;
        }
        $contentKey = $key->decrypt($sealedKey);
        $text = $contentKey === null ? null : Gcm::decrypt($contentKey, $iv, $data, $bound);
        try {
            return $text === null ? null : self::parseContent($text);
        } catch (\JsonException) {
            return null;
        }
    }

    private static function parseContent(string $text): Opened
    {
        $fields = Json::parseObject($text, Json::LEVELS_MAX);
        $exact = ExactJson::parse($text, Json::LEVELS_MAX);
        // An answer may have our name; what is ours is an object.
        $sealpost = $exact->takeObject('$sealpost') ? $fields['$sealpost'] : null;
        if ($sealpost !== null) {
            unset($fields['$sealpost']);
        }
        return new Opened($fields, text: $exact->format(), sealpost: $sealpost);
    }
}
