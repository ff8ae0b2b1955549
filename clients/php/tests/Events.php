<?php

declare(strict_types=1);

namespace Sealpost\Tests;

use Sealpost\Webhook;

/** Requests as the service sends them, about the first of the good vectors. */
final class Events
{
    /** @return array<string, mixed> */
    public static function sealed(): array
    {
        $vector = Vectors::read('good')[0];
        $members = ['id' => $vector['submissionId'], 'payload' => $vector['payload'], 'keyVersion' => $vector['keyVersion']];
        return [...$members, 'timestamp' => 1, 'receivedAt' => 2];
    }

    /** @param array<string, mixed> $members */
    public static function body(string $name, array $members = []): string
    {
        $form = ['id' => Vectors::read('good')[0]['formId'], 'name' => 'Zoë'];
        return json_encode(['event' => $name, 'timestamp' => 5, 'form' => $form, 'new' => 1, ...$members], JSON_THROW_ON_ERROR);
    }

    /** @return array<string, string> */
    public static function headers(string $secret, string $body, int $moment): array
    {
        $signature = Webhook::signStandard($secret, 'dlv_1', $moment, $body);
        return ['webhook-id' => 'dlv_1', 'webhook-timestamp' => (string) $moment, 'webhook-signature' => $signature];
    }
}
