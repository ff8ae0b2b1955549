<?php

declare(strict_types=1);

namespace Sealpost\Event;

use Sealpost\Internal\ExactJson;
use Sealpost\Internal\Json;
use Sealpost\Internal\Shape;
use Sealpost\ReceivedSubmission;

/**
 * What a webhook brings (docs/receivers.md). `timestamp` is in milliseconds since the Unix epoch; `test` is true for events of the
 * dashboard's button, which have sample data.
 */
abstract class Event
{
    private const LEVELS_MAX = 512;

    /** The event in a verified body. Throws an UnexpectedValueException whose message says what is wrong with it. */
    public static function parse(string $body): self
    {
        try {
            $value = ExactJson::addTexts(Json::parseObject($body, self::LEVELS_MAX), $body, self::LEVELS_MAX);
        } catch (\JsonException) {
            throw new \UnexpectedValueException('The body is not a JSON object in UTF-8');
        }
        try {
            return self::parseKind($value);
        } catch (\UnexpectedValueException) {
            throw new \UnexpectedValueException('The event is malformed');
        }
    }

    /** @param array<array-key, mixed> $value */
    private static function parseKind(array $value): self
    {
        $name = Shape::text($value['event'] ?? null);
        return match ($name) {
            '' => throw new \UnexpectedValueException('not an event'),
            'submission.created' => new SubmissionCreated(
                ...self::parseCommon($value),
                submission: self::parseSubmission($value['submission'] ?? null, Shape::text($value['form']['id'])),
            ),
            'submission.deleted' => new SubmissionDeleted(
                ...self::parseCommon($value),
                submissionId: Shape::text(Shape::members($value['submission'] ?? null)['id'] ?? null),
            ),
            'form.updated' => new FormUpdated(...self::parseCommon($value), ...self::parseChanges($value['changes'] ?? null)),
            'form.keys_rotated' => new FormKeysRotated(...self::parseCommon($value), ...self::parseKeys($value['keys'] ?? null)),
            default => new UnknownEvent($name, $value, ($value['test'] ?? null) === true),
        };
    }

    /** @return array{form: EventForm, timestamp: int, test: bool} */
    private static function parseCommon(array $value): array
    {
        $form = Shape::members($value['form'] ?? null);
        return [
            'form' => new EventForm(Shape::text($form['id'] ?? null), Shape::text($form['name'] ?? null)),
            'timestamp' => Shape::whole($value['timestamp'] ?? null),
            'test' => ($value['test'] ?? null) === true,
        ];
    }

    private static function parseSubmission(mixed $value, string $formId): ReceivedSubmission
    {
        $members = Shape::members($value);
        $payload = Shape::payload($members['payload'] ?? null);
        // Only a plain payload may come without the version of a key.
        $hasVersion = $payload['encrypted'] || array_key_exists('keyVersion', $members);
        return new ReceivedSubmission(
            Shape::text($members['id'] ?? null),
            $formId,
            $payload,
            $hasVersion ? Shape::whole($members['keyVersion'] ?? null, 1) : null,
            Shape::whole($members['timestamp'] ?? null),
            Shape::whole($members['receivedAt'] ?? null),
        );
    }

    /** @return array{name: ?string, settings: array<string, mixed>} */
    private static function parseChanges(mixed $value): array
    {
        $changes = Shape::members($value);
        $name = isset($changes['name']) ? Shape::text($changes['name']) : null;
        return ['name' => $name, 'settings' => Shape::members($changes['settings'] ?? [])];
    }

    /** @return array{keyVersion: int, previousKeyVersion: int, publicKey: array<string, mixed>, rotatedAt: int, hybridPublicKey: ?array<string, mixed>} */
    private static function parseKeys(mixed $value): array
    {
        $keys = Shape::members($value);
        return [
            'keyVersion' => Shape::whole($keys['keyVersion'] ?? null),
            'previousKeyVersion' => Shape::whole($keys['previousKeyVersion'] ?? null),
            'publicKey' => Shape::members($keys['publicKey'] ?? null),
            'rotatedAt' => Shape::whole($keys['rotatedAt'] ?? null),
            'hybridPublicKey' => isset($keys['hybridPublicKey']) ? Shape::members($keys['hybridPublicKey']) : null,
        ];
    }
}
