<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Calls;
use Sealpost\Internal\Paging;

/** Webhook secrets and deliveries of forms. Made by Client. */
final class Webhooks
{
    private const TEST_TIMEOUT_SECONDS = 60.0;

    /** @internal */
    public function __construct(private readonly Calls $calls)
    {
    }

    /** The current secret, and until when earlier ones stay valid. @return array<string, mixed> `secret`, and times */
    public function secret(string $formId): array
    {
        return $this->calls->call('GET /api/forms/{form_id}/webhook-secret', ['form_id' => $formId]);
    }

    /** A new secret. Earlier ones stay valid for 24 hours unless `$revokePrevious` ends them at once. @return array<string, mixed> */
    public function rotateSecret(string $formId, bool $revokePrevious = false): array
    {
        $body = ['revokePrevious' => $revokePrevious];
        return $this->calls->call('POST /api/forms/{form_id}/webhook-secret/rotate', ['form_id' => $formId], body: $body);
    }

    /** Sends a test event now and tells how it went. The server gives the receiver 30 seconds. @return array<string, mixed> */
    public function test(string $formId): array
    {
        $operation = 'POST /api/forms/{form_id}/webhook/test';
        return $this->calls->call($operation, ['form_id' => $formId], timeout: self::TEST_TIMEOUT_SECONDS)['delivery'];
    }

    /**
     * One page of deliveries, newest first. `$status`: `success` or `failed`.
     *
     * @return array{logs: list<array<string, mixed>>, nextCursor: ?string}
     */
    public function logs(string $formId, int $limit = 50, ?string $cursor = null, ?string $status = null): array
    {
        $query = ['limit' => $limit, 'cursor' => $cursor, 'status' => $status];
        return $this->calls->call('GET /api/forms/{form_id}/webhook/logs', ['form_id' => $formId], $query);
    }

    /** All logged deliveries, newest first, page after page as you consume them. @return \Generator<int, array<string, mixed>> */
    public function allLogs(string $formId, ?string $status = null): \Generator
    {
        $operation = 'GET /api/forms/{form_id}/webhook/logs';
        return Paging::eachOf($this->calls, $operation, 'logs', ['form_id' => $formId], ['status' => $status]);
    }

    /** One delivery with its attempts and the body that was sent. @return array<string, mixed> */
    public function log(string $formId, string $deliveryId): array
    {
        $path = ['form_id' => $formId, 'delivery_id' => $deliveryId];
        return $this->calls->call('GET /api/forms/{form_id}/webhook/logs/{delivery_id}', $path)['log'];
    }

    /** Sends the same body again, as a new delivery, whose id is returned. */
    public function resend(string $formId, string $deliveryId): string
    {
        $path = ['form_id' => $formId, 'delivery_id' => $deliveryId];
        return $this->calls->call('POST /api/forms/{form_id}/webhook/logs/{delivery_id}/resend', $path)['delivery']['id'];
    }
}
