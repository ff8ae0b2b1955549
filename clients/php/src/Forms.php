<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Calls;
use Sealpost\Internal\Paging;

/** The account's forms. Made by Client. */
final class Forms
{
    /** @internal */
    public function __construct(private readonly Calls $calls)
    {
    }

    /** One page, newest first. @return array{forms: list<array<string, mixed>>, total: int, nextCursor: ?string} */
    public function list(int $limit = 50, ?string $cursor = null): array
    {
        return $this->calls->call('GET /api/forms', query: ['limit' => $limit, 'cursor' => $cursor]);
    }

    /** All of them, newest first, page after page as you consume them. @return \Generator<int, array<string, mixed>> */
    public function all(): \Generator
    {
        return Paging::eachOf($this->calls, 'GET /api/forms', 'forms');
    }

    /** One form with all its settings and its `embedCode`. @return array<string, mixed> */
    public function get(string $formId): array
    {
        return $this->calls->call('GET /api/forms/{form_id}', ['form_id' => $formId])['form'];
    }

    /**
     * Creates a form. With the `$publicKey` of a pair of your own the server never sees the private key; without it the answer holds
     * the only copy of it, as `privateKey`.
     *
     * @param array<string, mixed>|null $settings any of a form's settings
     * @param array<string, string>|null $publicKey a JWK
     * @return array<string, mixed>
     */
    public function create(string $name, ?array $settings = null, ?array $publicKey = null): array
    {
        $body = self::given(['name' => $name, 'settings' => $settings, 'publicKey' => $publicKey]);
        return $this->calls->call('POST /api/forms', body: $body)['form'];
    }

    /**
     * Changes what is given and keeps the rest.
     *
     * @param array<string, mixed>|null $settings
     * @return array<string, mixed>
     */
    public function update(string $formId, ?string $name = null, ?array $settings = null): array
    {
        $body = self::given(['name' => $name, 'settings' => $settings]);
        return $this->calls->call('PATCH /api/forms/{form_id}', ['form_id' => $formId], body: $body)['form'];
    }

    /** Deletes the form and all its submissions, for good. How many submissions there were. */
    public function delete(string $formId): int
    {
        $answer = $this->calls->call('DELETE /api/forms/{form_id}', ['form_id' => $formId], ['confirm' => 'DELETE_FORM']);
        return $answer['deleted']['submissionsDeleted'];
    }

    /** Sets a legal hold, or changes it: nothing of the form is deleted before it is lifted. Needs a session token. @return array<string, mixed> */
    public function setHold(string $formId, ?string $reason = null, ?int $until = null): array
    {
        $body = ['reason' => $reason, 'until' => $until];
        return $this->calls->call('PUT /api/forms/{form_id}/hold', ['form_id' => $formId], body: $body)['hold'];
    }

    /** Lifts the form's legal hold. Needs a session token. */
    public function liftHold(string $formId): void
    {
        $this->calls->call('DELETE /api/forms/{form_id}/hold', ['form_id' => $formId]);
    }

    /**
     * Hands the form to another organization that the person owns. Needs a session token. `$webhook` is the form's webhook
     * address, the present one, to which its events continue, and `new` or `kept` for its secret; without it a form that has one
     * is refused with the code `form_hand_over_webhook`; `update` removes the address before.
     *
     * @param array{url: string, secret: 'new'|'kept'}|null $webhook
     */
    public function handOver(string $formId, string $organizationId, ?array $webhook = null): void
    {
        $body = ['organizationId' => $organizationId, ...($webhook === null ? [] : ['webhook' => $webhook])];
        $this->calls->call('POST /api/forms/{form_id}/hand-over', ['form_id' => $formId], body: $body);
    }

    /**
     * Gives the form a new key pair, as with `create`. What was sealed to an older one needs its private key.
     *
     * @param array<string, string>|null $publicKey
     * @return array<string, mixed>
     */
    public function rotateKeys(string $formId, ?array $publicKey = null): array
    {
        $body = self::given(['publicKey' => $publicKey]);
        return $this->calls->call('POST /api/forms/{form_id}/rotate-keys', ['form_id' => $formId], body: $body)['form'];
    }

    /** The public keys of all versions, newest first, whatever the order in which the service gives them. @return list<array<string, mixed>> */
    public function keys(string $formId): array
    {
        return self::newestFirst($this->calls->call('GET /api/forms/{form_id}/keys', ['form_id' => $formId])['keys']);
    }

    /**
     * Ends the key versions below `$below`: from `$at` on (`null`: without end) nothing that is sealed to them is taken.
     *
     * @return list<array<string, mixed>>
     */
    public function closeKeys(string $formId, int $below, ?int $at): array
    {
        $body = ['below' => $below, 'at' => $at];
        return self::newestFirst($this->calls->call('POST /api/forms/{form_id}/keys/close', ['form_id' => $formId], body: $body)['keys']);
    }

    /**
     * Sorted where a list comes in, so that nobody has to assume its order.
     *
     * @param list<array<string, mixed>> $keys
     * @return list<array<string, mixed>>
     */
    private static function newestFirst(array $keys): array
    {
        usort($keys, static fn (array $one, array $other): int => $other['version'] <=> $one['version']);
        return $keys;
    }

    /** The newest revision of each of the form's envelopes by their key versions, without its bytes. Needs `submissions:read`. @return list<array<string, mixed>> */
    public function envelopes(string $formId): array
    {
        $envelopes = $this->calls->call('GET /api/forms/{form_id}/envelopes', ['form_id' => $formId])['envelopes'];
        usort($envelopes, static fn (array $one, array $other): int => $one['lowestVersion'] <=> $other['lowestVersion']);
        return $envelopes;
    }

    /** The bytes of an envelope, which `age -d` opens for its readers; the newest revision, or an older one. Nobody has checked who wrote it. */
    public function envelope(string $formId, int $lowestVersion, ?int $revision = null): string
    {
        $path = ['form_id' => $formId, 'lowest_version' => (string) $lowestVersion];
        return $this->calls->data('GET /api/forms/{form_id}/envelopes/{lowest_version}', $path, ['revision' => $revision]);
    }

    /**
     * One page of the revisions of an envelope that the service has, newest first, without their bytes.
     *
     * @return array{revisions: list<array<string, mixed>>, nextCursor: ?string}
     */
    public function envelopeRevisions(string $formId, int $lowestVersion, int $limit = 50, ?string $cursor = null): array
    {
        $path = ['form_id' => $formId, 'lowest_version' => (string) $lowestVersion];
        $query = ['limit' => $limit, 'cursor' => $cursor];
        return $this->calls->call('GET /api/forms/{form_id}/envelopes/{lowest_version}/revisions', $path, $query);
    }

    /** Says that the private key of a version opened something. It is the caller's word. @return array<string, mixed> */
    public function proveKey(string $formId, int $version): array
    {
        $path = ['form_id' => $formId, 'version' => (string) $version];
        return $this->calls->call('POST /api/forms/{form_id}/keys/{version}/proved', $path)['key'];
    }

    /** After how many days the form's submissions are deleted; null when they are kept. */
    public function retention(string $formId): ?int
    {
        return $this->calls->call('GET /api/forms/{form_id}/retention', ['form_id' => $formId])['days'];
    }

    /** Deletes submissions that are older than `$days` days, now and from now on; null keeps them. */
    public function setRetention(string $formId, ?int $days): ?int
    {
        return $this->calls->call('PUT /api/forms/{form_id}/retention', ['form_id' => $formId], body: ['days' => $days])['days'];
    }

    /** Whether emails notify of the form, and whether this instance sends any. @return array{mail: bool, available: bool} */
    public function notifications(string $formId): array
    {
        return $this->calls->call('GET /api/forms/{form_id}/notifications', ['form_id' => $formId]);
    }

    /** Switches emails about the form on or off. @return array{mail: bool, available: bool} */
    public function setNotifications(string $formId, bool $mail): array
    {
        return $this->calls->call('PUT /api/forms/{form_id}/notifications', ['form_id' => $formId], body: ['mail' => $mail]);
    }

    /** Counts of what the form received. `$period`: `day`, `week`, `month` or `year`. @return array<string, mixed> */
    public function stats(string $formId, string $period = 'month'): array
    {
        return $this->calls->call('GET /api/forms/{form_id}/stats', ['form_id' => $formId], ['period' => $period]);
    }

    private static function given(array $members): array
    {
        return array_filter($members, static fn (mixed $value): bool => $value !== null);
    }
}
