<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Calls;

/** The members of the organization that the session acts for. Needs a session token. Made by Client. */
final class Members
{
    /** @internal */
    public function __construct(private readonly Calls $calls)
    {
    }

    /** The oldest first. @return array{members: list<array<string, mixed>>, total: int} */
    public function list(): array
    {
        return $this->calls->call('GET /api/members');
    }

    /** The bytes of the organization's signed list, which nobody has checked yet. An API key with `submissions:read` is enough. */
    public function signedList(): string
    {
        return $this->calls->data('GET /api/member-list');
    }

    /** The file of names next to the signed list, which proves the names that the list commits to. Ask for it after the list. */
    public function signedListNames(): string
    {
        return $this->calls->data('GET /api/member-list/names');
    }

    /**
     * Gives a member another role, or other forms: these are ids, for readers and developers alone.
     *
     * @param list<string>|null $forms
     * @return array<string, mixed>
     */
    public function change(string $memberId, ?string $role = null, ?array $forms = null): array
    {
        $body = array_filter(['role' => $role, 'forms' => $forms], static fn ($value) => $value !== null);
        return $this->calls->call('PATCH /api/members/{member_id}', ['member_id' => $memberId], body: $body)['member'];
    }

    /** Their sessions act for the organization no longer, and the API keys that they made are revoked. */
    public function remove(string $memberId): void
    {
        $this->calls->call('DELETE /api/members/{member_id}', ['member_id' => $memberId]);
    }

    /** Ends the membership of the person who asks. */
    public function leave(): void
    {
        $this->calls->call('POST /api/members/leave');
    }
}
