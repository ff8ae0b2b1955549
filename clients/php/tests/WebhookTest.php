<?php

declare(strict_types=1);

namespace Sealpost\Tests;

use PHPUnit\Framework\TestCase;
use Sealpost\NotVerified;
use Sealpost\NotVerifiedReason;
use Sealpost\Verified;
use Sealpost\Webhook;

final class WebhookTest extends TestCase
{
    private const MOMENT = 1_704_067_200;

    /** @return array<string, array{array<string, mixed>}> */
    public static function vectors(): array
    {
        return Vectors::named('webhook-verification');
    }

    /** @dataProvider vectors */
    public function test_each_request_has_its_outcome(array $vector): void
    {
        [$id, $timestamp, $signature] = [$vector['id'] ?? '', $vector['timestamp'] ?? '', $vector['signature'] ?? ''];
        $outcome = Webhook::verifyStandard([$vector['secret']], $id, $timestamp, $signature, $vector['body'], $vector['now']);
        self::assertSame($vector['outcome'], $outcome?->value ?? 'valid');
        $headers = ['Webhook-Id' => $id, 'WEBHOOK-TIMESTAMP' => $timestamp, 'webhook-signature' => $signature];
        $result = Webhook::verify([$vector['secret']], array_filter($headers, strlen(...)), $vector['body'], $vector['now']);
        if ($vector['outcome'] === 'valid') {
            self::assertEquals(new Verified($id, (int) $timestamp * 1000, $vector['body']), $result);
        } else {
            self::assertInstanceOf(NotVerified::class, $result);
            self::assertContains($result->reason->value, [$vector['outcome'], 'missing_header']);
        }
    }

    public function test_signatures_are_those_of_the_vectors(): void
    {
        $vectors = Vectors::read('webhook-signatures');
        foreach ($vectors['service'] as ['secret' => $secret, 'body' => $body, 'signature' => $signature]) {
            self::assertSame($signature, Webhook::signService($secret, $body));
            self::assertTrue(Webhook::verifyService(['other', $secret], $body, $signature));
        }
        foreach ($vectors['standard'] as $vector) {
            $made = Webhook::signStandard($vector['secret'], $vector['id'], $vector['timestamp'], $vector['body']);
            self::assertSame($vector['signature'], $made);
        }
    }

    public function test_what_the_vectors_refuse_is_refused(): void
    {
        $vectors = Vectors::read('webhook-signatures');
        foreach ($vectors['refusedService'] as $vector) {
            self::assertFalse(Webhook::verifyService([$vector['secret']], $vector['body'], $vector['signature']), $vector['name']);
        }
        self::assertFalse(Webhook::verifyService([''], '', Webhook::signService('', '')));
        foreach ($vectors['refusedStandard'] as $vector) {
            $given = [$vector['id'] ?? '', (string) ($vector['timestamp'] ?? ''), $vector['signature'] ?? ''];
            self::assertNotNull(Webhook::verifyStandard([$vector['secret']], ...$given, body: $vector['body'], now: self::MOMENT), $vector['name']);
        }
    }

    public function test_headers_are_found_as_any_framework_holds_them(): void
    {
        [$secrets, $headers] = self::signed('{}');
        $lists = array_map(static fn (string $value): array => [$value], $headers);
        $pairs = static fn (): \Generator => yield from $headers;
        foreach ([$headers, $lists, array_change_key_case($headers, CASE_UPPER), new \ArrayObject($headers), $pairs()] as $shape) {
            self::assertTrue(Webhook::verify($secrets, $shape, '{}', self::MOMENT)->verified);
        }
        foreach (['webhook-id', 'webhook-timestamp'] as $name) {
            $doubled = Webhook::verify($secrets, [...$lists, $name => [$headers[$name], $headers[$name]]], '{}', self::MOMENT);
            self::assertTrue($doubled instanceof NotVerified && $doubled->reason === NotVerifiedReason::InvalidSignature);
        }
    }

    public function test_whatever_a_stranger_sends_is_an_answer(): void
    {
        [$secrets, $headers] = self::signed('{}');
        $late = Webhook::verify($secrets, $headers, '{}', NAN);
        self::assertTrue($late instanceof NotVerified && $late->reason === NotVerifiedReason::TimestampOutOfTolerance);
        $changes = [
            ['webhook-id' => "\xff"], ['webhook-timestamp' => '١٧٠٤٠٦٧٢٠٠'], ['webhook-timestamp' => self::MOMENT . "\n"],
            ['webhook-signature' => 'v1,é'], ['webhook-signature' => [[], null]], ['webhook-id' => [[]]], ['webhook-id' => null],
        ];
        foreach ($changes as $change) {
            self::assertFalse(Webhook::verify($secrets, [...$headers, ...$change], '{}', self::MOMENT)->verified);
        }
        self::assertFalse(Webhook::verify($secrets, [], '')->verified);
        self::assertFalse(Webhook::verify([], $headers, '{}', self::MOMENT)->verified);
        foreach (str_split("\0\1\xff") as $byte) {
            self::assertFalse(Webhook::verify($secrets, $headers, '{}' . $byte, self::MOMENT)->verified);
        }
    }

    /** @return array{list<string>, array<string, string>} */
    private static function signed(string $body): array
    {
        $secret = Webhook::createSecret();
        return [[Webhook::createSecret(), $secret], [
            'webhook-id' => 'dlv_1',
            'webhook-timestamp' => (string) self::MOMENT,
            'webhook-signature' => Webhook::signStandard($secret, 'dlv_1', self::MOMENT, $body),
        ]];
    }
}
