<?php

declare(strict_types=1);

namespace Sealpost\Tests;

use PHPUnit\Framework\TestCase;
use Sealpost\ApiError;
use Sealpost\Client;
use Sealpost\IdKind;
use Sealpost\Ids;
use Sealpost\Internal\AnswerMembers;
use Sealpost\Internal\Calls;
use Sealpost\PreparedSubmission;

/** Every method, and every answer that is not what it promises. */
final class UnexpectedAnswersTest extends TestCase
{
    public function test_every_method_refuses_json_of_another_kind(): void
    {
        foreach (['{}', 'null', '[]', '"x"', '[{}]', '7'] as $body) {
            $server = new PlayedServer(...array_fill(0, 200, PlayedServer::answer($body)));
            $calls = self::calls(new Client($server->url));
            self::assertGreaterThan(50, count($calls));
            foreach ($calls as $name => $call) {
                self::assertSame('unexpected_answer', self::codeOf($call), "$name with $body");
                $server->requests();
            }
        }
    }

    public function test_every_method_refuses_an_answer_whose_member_is_missing_or_of_another_kind(): void
    {
        $refused = array_fill(0, 200, PlayedServer::answer('{}'));
        $server = new PlayedServer(...$refused);
        $names = [];
        foreach (self::calls(new Client($server->url)) as $name => $call) {
            self::codeOf($call);
            $names[] = $name;
            $server->requests();
        }
        $operations = array_map(self::operationOf(...), $server->requests());
        self::assertSameSize($names, $operations);
        $cases = [];
        foreach ($names as $place => $name) {
            foreach (self::spoiled(self::described()[$operations[$place]] ?? []) as $title => $answer) {
                $cases[] = [$name, "$name, $title", PlayedServer::answer((object) $answer)];
            }
        }
        self::assertGreaterThan(150, count($cases));
        $playing = new PlayedServer(...array_column($cases, 2));
        $calls = self::calls(new Client($playing->url));
        foreach ($cases as [$name, $title]) {
            self::assertSame('unexpected_answer', self::codeOf($calls[$name]), $title);
            $playing->requests(); // their pipe holds few of them
        }
    }

    public function test_a_line_of_an_export_is_an_object_of_at_most_4_mib_and_reading_it_takes_linear_time(): void
    {
        $started = hrtime(true);
        foreach (['null', '[]', '"x"', '7', '{}', '{"id":"' . str_repeat('x', 1 << 23) . '"}'] as $line) {
            $server = new PlayedServer(PlayedServer::answer($line), PlayedServer::answer($line));
            $client = new Client($server->url);
            self::assertSame('unexpected_answer', self::codeOf(static fn () => $client->submissions->export('form_1')), substr($line, 0, 9));
        }
        self::assertLessThan(20e9, hrtime(true) - $started);
    }

    public function test_an_answer_without_end_is_read_to_a_bound_and_none_is_asked_for_that_is_compressed(): void
    {
        $bound = (new \ReflectionClassConstant(Calls::class, 'ANSWER_BYTES_MAX'))->getValue();
        self::assertSame(1 << 28, $bound, 'the same in every language');
        $chunks = array_fill(0, 64, str_repeat('0', 1 << 14));
        $endless = PlayedServer::chunked($chunks, '');
        $server = new PlayedServer($endless, $endless);
        $calls = new Calls($server->url, null, 5.0, 0, 0.0, static fn (float $seconds) => null, null, 1 << 16);
        foreach ([fn () => $calls->call('GET /api/forms'), fn () => $calls->data('GET /api/forms')] as $call) {
            try {
                $call();
                self::fail('an answer');
            } catch (ApiError $error) {
                self::assertStringContainsString('too large', $error->getMessage());
            }
        }
        foreach ($server->requests() as ['headers' => $headers]) {
            self::assertArrayNotHasKey('accept-encoding', $headers);
        }
    }

    /**
     * Each with the arguments that it needs, by its name. Those that give bytes, or lines that they do not look into, are left out.
     *
     * @return array<string, \Closure(): mixed>
     */
    private static function calls(Client $client): array
    {
        $calls = [];
        foreach (get_object_vars($client) as $part => $object) {
            foreach ((new \ReflectionClass($object))->getMethods(\ReflectionMethod::IS_PUBLIC) as $method) {
                $isOther = in_array($method->getName(), ['__construct', 'exportAuditLog', 'envelope', 'signedList', 'signedListNames'], true);
                if (!$isOther) {
                    $needed = array_filter($method->getParameters(), static fn (\ReflectionParameter $one): bool => !$one->isOptional());
                    $arguments = array_map(self::argumentOf(...), $needed);
                    $calls["$part->{$method->getName()}"] = static fn (): mixed => $method->invokeArgs($object, $arguments);
                }
            }
        }
        return $calls;
    }

    private static function argumentOf(\ReflectionParameter $parameter): mixed
    {
        $type = ltrim((string) $parameter->getType(), '?');
        return match ($type) {
            'string' => 'id_1',
            'int' => 1,
            'bool' => true,
            'array' => ['id_1'],
            default => new PreparedSubmission(Ids::create(IdKind::Submission), Ids::create(IdKind::Form), 1, []),
        };
    }

    private static function codeOf(\Closure $call): string
    {
        try {
            $result = $call();
            if ($result instanceof \Generator) {
                $result->current();
            }
            return 'an answer';
        } catch (ApiError $error) {
            return $error->errorCode;
        }
    }

    /** @param array{method: string, path: string} $request */
    private static function operationOf(array $request): string
    {
        $path = explode('?', $request['path'])[0];
        $found = '';
        foreach (array_keys(self::described()) as $operation) {
            $pattern = preg_replace('/\\\\\\{\\w+\\\\\\}/', '(id_1|1|form_\\w+)', preg_quote($operation, '/'));
            if ($operation === "$request[method] $path") {
                return $operation;
            }
            if (preg_match("/\\A$pattern\\z/", "$request[method] $path") === 1) {
                $found = $operation;
            }
        }
        return $found;
    }

    /** @return array<string, list<string>> */
    private static function described(): array
    {
        $described = [];
        foreach (explode("\n", AnswerMembers::TEXT) as $line) {
            $words = explode(' ', $line);
            $described["$words[0] $words[1]"] = array_slice($words, 2);
        }
        return $described;
    }

    /**
     * Answers with all but one member as it should be.
     *
     * @param list<string> $members
     * @return array<string, array<string, mixed>>
     */
    private static function spoiled(array $members): array
    {
        $values = ['null' => null, 'list' => [], 'object' => (object) [], 'string' => 'text', 'boolean' => false, 'integer' => 7];
        $outer = array_filter($members, static fn (string $member): bool => strpbrk($member, '?.[') === false);
        $whole = [];
        foreach ($outer as $member) {
            [$name, $kinds] = explode('=', $member);
            $whole[$name] = $values[explode('|', $kinds)[0]] ?? 'text';
        }
        $answers = [];
        foreach ($outer as $member) {
            [$name, $kinds] = explode('=', $member);
            $answers["$member missing"] = array_diff_key($whole, [$name => 1]);
            if ($kinds !== 'any') {
                $answers["$member of another kind"] = [...$whole, $name => str_contains($kinds, 'string') ? 7 : 'text'];
            }
        }
        return $answers;
    }
}
