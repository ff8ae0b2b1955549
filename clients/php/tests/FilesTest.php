<?php

declare(strict_types=1);

namespace Sealpost\Tests;

use PHPUnit\Framework\TestCase;
use Sealpost\FileField;
use Sealpost\FileKey;
use Sealpost\FileNotOpened;
use Sealpost\Files;
use Sealpost\IdKind;
use Sealpost\Ids;
use Sealpost\Internal\Base64;
use Sealpost\Internal\Gcm;
use Sealpost\Internal\Json;
use Sealpost\Internal\Padding;
use Sealpost\NewerFile;

final class FilesTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/sealpost-' . bin2hex(random_bytes(8));
        mkdir($this->folder, 0700);
    }

    protected function tearDown(): void
    {
        array_map(unlink(...), glob("{$this->folder}/{,.}[!.]*", GLOB_BRACE) ?: []);
        rmdir($this->folder);
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function sources(): iterable
    {
        foreach (Vectors::read('files')['sources'] as $name => $source) {
            yield $name => [$source];
        }
    }

    /** @dataProvider sources */
    public function test_each_source_is_sealed_to_its_bytes(array $source): void
    {
        $sealed = self::sealSource($source);
        self::assertSame($source['sealedSize'], strlen($sealed));
        self::assertSame($source['sealedSha256'], Base64::encodeUrl(hash('sha256', $sealed, true)));
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function vectors(): iterable
    {
        foreach (Vectors::read('files')['vectors'] as $vector) {
            yield $vector['name'] => [$vector];
        }
    }

    /** @dataProvider vectors */
    public function test_each_vector_has_its_outcome(array $vector): void
    {
        $sources = Vectors::read('files')['sources'];
        $sealed = '';
        foreach ($vector['bytes'] as ['source' => $name, 'from' => $from, 'to' => $to]) {
            $sealed .= substr(self::sealSource($sources[$name]), $from, $to - $from);
        }
        foreach ($vector['flipped'] ?? [] as $bit) {
            $sealed[$bit >> 3] = chr(ord($sealed[$bit >> 3]) ^ (0x80 >> ($bit & 7)));
        }
        $key = self::key([...$sources[$vector['claims']['source']], ...array_diff_key($vector['claims'], ['source' => 1])]);
        if ($vector['outcome'] === 'opened') {
            $expected = self::content($key->size);
            self::assertSame($expected, implode('', [...self::values(Files::open(self::portions($sealed), $key))]));
            Files::openTo(self::stream($sealed), $key, "{$this->folder}/opened");
            self::assertSame($expected, file_get_contents("{$this->folder}/opened"));
            self::assertSame(0600, fileperms("{$this->folder}/opened") & 0777);
        } else {
            self::assertNotOpened(fn () => [...self::values(Files::open(self::portions($sealed), $key))]);
            self::assertNotOpened(fn () => Files::openTo(self::stream($sealed), $key, "{$this->folder}/opened"));
            self::assertSame(['.', '..'], scandir($this->folder));
        }
    }

    public function test_a_file_that_is_cut_at_any_border_is_not_opened(): void
    {
        $key = FileKey::create(Ids::create(IdKind::Form), Ids::create(IdKind::Submission), 200_000);
        $sealed = implode('', [...self::values(Files::seal(self::stream(self::content(200_000)), $key))]);
        self::assertSame(Files::sealedSize(200_000), strlen($sealed));
        foreach ([0, 1, 15, 16, 17, 65_535, 65_536, 65_551, 65_552, 65_553, 131_104, strlen($sealed) - 1] as $length) {
            self::assertNotOpened(fn () => [...self::values(Files::open(self::stream(substr($sealed, 0, $length)), $key))]);
        }
    }

    public function test_no_bit_of_a_file_can_be_changed(): void
    {
        $key = FileKey::create(Ids::create(IdKind::Form), Ids::create(IdKind::Submission), 70_000);
        $sealed = implode('', [...self::values(Files::seal([self::content(70_000)], $key))]);
        mt_srand(2);
        for ($count = 0; $count < 60; $count++) {
            $changed = $sealed;
            $place = mt_rand(0, strlen($sealed) - 1);
            $changed[$place] = chr(ord($changed[$place]) ^ (1 << mt_rand(0, 7)));
            self::assertNotOpened(fn () => [...self::values(Files::open([$changed], $key))]);
        }
    }

    public function test_a_file_of_another_size_than_at_first_is_not_sealed(): void
    {
        $key = FileKey::create(Ids::create(IdKind::Form), Ids::create(IdKind::Submission), 10);
        foreach ([0, 9, 11, 70_000] as $size) {
            try {
                iterator_count(Files::seal(self::stream(self::content($size)), $key));
                self::fail((string) $size);
            } catch (\InvalidArgumentException $error) {
                self::assertStringContainsString('another size', $error->getMessage());
            }
        }
    }

    public function test_a_file_needs_the_same_memory_whatever_its_size(): void
    {
        // 64 MiB sealed and opened; what is held at once is a few pieces.
        $key = FileKey::create(Ids::create(IdKind::Form), Ids::create(IdKind::Submission), 1 << 26);
        $parts = static function (): \Generator {
            for ($count = 0; $count < 64; $count++) {
                yield str_repeat("\0", 1 << 20);
            }
        };
        [$opened, $most, $before] = [0, 0, memory_get_usage()];
        foreach (Files::open(Files::seal($parts(), $key), $key) as $piece) {
            $opened += strlen($piece);
            $most = max($most, memory_get_usage() - $before);
        }
        self::assertSame(1 << 26, $opened);
        self::assertLessThan(1 << 23, $most);
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function fields(): iterable
    {
        foreach (Vectors::read('files')['fields'] as $vector) {
            yield $vector['name'] => [$vector];
        }
    }

    /** @dataProvider fields */
    public function test_each_field_is_a_file_one_of_a_newer_program_or_an_answer(array $vector): void
    {
        $field = Json::parseObject("{\"field\":{$vector['text']}}", Json::LEVELS_MAX)['field'];
        $read = FileField::parse($field, Ids::create(IdKind::Form), Ids::create(IdKind::Submission));
        $outcome = match (true) {
            $read instanceof FileField => 'file',
            $read instanceof NewerFile => 'newer',
            default => 'answer',
        };
        self::assertSame([$vector['outcome'], $vector['file']], [$outcome, $read->name ?? '']);
    }

    public function test_a_file_in_the_fields_is_read_back(): void
    {
        [$form, $submission] = [Ids::create(IdKind::Form), Ids::create(IdKind::Submission)];
        $file = new FileField('Zoë.pdf', 'application/pdf', FileKey::create($form, $submission, 3));
        self::assertEquals($file, FileField::parse($file->toField(), $form, $submission));
    }

    public function test_of_two_file_keys_for_one_sealed_file_only_the_one_that_it_commits_to_opens_it(): void
    {
        $sources = Vectors::read('files')['sources'];
        [$first, $second] = [$sources['one file for two keys: the first'], $sources['one file for two keys: the second']];
        self::assertSame($first['sealed'], $second['sealed']);
        self::assertNotSame($first['key'], $second['key']);
        $open = static fn (array $source): array => [...self::values(Files::open([self::sealSource($source)], self::key($source)))];
        self::assertSame(self::content(1000), implode('', $open($first)));
        self::assertNotOpened(fn () => $open($second));
    }

    private static function assertNotOpened(\Closure $open): void
    {
        try {
            $open();
            self::fail('It was opened');
        } catch (FileNotOpened $error) {
            self::assertSame('This file could not be opened: it was changed or is not complete', $error->getMessage());
        }
    }

    private static function key(array $source): FileKey
    {
        $ids = [$source['formId'], $source['submissionId'], $source['fileId']];
        return new FileKey(...[...$ids, $source['size'], (string) base64_decode($source['key'])]);
    }

    private static function content(int $size): string
    {
        return substr(str_repeat(implode('', array_map(chr(...), range(0, 250))), intdiv($size, 251) + 1), 0, $size);
    }

    /** The bytes that a sealer made of a source; one with `pieces` or `binding` had a careless or hostile one. */
    private static function sealSource(array $source): string
    {
        if (isset($source['sealed'])) {
            return (string) base64_decode($source['sealed']);
        }
        if (!isset($source['pieces']) && !isset($source['binding'])) {
            return implode('', [...self::values(Files::seal(self::stream(self::content($source['size'])), self::key($source)))]);
        }
        $rest = Padding::size($source['size']) - 65_504;
        $lengths = [65_504, ...array_fill(0, intdiv($rest, 65_536), 65_536), $rest % 65_536];
        $ours = static fn (int $index, int $length): array => [
            'length' => $length, 'counter' => $index, 'mark' => $index + 1 === count($lengths),
        ];
        $lines = ['sealpost/spf1', $source['formId'], $source['submissionId'], $source['fileId'], $source['size']];
        $key = (string) base64_decode($source['key']);
        $derived = hash_hkdf('sha256', $key, 64, $source['binding'] ?? implode("\n", $lines));
        [$place, $sealed, $content] = [0, substr($derived, 32), self::content($source['size'])];
        foreach ($source['pieces'] ?? array_map($ours, array_keys($lengths), $lengths) as $piece) {
            $nonce = "\0\0\0" . pack('J', $piece['counter']) . chr((int) $piece['mark']);
            $part = str_pad(substr($content, $place, $piece['length']), $piece['length'], "\0");
            $sealed .= Gcm::encrypt(substr($derived, 0, 32), $nonce, $part, '');
            $place += $piece['length'];
        }
        return $sealed;
    }

    private static function values(iterable $pieces): \Generator
    {
        foreach ($pieces as $piece) {
            yield $piece;
        }
    }

    private static function portions(string $data): iterable
    {
        return $data === '' ? [] : str_split($data, 50_021);
    }

    /** @return resource */
    private static function stream(string $data)
    {
        $stream = fopen('php://temp', 'w+b') ?: throw new \RuntimeException('no memory');
        fwrite($stream, $data);
        rewind($stream);
        return $stream;
    }
}
