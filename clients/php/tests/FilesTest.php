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
        $key = FileKey::create(Ids::create(IdKind::Form), 200_000);
        $sealed = implode('', [...self::values(Files::seal(self::stream(self::content(200_000)), $key))]);
        self::assertSame(Files::sealedSize(200_000), strlen($sealed));
        foreach ([0, 1, 15, 16, 17, 65_535, 65_536, 65_551, 65_552, 65_553, 131_104, strlen($sealed) - 1] as $length) {
            self::assertNotOpened(fn () => [...self::values(Files::open(self::stream(substr($sealed, 0, $length)), $key))]);
        }
    }

    public function test_no_bit_of_a_file_can_be_changed(): void
    {
        $key = FileKey::create(Ids::create(IdKind::Form), 70_000);
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
        $key = FileKey::create(Ids::create(IdKind::Form), 10);
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
        $key = FileKey::create(Ids::create(IdKind::Form), 1 << 26);
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

    public function test_a_file_in_the_fields_is_read_and_anything_that_deviates_is_an_ordinary_answer(): void
    {
        $form = Ids::create(IdKind::Form);
        $file = new FileField('Zoë.pdf', 'application/pdf', FileKey::create($form, 3));
        $value = $file->toField();
        self::assertEquals($file, FileField::parse($value, $form));
        self::assertEquals($file, FileField::parse(['$file' => [...$value['$file'], 'size' => 3.0]], $form));
        $changes = [
            ['id' => Ids::create(IdKind::Submission)], ['size' => -1], ['size' => 1.5], ['size' => true], ['size' => 1e300],
            ['size' => (1 << 40) + 1], ['key' => 'AAE='], ['key' => null], ['format' => 'spf2'], ['name' => null], ['type' => 1],
        ];
        foreach ($changes as $change) {
            self::assertNull(FileField::parse(['$file' => [...$value['$file'], ...$change]], $form), (string) json_encode($change));
        }
        foreach ([[...$value, 'more' => 1], ['$file' => []], [], 'x', null, 1] as $other) {
            self::assertNull(FileField::parse($other, $form));
        }
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
        return new FileKey($source['formId'], $source['fileId'], $source['size'], (string) base64_decode($source['key']));
    }

    private static function content(int $size): string
    {
        return substr(str_repeat(implode('', array_map(chr(...), range(0, 250))), intdiv($size, 251) + 1), 0, $size);
    }

    /** The bytes that a sealer made of a source; one with `pieces` or `additionalData` had a careless or hostile one. */
    private static function sealSource(array $source): string
    {
        if (!isset($source['pieces']) && !isset($source['additionalData'])) {
            return implode('', [...self::values(Files::seal(self::stream(self::content($source['size'])), self::key($source)))]);
        }
        $count = intdiv($source['size'], 65_536);
        $whole = static fn (int $index): array => ['length' => 65_536, 'counter' => $index, 'mark' => $index + 1 === $count];
        $bound = $source['additionalData'] ?? "sealpost/spf1\n{$source['formId']}\n{$source['fileId']}";
        [$place, $sealed, $content] = [0, '', self::content($source['size'])];
        foreach ($source['pieces'] ?? array_map($whole, range(0, $count - 1)) as $piece) {
            $nonce = "\0\0\0" . pack('J', $piece['counter']) . chr((int) $piece['mark']);
            $part = str_pad(substr($content, $place, $piece['length']), $piece['length'], "\0");
            $sealed .= Gcm::encrypt((string) base64_decode($source['key']), $nonce, $part, $bound);
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
