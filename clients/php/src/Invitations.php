<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Calls;

/** Invitations to the organization that the session acts for, and accepting one. Needs a session token. Made by Client. */
final class Invitations
{
    /** @internal */
    public function __construct(private readonly Calls $calls)
    {
    }

    /** The open ones, newest first, without their links. @return array{invitations: list<array<string, mixed>>, total: int} */
    public function list(): array
    {
        return $this->calls->call('GET /api/invitations');
    }

    /**
     * Invites an address. `url` of the answer is the only copy of the link. `$forms` are ids, for readers and developers alone.
     *
     * @param list<string>|null $forms
     * @return array{invitation: array<string, mixed>, url: string, mailed: bool}
     */
    public function create(string $email, string $role, ?array $forms = null): array
    {
        $body = ['email' => $email, 'role' => $role];
        return $this->calls->call('POST /api/invitations', body: $forms === null ? $body : [...$body, 'forms' => $forms]);
    }

    /** Takes one back. */
    public function revoke(string $invitationId): void
    {
        $this->calls->call('DELETE /api/invitations/{invitation_id}', ['invitation_id' => $invitationId]);
    }

    /** The id of the organization that the person belongs to now. `$token` is the part of the link after the #. */
    public function accept(#[\SensitiveParameter] string $token): string
    {
        return $this->calls->call('POST /api/invitations/accept', body: ['token' => $token])['organizationId'];
    }
}
