<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Calls;

/** The organizations of the person who asks. A session acts for one of them. Needs a session token. Made by Client. */
final class Organizations
{
    /** @internal */
    public function __construct(private readonly Calls $calls)
    {
    }

    /** @return array{organizations: list<array<string, mixed>>, total: int, canCreate: bool, secondFactor: bool, lacksSecondFactor: bool, deletionsHeldBackUntil?: int} */
    public function list(): array
    {
        return $this->calls->call('GET /api/organizations');
    }

    /** Makes another one. The session still acts for the one before. @return array<string, mixed> */
    public function create(string $name): array
    {
        return $this->calls->call('POST /api/organizations', body: ['name' => $name])['organization'];
    }

    /** From the answer on the session, with its tokens, acts for this organization. @return array<string, mixed> */
    public function switchTo(string $organizationId): array
    {
        $path = ['organization_id' => $organizationId];
        return $this->calls->call('POST /api/organizations/{organization_id}/switch', $path)['organization'];
    }

    /** Renames the one that the session acts for. @return array<string, mixed> */
    public function rename(string $name): array
    {
        return $this->calls->call('PATCH /api/organization', body: ['name' => $name])['organization'];
    }

    /** Requires a second factor of all members, from this time (milliseconds since 1970) on; null ends it. */
    public function requireSecondFactor(?int $requiredFrom): ?int
    {
        return $this->calls->call('PUT /api/organization/second-factor', body: ['requiredFrom' => $requiredFrom])['requiredFrom'];
    }

    /** Whether it takes envelopes only while its signed list of members has a recovery key. */
    public function requireRecovery(bool $required): bool
    {
        return $this->calls->call('PUT /api/organization/recovery', body: ['requireRecovery' => $required])['requireRecovery'];
    }

    /** Deletes the one that the session acts for, after 30 days: the answer is when, in milliseconds. */
    public function delete(): int
    {
        $answer = $this->calls->call('POST /api/organization/deletion', query: ['confirm' => 'DELETE_ORGANIZATION']);
        return $answer['deletedAt'] ?? throw new ApiError("The server's answer does not say when the organization is deleted", 200);
    }

    /** Keeps it after all. */
    public function keep(): void
    {
        $this->calls->call('DELETE /api/organization/deletion');
    }
}
