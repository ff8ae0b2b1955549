<?php

declare(strict_types=1);

namespace Sealpost\Tests;

use PHPUnit\Framework\TestCase;
use Sealpost\ApiError;
use Sealpost\Client;
use Sealpost\ConnectionError;
use Sealpost\IdKind;
use Sealpost\Ids;
use Sealpost\PreparedSubmission;
use Sealpost\Submission;

final class ClientTest extends TestCase
{
    private const FORM = 'form_01hk153x00e5rbcwg8rxcnh8w4';
    private const LIST = ['forms' => [], 'total' => 0, 'nextCursor' => null];

    /** @var list<float> */
    private array $pauses = [];

    /** @var list<PlayedServer> alive until the test ends */
    private array $servers = [];

    protected function tearDown(): void
    {
        $this->servers = [];
    }

    public function test_a_request_over_the_limit_waits_as_long_as_the_server_says_whatever_it_is(): void
    {
        $limited = PlayedServer::answer(['error' => 'rate_limited', 'message' => 'Slow', 'retryAfter' => 7], 429, ['Retry-After' => 7]);
        $server = new PlayedServer($limited, $limited, PlayedServer::answer(['form' => ['id' => 'x']], 201));
        self::assertSame(['id' => 'x'], $this->client($server)->forms->create('Zoë'));
        self::assertSame([7.0, 7.0], $this->pauses);
        self::assertSame(array_fill(0, 3, '{"name":"Zoë"}'), array_column($server->requests(), 'body'));
        self::assertSame('application/json', $server->requests()[0]['headers']['content-type']);
    }

    public function test_a_key_is_limited_and_ends_as_asked_and_sessions_are_listed_and_ended(): void
    {
        $key = PlayedServer::answer(['key' => ['id' => 'key_1'], 'warning' => '', 'warningCode' => '']);
        $sessions = PlayedServer::answer(['sessions' => [['id' => 's1', 'current' => true]], 'total' => 1]);
        $server = new PlayedServer($key, $key, $sessions, PlayedServer::answer(['success' => true]), PlayedServer::answer(['ended' => 2]));
        $client = $this->client($server);
        $client->account->createApiKey('One', forms: [self::FORM], expiresAt: '2027-01-01T00:00:00Z');
        $client->account->createApiKey('All');
        self::assertTrue($client->sessions->list()['sessions'][0]['current']);
        $client->sessions->end('s1');
        self::assertSame(2, $client->sessions->endOthers());
        $bodies = array_map(static fn (array $request) => json_decode($request['body'], true), array_slice($server->requests(), 0, 2));
        self::assertSame(['name' => 'One', 'forms' => [self::FORM], 'expiresAt' => '2027-01-01T00:00:00Z'], $bodies[0]);
        self::assertSame(['name' => 'All'], $bodies[1]);
    }

    public function test_keys_are_newest_first_and_envelopes_by_version_in_whatever_order_they_come(): void
    {
        foreach ([[1, 2], [2, 1], [1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] as $versions) {
            $keys = PlayedServer::answer(['keys' => array_map(static fn (int $version): array => ['version' => $version], $versions)]);
            $envelopes = array_map(static fn (int $version): array => ['lowestVersion' => $version], $versions);
            $server = $this->servers[] = new PlayedServer($keys, $keys, PlayedServer::answer(['envelopes' => $envelopes, 'removals' => [], 'restorableUntil' => null]));
            $forms = $this->client($server)->forms;
            $newestFirst = range(count($versions), 1);
            self::assertSame($newestFirst, array_column($forms->keys(self::FORM), 'version'));
            self::assertSame($newestFirst, array_column($forms->closeKeys(self::FORM, 2, null), 'version'));
            self::assertSame(range(1, count($versions)), array_column($forms->envelopes(self::FORM), 'lowestVersion'));
        }
    }

    public function test_a_wait_that_is_too_long_and_the_last_attempt_throw(): void
    {
        $late = PlayedServer::answer(['error' => 'unavailable', 'message' => 'Full', 'code' => 'quota_reached'], 503, ['Retry-After' => 3600]);
        $error = self::errorOf(fn () => $this->client(new PlayedServer($late))->forms->list());
        self::assertInstanceOf(ApiError::class, $error);
        self::assertSame(['unavailable', 'quota_reached', 3600], [$error->errorCode, $error->reason, $error->retryAfter]);
        $server = new PlayedServer('', '', '', '', '');
        self::assertInstanceOf(ConnectionError::class, self::errorOf(fn () => $this->client($server)->forms->list()));
        self::assertCount(4, $server->requests());
        self::assertCount(3, $this->pauses);
        self::assertGreaterThanOrEqual(0.5, min($this->pauses));
        self::assertLessThanOrEqual(10, max($this->pauses));
    }

    /** @return iterable<string, array{string}> */
    public static function lostAnswers(): iterable
    {
        yield 'none' => [''];
        yield 'no part of the body' => [PlayedServer::answer('', 503)];
        yield 'shorter than announced' => [PlayedServer::answer('{"forms": []}', announced: 5)];
        yield 'a chunk without an end' => [PlayedServer::chunked(['{"forms": []}'], end: '')];
        yield 'a chunk that ends early' => [PlayedServer::chunked([], end: "ff\r\n{}")];
        yield 'no end of the last chunk' => [PlayedServer::chunked(['{}'], end: "0\r\n")];
        yield 'not chunks' => [PlayedServer::chunked([], end: "{}\r\n")];
    }

    /** @dataProvider lostAnswers */
    public function test_only_requests_that_can_be_repeated_are_repeated_after_a_lost_connection(string $lost): void
    {
        $good = ['days' => 1, 'form' => [], 'deleted' => ['submissionsDeleted' => 1], ...self::LIST];
        $operations = [
            [2, static fn (Client $client) => $client->forms->list()],
            [2, static fn (Client $client) => $client->forms->setRetention(self::FORM, 1)],
            [1, static fn (Client $client) => $client->forms->create('x')],
            [1, static fn (Client $client) => $client->forms->delete(self::FORM)],
        ];
        foreach ($operations as [$count, $call]) {
            $server = new PlayedServer($lost, PlayedServer::answer($good));
            $error = self::errorOf(fn () => $call($this->client($server)));
            self::assertSame($count === 1, $error !== null, (string) $error);
            self::assertCount($count, $server->requests());
        }
    }

    public function test_an_answer_in_chunks_is_read_whole(): void
    {
        $chunks = str_split((string) json_encode(self::LIST), 3);
        foreach (["0\r\n\r\n", "0\r\nTrailer: x\r\n\r\n", "00000000; extension\r\n\r\n"] as $end) {
            self::assertSame(self::LIST, $this->client(new PlayedServer(PlayedServer::chunked($chunks, $end)))->forms->list());
        }
    }

    public function test_a_submission_is_sent_again_with_the_same_bytes(): void
    {
        $id = Ids::create(IdKind::Submission);
        $accepted = ['success' => true, 'submission' => ['id' => $id, 'timestamp' => 1, 'receivedAt' => 2]];
        $server = new PlayedServer('', PlayedServer::answer($accepted, 201));
        $client = new Client($server->url, sleep: static fn () => null);
        self::assertSame(2, $client->submissions->send(new PreparedSubmission($id, self::FORM, 1, ['encrypted' => true]))->receivedAt);
        [$first, $second] = $server->requests();
        self::assertSame($first['body'], $second['body']);
        self::assertSame($id, json_decode($first['body'])->id);
        self::assertArrayNotHasKey('authorization', $first['headers']);
    }

    public function test_nothing_is_sealed_to_another_key_than_the_expected_one(): void
    {
        $form = ['id' => self::FORM, 'publicKey' => Vectors::key('second')['publicKey'], 'keyVersion' => 1];
        $client = $this->client(new PlayedServer(PlayedServer::answer(['form' => $form])));
        $this->expectException(\InvalidArgumentException::class);
        $this->expectExceptionMessage('another key');
        $client->submissions->prepare(self::FORM, [], Vectors::key('first')['fingerprint']);
    }

    public function test_a_redirect_is_not_followed(): void
    {
        $other = new PlayedServer(PlayedServer::answer(self::LIST));
        $server = new PlayedServer(PlayedServer::answer([], 302, ['Location' => $other->url]));
        $error = self::errorOf(fn () => $this->client($server)->forms->list());
        self::assertTrue($error instanceof ApiError && $error->status === 302 && $error->errorCode === 'unexpected_answer');
        self::assertSame([], $other->requests());
        self::assertSame('Bearer sp_secret', $server->requests()[0]['headers']['authorization']);
    }

    public function test_pages_are_fetched_while_they_are_consumed(): void
    {
        $page = ['submissions' => [self::submission(1), self::submission(2)], 'total' => 3, 'nextCursor' => 'a b'];
        $last = ['submissions' => [self::submission(3)], 'total' => 3, 'nextCursor' => null];
        $server = new PlayedServer(PlayedServer::answer($page), PlayedServer::answer($last));
        $found = $this->client($server)->submissions->all(self::FORM, start: 5);
        self::assertSame([], $server->requests());
        self::assertSame(1, $found->current()->receivedAt);
        self::assertCount(1, $server->requests());
        $times = array_map(static fn (Submission $each): int => $each->receivedAt, iterator_to_array($found));
        self::assertSame([1, 2, 3], $times);
        $path = '/api/forms/' . self::FORM . '/submissions?limit=100';
        self::assertSame(["$path&from=5", "$path&cursor=a%20b&from=5"], array_column($server->requests(), 'path'));
    }

    public function test_a_list_without_an_end_and_an_answer_of_something_else_are_errors(): void
    {
        $circle = PlayedServer::answer([...self::LIST, 'nextCursor' => 'again']);
        $error = self::errorOf(fn () => iterator_to_array($this->client(new PlayedServer($circle, $circle))->forms->all()));
        self::assertStringContainsString('no end', (string) $error?->getMessage());
        foreach (['<html>', '[]', '', '{}', '{"submissions": [{}], "total": 1, "nextCursor": null}'] as $body) {
            $client = $this->client(new PlayedServer(PlayedServer::answer($body)));
            $error = self::errorOf(fn () => $client->submissions->list(self::FORM));
            self::assertTrue($error instanceof ApiError && $error->errorCode === 'unexpected_answer', $body);
        }
    }

    public function test_an_export_that_ends_early_throws(): void
    {
        $lines = implode('', array_map(static fn (int $place): string => json_encode(self::submission($place)) . "\n", [1, 2, 3]));
        $nothing = PlayedServer::answer('');
        $count = fn (string $answer): int => iterator_count($this->client(new PlayedServer($answer, $nothing))->submissions->export(self::FORM));
        self::assertSame(3, $count(PlayedServer::answer($lines)));
        self::assertSame(3, $count(PlayedServer::chunked(str_split($lines, 100))));
        self::assertInstanceOf(ApiError::class, self::errorOf(fn () => $count(PlayedServer::answer(substr($lines, 0, -40)))));
        foreach ([PlayedServer::answer($lines, announced: 9), PlayedServer::chunked([$lines], end: '')] as $cut) {
            self::assertInstanceOf(ConnectionError::class, self::errorOf(fn () => $count($cut)));
        }
    }

    public function test_an_export_that_a_proxy_ends_at_the_end_of_a_line_is_whole(): void
    {
        $submissions = array_map(self::submission(...), [1, 2, 3]);
        foreach ([[['Sealpost-Last-Submission' => $submissions[2]['id']], 3], [[], 4]] as [$headers, $asked]) {
            $toAnswer = static fn (array $one): string => PlayedServer::answer(json_encode($one) . "\n", headers: $headers);
            $server = new PlayedServer(...[...array_map($toAnswer, $submissions), PlayedServer::answer('')]);
            $found = iterator_to_array($this->client($server)->submissions->export(self::FORM, end: 5));
            self::assertSame([1, 2, 3], array_map(static fn (Submission $one): int => $one->receivedAt, $found));
            $queries = array_map(static fn (array $request): string => (string) parse_url($request['path'], PHP_URL_QUERY), $server->requests());
            $following = array_map(static fn (array $one): string => "to=5&after={$one['id']}", $submissions);
            self::assertSame(array_slice(['to=5', ...$following], 0, $asked), $queries);
        }
        $named = ['Sealpost-Last-Submission' => $submissions[0]['id']];
        $whole = PlayedServer::answer(json_encode($submissions[0]) . "\n", headers: $named);
        $cut = PlayedServer::answer('', headers: $named);
        $count = fn (string ...$answers): int => iterator_count($this->client(new PlayedServer(...$answers))->submissions->export(self::FORM));
        self::assertSame([1, 1, 0], [$count($whole), $count($cut, $whole), $count($cut, PlayedServer::answer(''))]);
        self::assertInstanceOf(ApiError::class, self::errorOf(fn () => $count($cut, $cut)));
        $again = PlayedServer::answer(json_encode($submissions[0]) . "\n");
        $error = self::errorOf(fn () => iterator_count($this->client(new PlayedServer($again, $again))->submissions->export(self::FORM)));
        self::assertInstanceOf(ApiError::class, $error);
    }

    public function test_a_server_that_is_absent_is_a_connection_error(): void
    {
        $server = new PlayedServer();
        $url = $server->url;
        unset($server);
        $error = self::errorOf(fn () => (new Client($url, 'sp_secret', retries: 0))->forms->list());
        self::assertInstanceOf(ConnectionError::class, $error);
        self::assertStringNotContainsString('sp_secret', (string) $error);
    }

    public function test_an_id_that_would_reach_another_resource_is_not_sent(): void
    {
        $server = new PlayedServer();
        foreach (['', '..', 'a/b', 'x?y', 'é', "x\n", "\xff"] as $wrong) {
            $error = self::errorOf(fn () => $this->client($server)->submissions->delete(self::FORM, $wrong));
            self::assertStringStartsWith('Not an id', (string) $error?->getMessage());
        }
        self::assertSame([], $server->requests());
    }

    public function test_an_address_or_a_token_that_cannot_be_used_is_reported_at_once_and_no_token_is_shown(): void
    {
        $wrong = ['', 'forms.example.org', 'ftp://x', 'https://a:b@x', 'https://x?y', 'https://x#y', "https://x\n", 'https:///x', 'file:///etc/passwd'];
        foreach ($wrong as $address) {
            self::assertStringContainsString('baseUrl must be', (string) self::errorOf(fn () => new Client($address))?->getMessage());
        }
        $error = self::errorOf(fn () => new Client('https://forms.example.org', "sp_secret\n"));
        self::assertStringNotContainsString('secret', (string) $error?->getMessage());
        self::assertStringNotContainsString('sp_secret', print_r(new Client('https://forms.example.org/', 'sp_secret'), true));
    }

    public function test_errors_have_the_members_of_either_shape(): void
    {
        $body = '{"error": "bad_request", "message": "Invalid request", "code": "invalid_request", "details": {"name": "No", "x": 1}}';
        $error = ApiError::parse(400, ['x-request-id' => 'r1'], $body, 0);
        self::assertSame(['bad_request', 'invalid_request', ['name' => 'No'], 'r1'], [$error->errorCode, $error->reason, $error->details, $error->requestId]);
        $sentence = ApiError::parse(429, ['retry-after' => '3'], '{"error": "Too many requests."}', 0);
        self::assertSame(['Too many requests.', 'rate_limited', 3], [$sentence->getMessage(), $sentence->errorCode, $sentence->retryAfter]);
        self::assertSame(60, ApiError::parse(503, ['retry-after' => 'Thu, 01 Jan 1970 00:01:40 GMT'], '', 40)->retryAfter);
        foreach (['soon', '-1', 'NaN', '', str_repeat('9', 400)] as $odd) {
            self::assertNull(ApiError::parse(503, ['retry-after' => $odd], str_repeat('[', 5000), 0)->retryAfter);
        }
    }

    private function client(PlayedServer $server): Client
    {
        $this->servers[] = $server;
        $sleep = function (float $seconds): void {
            $this->pauses[] = $seconds;
        };
        return new Client($server->url, 'sp_secret', retries: 3, sleep: $sleep);
    }

    /** @return array<string, mixed> */
    private static function submission(int $place): array
    {
        $payload = ['encrypted' => true, 'version' => 'sp1', 'data' => '', 'key' => '', 'iv' => ''];
        $members = ['id' => Ids::create(IdKind::Submission), 'formId' => self::FORM, 'payload' => $payload, 'keyVersion' => 1];
        return [...$members, 'timestamp' => $place, 'receivedAt' => $place];
    }

    private static function errorOf(\Closure $call): ?\Throwable
    {
        try {
            $call();
        } catch (ApiError | ConnectionError | \InvalidArgumentException $error) {
            return $error;
        }
        return null;
    }
}
