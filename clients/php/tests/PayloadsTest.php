<?php

declare(strict_types=1);

namespace Sealpost\Tests;

use PHPUnit\Framework\TestCase;
use Sealpost\FileField;
use Sealpost\FileKey;
use Sealpost\IdKind;
use Sealpost\Ids;
use Sealpost\Internal\Base64;
use Sealpost\Internal\ExactJson;
use Sealpost\Internal\Json;
use Sealpost\Internal\Natural;
use Sealpost\Internal\Padding;
use Sealpost\NotOpened;
use Sealpost\NotOpenedReason;
use Sealpost\Opened;
use Sealpost\Opening;
use Sealpost\OpeningKey;
use Sealpost\PublicKey;
use Sealpost\Sealing;

final class PayloadsTest extends TestCase
{
    private const FILES = ['good', 'hostile', 'foreign', 'hybrid'];

    /** @return array<string, array{array<string, mixed>}> */
    public static function vectors(): array
    {
        return Vectors::named(...self::FILES);
    }

    /** @dataProvider vectors */
    public function test_each_vector_has_its_outcome(array $vector): void
    {
        $result = self::open($vector);
        if ($vector['payload']['version'] === 'sp2') {
            self::assertEquals(new NotOpened(NotOpenedReason::UnknownVersion, Opening::ONLY_SP1), $result);
        } elseif (($vector['outcome'] ?? 'opened') === 'opened') {
            self::assertInstanceOf(Opened::class, $result);
            self::assertSame($vector['fields'] ?? self::parse($vector['text'] ?? $vector['plaintext']), $result->fields);
            self::assertSame($vector['sealpost'] ?? null, $result->sealpost);
            self::assertSame($vector['text'] ?? self::textOf($vector), $result->text);
        } else {
            self::assertInstanceOf(NotOpened::class, $result);
            self::assertSame($vector['outcome'], $result->reason->value);
        }
    }

    public function test_whatever_hinders_opening_once_a_key_is_chosen_the_answer_is_the_same(): void
    {
        $answers = [];
        foreach (self::vectors() as $name => [$vector]) {
            if (($vector['outcome'] ?? null) === 'could_not_be_opened' && $vector['payload']['version'] === 'sp1') {
                $answers[$name] = serialize(self::open($vector));
            }
        }
        self::assertGreaterThan(80, count($answers));
        self::assertCount(1, array_unique($answers));
    }

    public function test_no_bit_of_a_payload_can_be_changed(): void
    {
        $vector = Vectors::read('good')[0];
        mt_srand(1);
        foreach (['data', 'key', 'iv'] as $member) {
            $bytes = (string) base64_decode($vector['payload'][$member]);
            for ($count = 0; $count < 60; $count++) {
                $changed = $bytes;
                $place = mt_rand(0, strlen($bytes) - 1);
                $changed[$place] = chr(ord($changed[$place]) ^ (1 << mt_rand(0, 7)));
                $payload = [...$vector['payload'], $member => base64_encode($changed)];
                self::assertFalse(self::open([...$vector, 'payload' => $payload])->opened, "$member $place");
            }
        }
    }

    public function test_members_of_any_other_type_are_refused(): void
    {
        $vector = Vectors::read('good')[0];
        foreach (['version', 'data', 'key', 'iv'] as $member) {
            foreach ([null, 1, 1.5, true, [], ['a'], ''] as $value) {
                $payload = [...$vector['payload'], $member => $value];
                self::assertFalse(self::open([...$vector, 'payload' => $payload])->opened);
            }
        }
        self::assertFalse(self::open([...$vector, 'payload' => []])->opened);
    }

    /** @return iterable<string, array{string, mixed}> */
    public static function jsonTraps(): iterable
    {
        // json_decode takes these in any case; RFC 8259 does not.
        foreach (['TRUE', 'True', 'truE', 'FALSE', 'falsE', 'NULL', 'nulL', 'Null'] as $literal) {
            yield $literal => ["{\"a\": $literal}", null];
        }
        yield 'literals and quotes in texts' => ['{"TRUE": "\\"NULL\\\\", "b": [1E5, 1.5E+3, true, false, null]}', ['TRUE' => '"NULL\\', 'b' => [1e5, 1.5e3, true, false, null]]];
        yield 'half a surrogate pair' => ['{"\\ud800": "\\\\ud800 \\udc00\\ud83d\\ude00"}', ["\u{fffd}" => "\\ud800 \u{fffd}😀"]];
        yield 'a name that begins with a zero byte' => ['{"\\u0000a": 1}', ["\0a" => 1]];
        // More could be made to collide in PHP's arrays, and take seconds.
        $most = range(0, Json::MEMBERS_MAX - 1);
        yield 'as many members as are read' => [json_encode((object) $most), $most];
        yield 'one more' => [json_encode((object) [...$most, 0]), null];
        yield 'one more, further inside' => ['{"a": {}, "b": ' . json_encode((object) $most) . '}', null];
        yield 'as many colons in a text' => [json_encode(['a' => str_repeat('":', Json::MEMBERS_MAX)]), ['a' => str_repeat('":', Json::MEMBERS_MAX)]];
        yield 'an array' => ['[{}]', null];
        yield 'numbers as names' => ['{"0": "a", "1": "b"}', ['a', 'b']];
        yield 'an integer beyond 64 bits' => ['{"a": 123456789012345678901234567890}', ['a' => 123456789012345678901234567890.0]];
    }

    /** @dataProvider jsonTraps */
    public function test_json_is_read_to_the_letter(string $text, mixed $fields): void
    {
        $place = [Ids::create(IdKind::Form), 1, Ids::create(IdKind::Submission)];
        $key = PublicKey::parse(Vectors::key('first')['publicKey']);
        [$contentKey, $iv] = [random_bytes(32), random_bytes(12)];
        $data = Sealing::encryptText($text, $contentKey, $iv, Opening::additionalData(...$place));
        $members = ['data' => $data, 'key' => $key->encrypt($contentKey), 'iv' => $iv];
        $payload = ['encrypted' => true, 'version' => 'sp1', ...array_map(base64_encode(...), $members)];
        $result = Opening::openPayload($payload, [Vectors::openingKey(['name' => 'first'])], ...$place);
        self::assertSame($fields, $result instanceof Opened ? $result->fields : null);
    }

    public function test_sealing_makes_the_data_of_the_vectors(): void
    {
        foreach (Vectors::read('good') as $vector) {
            ['name' => $name, 'plaintext' => $text, 'payload' => $payload] = $vector;
            if ($name === 'lone surrogates') {
                continue;
            }
            if (array_key_exists('typed', $vector)) {
                self::assertRefused(self::parse($text), 'Sealpost itself');
                continue;
            }
            // Languages write numbers such as 1e-7 each in their own way.
            self::assertTrue($name === 'other JSON values' || Sealing::encodeFields(self::parse($text)) === $text, $name);
            [$contentKey, $iv] = [Vectors::derive('content key', $name), substr(Vectors::derive('iv', $name), 0, 12)];
            $bound = Opening::additionalData($vector['formId'], $vector['keyVersion'], $vector['submissionId']);
            self::assertSame($payload['data'], base64_encode(Sealing::encryptText($text, $contentKey, $iv, $bound)), $name);
            self::assertSame($payload['iv'], base64_encode($iv));
        }
    }

    public function test_what_is_sealed_to_a_key_opens_with_it_and_in_no_other_place(): void
    {
        $fields = ['name' => 'Zoë 😀', 'list' => [1, 2.5, null, true], '7' => 'seven'];
        foreach (['first', 'second', 'small', 'large'] as $name) {
            [$form, $submission] = [Ids::create(IdKind::Form), Ids::create(IdKind::Submission)];
            $payload = Sealing::seal($fields, PublicKey::parse(Vectors::key($name)['publicKey']), $form, 2, $submission);
            $keys = [OpeningKey::parse(Vectors::key($name)['privateKey'])];
            $opened = Opening::openPayload($payload, $keys, $form, 2, $submission);
            self::assertSame([$fields, '{"name":"Zoë 😀","list":[1,2.5,null,true],"7":"seven"}'], [$opened->fields, $opened->text]);
            self::assertFalse(Opening::openPayload($payload, $keys, $form, 1, $submission)->opened);
            self::assertFalse(Opening::openPayload($payload, $keys, $form, 2, Ids::create(IdKind::Submission))->opened);
        }
    }

    /** @return iterable<string, array{array<string, mixed>, string}> */
    public static function unsealable(): iterable
    {
        $deep = 'x';
        for ($level = 0; $level < 64; $level++) {
            $deep = [$deep];
        }
        yield 'deep' => [['deep' => $deep], '64 levels'];
        yield 'not a number' => [['number' => NAN], 'finite numbers'];
        yield 'a name of ours' => [['a' => 'b', '$sealpost' => []], 'Sealpost itself'];
        yield 'a name that begins like ours' => [['$$sealpost2' => 'b'], 'Sealpost itself'];
        yield 'a member of ours' => [['a' => ['$file' => 'b']], 'Sealpost itself'];
        yield 'a member of ours in a list' => [['a' => [(object) ['$oid' => 'b']]], 'Sealpost itself'];
        yield 'a file without an id' => [['a' => ['$file' => ['id' => 'fil_1', 'format' => 'spf1']]], 'Sealpost itself'];
        yield 'not UTF-8' => [['text' => "\xff"], 'UTF-8'];
    }

    /** @dataProvider unsealable */
    public function test_sealing_refuses_what_openers_do_not_read(array $fields, string $message): void
    {
        self::assertRefused($fields, $message);
    }

    public function test_sealing_takes_files_and_other_names_that_begin_with_a_dollar_sign(): void
    {
        $file = new FileField('a.jpg', 'image/jpeg', FileKey::create(Ids::create(IdKind::Form), Ids::create(IdKind::Submission), 1));
        $fields = ['$price' => '1', '$Sealpost' => 'a', 'a' => ['$b' => 1, '$c' => 2], 'photos' => [$file->toField()]];
        self::assertSame($fields, self::parse(Sealing::encodeFields($fields)));
    }

    public function test_a_megabyte_of_escapes_and_many_numbers_are_read(): void
    {
        foreach ([['a' => str_repeat('"\\', 300_000)], ['a' => array_fill(0, 200_000, 1.5)]] as $fields) {
            $text = Sealing::encodeFields($fields);
            self::assertSame($text, ExactJson::parse($text, Json::LEVELS_MAX)->format());
        }
    }

    private static function assertRefused(array $fields, string $message): void
    {
        try {
            Sealing::seal($fields, PublicKey::parse(Vectors::key('first')['publicKey']), 'form', 1, 'sub');
        } catch (\InvalidArgumentException $error) {
            self::assertStringContainsString($message, $error->getMessage());
            return;
        }
        self::fail("sealed, although: $message");
    }

    /** The text of a vector whose numbers every language writes alike. */
    private static function textOf(array $vector): string
    {
        $halves = static fn (string $text): string => (string) preg_replace('/\\\\ud[89a-f]../i', '\ufffd', $text);
        if (!isset($vector['plaintext'])) {
            return self::textsOfFields()[$vector['name']];
        }
        // The halves of a pair that belong together are one character.
        $isOld = $vector['name'] === 'lone surrogates';
        return $isOld ? Json::encode(json_decode($halves($vector['plaintext']))) : $vector['plaintext'];
    }

    /** The fields of each vector that has them, as JSON: in arrays of PHP `{}` and `[]` are alike. @return array<string, string> */
    private static function textsOfFields(): array
    {
        static $texts = null;
        if ($texts === null) {
            foreach (self::FILES as $file) {
                $path = __DIR__ . "/../../../packages/wire/vectors/$file.json";
                foreach (json_decode((string) file_get_contents($path), false, 512, JSON_THROW_ON_ERROR) as $vector) {
                    $texts[$vector->name] = Json::encode($vector->fields ?? null);
                }
            }
        }
        return $texts;
    }

    public function test_public_keys_are_taken_and_refused_as_the_vectors_say(): void
    {
        $vectors = Vectors::read('public-keys');
        foreach ($vectors['accepted'] as ['publicKey' => $jwk, 'fingerprint' => $fingerprint]) {
            self::assertSame($fingerprint, PublicKey::fingerprint($jwk));
            self::assertTrue(PublicKey::isHybrid($jwk) || PublicKey::parse($jwk)->fingerprint === $fingerprint);
        }
        foreach ($vectors['refused'] as $vector) {
            try {
                PublicKey::parse($vector['publicKey']);
                self::fail($vector['name'] ?? json_encode($vector));
            } catch (\InvalidArgumentException $error) {
                self::assertStringStartsWith('Not a public key', $error->getMessage());
            }
        }
    }

    /** @return array<string, array{array<string, mixed>}> */
    public static function keyFiles(): array
    {
        return Vectors::named('key-files');
    }

    /** @dataProvider keyFiles */
    public function test_key_files_are_taken_and_refused_as_the_vectors_say(array $vector): void
    {
        $path = (string) tempnam(sys_get_temp_dir(), 'key');
        file_put_contents($path, $vector['file']);
        try {
            $fingerprint = OpeningKey::load($path)->fingerprint;
            // Hybrid keys are looked at by those who open `sp2`.
            self::assertTrue($vector['outcome'] === 'taken' || ($vector['isHybrid'] ?? false));
            self::assertSame($vector['fingerprint'] ?? $fingerprint, $fingerprint);
        } catch (\InvalidArgumentException $error) {
            self::assertSame($vector['outcome'], str_contains($error->getMessage(), 'newer format') ? 'newer_format' : 'refused');
        } finally {
            unlink($path);
        }
    }

    public function test_numbers_of_any_size_are_calculated_with(): void
    {
        mt_srand(1);
        for ($count = 0; $count < 200; $count++) {
            [$a, $b, $m] = [mt_rand(0, 2 ** 31 - 1), mt_rand(0, 2 ** 31 - 1), mt_rand(1, 2 ** 31 - 1)];
            $of = static fn (int $value): Natural => Natural::of(pack('J', $value));
            self::assertSame(0, $of($a)->times($of($b))->compare($of($a * $b)));
            self::assertSame(0, $of($a * $b)->modulo($of($m))->compare($of($a * $b % $m)));
            self::assertSame(0, $of(max($a, $b))->minus($of(min($a, $b)))->compare($of(abs($a - $b))));
            self::assertSame($a <=> $b, $of($a)->compare($of($b)));
        }
    }

    public function test_every_key_has_its_fingerprint(): void
    {
        foreach ([...Vectors::read('keys'), ...Vectors::read('hybrid-keys')] as ['publicKey' => $public, 'fingerprint' => $fingerprint]) {
            self::assertSame($fingerprint, PublicKey::fingerprint($public));
        }
    }

    public function test_every_size_has_its_padded_size(): void
    {
        foreach (Vectors::read('padding') as ['size' => $size, 'padded' => $padded]) {
            self::assertSame($padded, Padding::size($size));
        }
    }

    public function test_ids_are_written_taken_and_refused_as_the_vectors_say(): void
    {
        $kinds = [];
        foreach (IdKind::cases() as $kind) {
            $kinds[lcfirst($kind->name)] = $kind;
        }
        $vectors = Vectors::read('ids');
        foreach ($vectors['accepted'] as ['kind' => $kind, 'uuid' => $uuid, 'milliseconds' => $milliseconds, 'id' => $id]) {
            self::assertSame($id, Ids::encode($kinds[$kind], (string) hex2bin(strtr($uuid, ['-' => '']))));
            $created = Ids::create($kinds[$kind], $milliseconds);
            self::assertTrue(Ids::is($kinds[$kind], $id) && Ids::is($kinds[$kind], $created));
            self::assertSame(substr($id, 0, -16), substr($created, 0, -16));
        }
        foreach ($vectors['refused'] as $vector) {
            self::assertFalse(Ids::is($kinds[$vector['kind']], $vector['text']), $vector['name'] ?? '');
        }
        self::assertFalse(Ids::is(IdKind::Form, Ids::create(IdKind::Form) . "\n"));
    }

    public function test_base64_is_canonical_or_nothing(): void
    {
        self::assertSame("\0\1", Base64::decode('AAE='));
        self::assertSame("\0\1", Base64::decodeUrl('AAE'));
        foreach (['AAF=', 'AAE', 'AAE==', 'AA E=', "AAE=\n", 'AA-_', 'AAE=AAE=', '====', '=', 'é', null, 1, []] as $text) {
            self::assertNull(Base64::decode($text));
        }
        foreach (['AAE=', 'AA+/', "AAE\n", 'AAF', 'A', null] as $text) {
            self::assertNull(Base64::decodeUrl($text));
        }
    }

    private static function open(array $vector): Opened|NotOpened
    {
        return Opening::openPayload(
            $vector['payload'],
            array_values(array_filter(array_map(Vectors::openingKey(...), $vector['keys']))),
            $vector['formId'],
            $vector['keyVersion'],
            $vector['submissionId'],
            $vector['expectedFingerprint'] ?? null,
        );
    }

    /** With halves of surrogate pairs as U+FFFD: PHP's strings can't hold them. */
    private static function parse(string $text): mixed
    {
        $fields = json_decode($text, true);
        return $fields ?? json_decode((string) preg_replace('/\\\\ud[89a-f]../i', '\ufffd', $text), true, 512, JSON_THROW_ON_ERROR);
    }
}
