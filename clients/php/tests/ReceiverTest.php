<?php

declare(strict_types=1);

namespace Sealpost\Tests;

use PHPUnit\Framework\TestCase;
use Sealpost\Event\FormKeysRotated;
use Sealpost\Event\FormUpdated;
use Sealpost\Event\SubmissionCreated;
use Sealpost\Event\SubmissionDeleted;
use Sealpost\Event\UnknownEvent;
use Sealpost\IdKind;
use Sealpost\Ids;
use Sealpost\NotOpened;
use Sealpost\NotOpenedReason;
use Sealpost\NotVerified;
use Sealpost\NotVerifiedReason;
use Sealpost\Opened;
use Sealpost\OpeningKey;
use Sealpost\Received;
use Sealpost\Receiver;
use Sealpost\Webhook;

final class ReceiverTest extends TestCase
{
    private const MOMENT = 1_704_067_200;

    public function test_a_sealed_submission_arrives_opened(): void
    {
        $result = self::received(Events::body('submission.created', ['submission' => Events::sealed()]));
        self::assertEquals(new Opened(json_decode($plaintext = Vectors::read('good')[0]['plaintext'], true), text: $plaintext), $result->opened);
        self::assertInstanceOf(SubmissionCreated::class, $result->event);
        self::assertSame([2, 'Zoë', false], [$result->event->submission->receivedAt, $result->event->form->name, $result->event->test]);
        $without = self::received(Events::body('submission.created', ['submission' => Events::sealed()]), withKeys: false);
        self::assertTrue($without->opened instanceof NotOpened && $without->opened->reason === NotOpenedReason::NoKey);
    }

    public function test_a_submission_in_sp2_is_refused_with_what_opens_it(): void
    {
        $payload = [...Events::sealed()['payload'], 'version' => 'sp2'];
        $result = self::received(Events::body('submission.created', ['submission' => [...Events::sealed(), 'payload' => $payload]]));
        self::assertInstanceOf(NotOpened::class, $result->opened);
        self::assertSame(NotOpenedReason::UnknownVersion, $result->opened->reason);
        self::assertMatchesRegularExpression('/sp1 only.*Python and Go open sp2/', $result->opened->message);
    }

    public function test_a_submission_that_nobody_sealed_is_only_taken_by_who_expects_it(): void
    {
        $plain = [...Events::sealed(), 'payload' => ['encrypted' => false, 'version' => 'plain1', 'fields' => ['a' => 1]]];
        $body = Events::body('submission.created', ['submission' => $plain]);
        $refused = self::received($body)->opened;
        self::assertTrue($refused instanceof NotOpened && $refused->reason === NotOpenedReason::NotSealed);
        self::assertEquals(new Opened(['a' => 1], sealed: false, text: '{"a":1}'), self::received($body, withKeys: false)->opened);
        self::assertEquals(new Opened(['a' => 1], sealed: false, text: '{"a":1}'), self::received($body, acceptPlain: true)->opened);
        self::assertInstanceOf(NotOpened::class, self::received($body, withKeys: false, acceptPlain: false)->opened);
    }

    public function test_fields_that_nobody_sealed_keep_their_digits_and_their_empty_objects(): void
    {
        $plain = [...Events::sealed(), 'payload' => ['encrypted' => false, 'version' => 'plain1', 'fields' => ['x' => 1]]];
        $text = '{"a":{},"b":[],"c":1e999,"d":0.10,"1":[{"e":{}},9223372036854775808]}';
        $body = str_replace('{"x":1}', $text, Events::body('submission.created', ['submission' => $plain]));
        $opened = self::received($body, withKeys: false)->opened;
        self::assertTrue($opened instanceof Opened && $opened->fields['a'] === [] && $opened->fields['c'] === INF);
        self::assertSame($text, $opened->text);
    }

    /** @return array<string, array{array<string, mixed>}> */
    public static function receivers(): array
    {
        return Vectors::named('webhook-receivers');
    }

    /** @dataProvider receivers */
    public function test_a_secret_speaks_for_its_own_form_alone_as_its_vector_says(array $vector): void
    {
        $headers = (static function () use ($vector): iterable { // such as can be read once
            yield from ['webhook-id' => $vector['id'], 'webhook-timestamp' => $vector['timestamp']];
            yield 'webhook-signature' => $vector['signature'];
        })();
        $receiver = new Receiver($vector['secrets'], [], clock: static fn (): int => $vector['now']);
        $result = $receiver->receive($headers, $vector['body']);
        self::assertSame($vector['outcome'], $result instanceof NotVerified ? $result->reason->value : 'received');
    }

    public function test_every_other_event_has_its_class(): void
    {
        $deleted = self::received(Events::body('submission.deleted', ['submission' => ['id' => 'sub_x'], 'test' => true]))->event;
        self::assertTrue($deleted instanceof SubmissionDeleted && $deleted->submissionId === 'sub_x' && $deleted->test);
        $updated = self::received(Events::body('form.updated', ['changes' => ['settings' => ['binDays' => 3]]]))->event;
        self::assertTrue($updated instanceof FormUpdated && $updated->settings === ['binDays' => 3] && $updated->name === null);
        $keys = ['keyVersion' => 2, 'previousKeyVersion' => 1, 'publicKey' => ['kty' => 'RSA'], 'rotatedAt' => 9];
        $rotated = self::received(Events::body('form.keys_rotated', ['keys' => $keys]))->event;
        self::assertTrue($rotated instanceof FormKeysRotated && $rotated->keyVersion === 2 && $rotated->hybridPublicKey === null);
        $hybrid = self::received(Events::body('form.keys_rotated', ['keys' => [...$keys, 'hybridPublicKey' => ['kty' => 'AKP']]]))->event;
        self::assertTrue($hybrid instanceof FormKeysRotated && $hybrid->hybridPublicKey === ['kty' => 'AKP']);
        $unknown = self::received('{"event": "file.created", "more": 1}')->event;
        self::assertTrue($unknown instanceof UnknownEvent && $unknown->name === 'file.created' && $unknown->body['more'] === 1);
    }

    /** @return iterable<int, array{string}> */
    public static function malformed(): iterable
    {
        $sealed = Events::sealed();
        $created = static fn (array $change): string => Events::body('submission.created', ['submission' => [...$sealed, ...$change]]);
        yield from array_map(static fn (string $body): array => [$body], [
            '', "\xff", '[]', '{}', '"x"', str_repeat('[', 100_000), str_repeat('{"a":', 100_000), '{"event": ""}', '{"event": 1}',
            '{"event": "submission.created"}', Events::body('submission.created'),
            $created(['keyVersion' => true]), $created(['keyVersion' => 0]), $created(['payload' => []]), $created(['id' => 1]),
            $created(['payload' => [...$sealed['payload'], 'data' => 1]]), $created(['receivedAt' => 1.5]),
            Events::body('submission.deleted', ['submission' => []]), Events::body('form.updated', ['changes' => 'x']),
            Events::body('form.updated', ['changes' => ['name' => 1]]), Events::body('form.keys_rotated', ['keys' => []]),
            Events::body('form.updated', ['changes' => [], 'form' => ['id' => 1, 'name' => '']]),
            Events::body('submission.created', ['submission' => $sealed, 'form' => 'x']),
        ]);
    }

    /** @dataProvider malformed */
    public function test_a_signed_body_that_is_not_an_event_is_malformed(string $body): void
    {
        $result = self::receive($body);
        self::assertTrue($result instanceof NotVerified && $result->reason === NotVerifiedReason::MalformedBody);
    }

    public function test_a_receiver_that_could_not_do_its_work_is_not_made_and_no_secret_is_shown(): void
    {
        $secret = Webhook::createSecret();
        [$form, $other] = [Ids::create(IdKind::Form), Ids::create(IdKind::Form)];
        foreach ([
            [], [$secret], [1], $secret . "\n", 'whsec_AAAA', 'whsec_', [$form => []], [$form => null], [$form => [$secret, 'whsec_']],
            [$secret => $form], ['contact' => $secret], [$form => $secret, $other => [$secret]], [$form => [$secret, $secret]],
        ] as $secrets) {
            try {
                new Receiver($secrets, []);
                self::fail('It was made');
            } catch (\InvalidArgumentException $error) {
                self::assertStringNotContainsString(substr($secret, 8), (string) $error);
            }
        }
        $receiver = new Receiver($secret, [self::key()]);
        self::assertStringNotContainsString(substr($secret, 8), print_r($receiver, true));
        $this->expectExceptionMessage('OpeningKey::load');
        new Receiver($secret, [Vectors::key('first')['privateKey']]);
    }

    public function test_a_key_file_is_read(): void
    {
        $file = ['sealpost' => 'private-key', 'version' => 1, 'formId' => 'form_x', 'keyVersion' => 1, 'privateKey' => Vectors::key('first')['privateKey']];
        $key = self::load(json_encode([...$file, 'fingerprint' => Vectors::key('first')['fingerprint']], JSON_THROW_ON_ERROR));
        self::assertSame(['form_x', 1, Vectors::key('first')['fingerprint']], [$key->formId, $key->keyVersion, $key->fingerprint]);
    }

    public function test_a_key_file_with_a_byte_order_mark_is_read_as_windows_power_shell_writes_it(): void
    {
        $file = json_encode(['sealpost' => 'private-key', 'privateKey' => Vectors::key('first')['privateKey']], JSON_THROW_ON_ERROR);
        $units = array_map('ord', str_split($file));
        foreach (["\xef\xbb\xbf" . $file, "\xff\xfe" . pack('v*', ...$units), "\xfe\xff" . pack('n*', ...$units)] as $text) {
            self::assertSame(Vectors::key('first')['fingerprint'], self::load($text)->fingerprint);
        }
    }

    /** @return iterable<int, array{mixed, string}> */
    public static function damagedKeys(): iterable
    {
        $private = Vectors::key('first')['privateKey'];
        $file = ['sealpost' => 'private-key', 'version' => 1, 'privateKey' => $private];
        yield from [
            [[...$file, 'version' => 2], 'newer format'],
            [[...$file, 'fingerprint' => Vectors::key('second')['fingerprint']], 'another key'],
            [[...$file, 'keyVersion' => 0], 'keyVersion'],
            [[...$file, 'formId' => ''], 'formId'],
            [[...$file, 'privateKey' => Vectors::key('first')['publicKey']], 'public key'],
            [[...$file, 'privateKey' => null], 'lacks privateKey'],
            [[...$file, 'privateKey' => []], 'not a private key'],
            [array_diff_key($private, ['qi' => 1]), 'lacks qi'],
            [[...$private, 'n' => Vectors::key('second')['privateKey']['n']], 'do not fit'],
            [[...$private, 'd' => $private['d'] . '='], 'do not fit'],
            [Vectors::key('hybrid first')['privateKey'], 'sp1 only'],
            [[], 'not a'],
            ['text', 'not a key file'],
        ];
    }

    /** @dataProvider damagedKeys */
    public function test_a_damaged_key_file_is_refused_without_showing_the_key(mixed $value, string $message): void
    {
        try {
            self::load(json_encode($value, JSON_THROW_ON_ERROR));
            self::fail('It was read');
        } catch (\InvalidArgumentException $error) {
            self::assertStringContainsString($message, $error->getMessage());
            self::assertStringNotContainsString(substr(Vectors::key('first')['privateKey']['d'], 0, 20), $error->getMessage());
        }
    }

    public function test_a_key_file_with_a_passphrase_or_of_something_else_is_refused(): void
    {
        foreach (["age-encryption.org/v1\n-> scrypt" => 'passphrase', '{' => 'not JSON', '' => 'not a key file'] as $text => $message) {
            try {
                self::load($text);
                self::fail('It was read');
            } catch (\InvalidArgumentException $error) {
                self::assertStringContainsString($message === 'not JSON' ? 'not a JSON object' : $message, $error->getMessage());
            }
        }
        $this->expectExceptionMessage("can't be read");
        OpeningKey::load(__DIR__ . '/absent.key.json');
    }

    public function test_no_key_is_shown_or_serialized(): void
    {
        $shown = print_r(self::key(), true) . var_export(self::key(), true);
        self::assertStringNotContainsString(substr(Vectors::key('first')['privateKey']['d'], 0, 20), $shown);
        $this->expectException(\Exception::class);
        serialize(self::key());
    }

    private static function key(): OpeningKey
    {
        return OpeningKey::parse(Vectors::key('first')['privateKey']);
    }

    private static function load(string $text): OpeningKey
    {
        $path = (string) tempnam(sys_get_temp_dir(), 'sealpost');
        try {
            file_put_contents($path, $text);
            return OpeningKey::load($path);
        } finally {
            unlink($path);
        }
    }

    private static function receive(string $body, bool $withKeys = true, ?bool $acceptPlain = null): Received|NotVerified
    {
        $secret = Webhook::createSecret();
        $clock = static fn (): int => self::MOMENT;
        $receiver = new Receiver($secret, $withKeys ? [self::key()] : [], $acceptPlain, $clock);
        return $receiver->receive(Events::headers($secret, $body, self::MOMENT), $body);
    }

    private static function received(string $body, bool $withKeys = true, ?bool $acceptPlain = null): Received
    {
        $result = self::receive($body, $withKeys, $acceptPlain);
        self::assertInstanceOf(Received::class, $result);
        self::assertSame(['dlv_1', self::MOMENT * 1000], [$result->deliveryId, $result->sentAt]);
        return $result;
    }
}
