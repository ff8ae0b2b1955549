<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Calls;
use Sealpost\Internal\Paging;

/** The account as a whole. All but `usage` needs a session token. Made by Client. */
final class Account
{
    /** @internal */
    public function __construct(private readonly Calls $calls)
    {
    }

    /** How much the account's submissions take, and may take. @return array<string, mixed> */
    public function usage(): array
    {
        return $this->calls->call('GET /api/usage')['usage'];
    }

    /** Has what the organization stores count for you, where it counts for a former owner. Needs a fresh session. */
    public function takeOverUsage(): void
    {
        $this->calls->call('POST /api/usage/take-over');
    }

    /** @return array{keys: list<array<string, mixed>>, total: int} */
    public function apiKeys(): array
    {
        return $this->calls->call('GET /api/api-keys');
    }

    /**
     * Creates a key; the answer holds its only copy. All four permissions unless fewer are named. `$forms` limits it to these forms, and
     * `$expiresAt` (ISO 8601 with a zone) ends it.
     *
     * @param list<string>|null $permissions
     * @param list<string>|null $forms
     * @return array<string, mixed>
     */
    public function createApiKey(
        string $name,
        ?array $permissions = null,
        ?array $forms = null,
        ?string $expiresAt = null,
    ): array {
        $body = ['name' => $name, 'permissions' => $permissions, 'forms' => $forms, 'expiresAt' => $expiresAt];
        return $this->calls->call('POST /api/api-keys', body: array_filter($body, static fn (mixed $value) => $value !== null));
    }

    public function revokeApiKey(string $keyId): void
    {
        $this->calls->call('DELETE /api/api-keys/{key_id}', ['key_id' => $keyId]);
    }

    /** Whether emails notify of the account's forms, and whether this instance sends any. @return array{mail: bool, available: bool, storage: bool} */
    public function notifications(): array
    {
        return $this->calls->call('GET /api/notifications');
    }

    /** @return array{mail: bool, available: bool, storage: bool} */
    public function setNotifications(bool $mail, ?bool $storage = null): array
    {
        $body = ['mail' => $mail, ...($storage === null ? [] : ['storage' => $storage])];

        return $this->calls->call('PUT /api/notifications', body: $body);
    }

    /**
     * The lines of the audit log in one streamed answer, oldest first, after the entry of this number.
     *
     * @return \Generator<int, array<string, mixed>>
     */
    public function exportAuditLog(?int $after = null): \Generator
    {
        yield from $this->calls->lines('GET /api/audit-log/export', [], ['after' => $after]);
    }

    /**
     * Removes the oldest entries, up to this one of an export whose file you keep; entries of the last 30 days stay. The answer is how many are
     * gone then.
     */
    public function shortenAuditLog(int $sequence, string $hash): int
    {
        $until = ['sequence' => $sequence, 'hash' => $hash];

        return $this->calls->call('POST /api/audit-log/shorten', body: ['until' => $until])['shortened']['count'];
    }

    /** The audit log, what was done to the account, newest first, page after page as you consume it. @return \Generator<int, array<string, mixed>> */
    public function auditLog(): \Generator
    {
        return Paging::eachOf($this->calls, 'GET /api/audit-log', 'entries');
    }
}
