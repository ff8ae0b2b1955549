<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Calls;

/** Where the person who asks is signed in. Needs a session token. Made by Client. */
final class Sessions
{
    /** @internal */
    public function __construct(private readonly Calls $calls)
    {
    }

    /** The newest first, with a coarse name of the browser. @return array{sessions: list<array<string, mixed>>, total: int} */
    public function list(): array
    {
        return $this->calls->call('GET /api/sessions');
    }

    /** It and its tokens are refused from the next request on. */
    public function end(string $sessionId): void
    {
        $this->calls->call('DELETE /api/sessions/{session_id}', ['session_id' => $sessionId]);
    }

    /** Ends all but the one that asks: the answer is how many there were. */
    public function endOthers(): int
    {
        return $this->calls->call('POST /api/sessions/end-others')['ended'];
    }
}
