<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Calls;

/**
 * The API of one instance. Every method throws an ApiError when the server refuses, and a ConnectionError when it can't be reached or
 * is silent for `$timeout` seconds. Times are milliseconds since the Unix epoch. Answers without a class are arrays as the API
 * document describes them (`/api/openapi.json`).
 */
final class Client
{
    public readonly Forms $forms;
    public readonly Submissions $submissions;
    public readonly Webhooks $webhooks;
    public readonly Account $account;
    public readonly Organizations $organizations;
    public readonly Members $members;
    public readonly Invitations $invitations;
    public readonly Sessions $sessions;

    /**
     * `$token`: an API key or a session token, or what gives one for each request. Requests over the rate limit are repeated up to
     * `$retries` times, after as many seconds as the server says, unless these are more than `$waitMax`. Reads, and submissions, which
     * have an id, are repeated after a lost connection and a 503 too. `$organization`: the id of the organization that requests are
     * meant for; the server refuses one whose session acts for another by now (403, `organization_changed`). Throws an InvalidArgumentException that shows no token.
     *
     * @param string|(\Closure(): string)|null $token
     * @param (\Closure(float): void)|null $sleep waits for some seconds; the clock's, unless given
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] string|\Closure|null $token = null,
        float $timeout = 30.0,
        int $retries = 4,
        float $waitMax = 60.0,
        ?\Closure $sleep = null,
        ?string $organization = null,
    ) {
        $sleep ??= static fn (float $seconds) => usleep((int) ($seconds * 1e6));
        $calls = new Calls($baseUrl, $token, $timeout, $retries, $waitMax, $sleep, $organization);
        $this->forms = new Forms($calls);
        $this->submissions = new Submissions($calls);
        $this->webhooks = new Webhooks($calls);
        $this->account = new Account($calls);
        $this->organizations = new Organizations($calls);
        $this->members = new Members($calls);
        $this->invitations = new Invitations($calls);
        $this->sessions = new Sessions($calls);
    }

    /** @return array<string, mixed> what var_dump shows: no token */
    public function __debugInfo(): array
    {
        return [];
    }
}
