<?php

declare(strict_types=1);

namespace Sealpost\Tests;

use PHPUnit\Framework\TestCase;
use Sealpost\Webhook;

/** The examples of the README, run. */
final class ReadmeTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/sealpost-' . bin2hex(random_bytes(8));
        mkdir("{$this->folder}/vendor", 0700, true);
        file_put_contents("{$this->folder}/vendor/autoload.php", '<?php require ' . var_export(dirname(__DIR__) . '/autoload.php', true) . ';');
    }

    protected function tearDown(): void
    {
        foreach (['vendor/autoload.php', 'index.php', 'key.json'] as $name) {
            @unlink("{$this->folder}/$name");
        }
        rmdir("{$this->folder}/vendor");
        rmdir($this->folder);
    }

    public function test_the_receiver_answers_and_opens(): void
    {
        $secret = Webhook::createSecret();
        file_put_contents("{$this->folder}/key.json", json_encode(Vectors::key('first')['privateKey']));
        $variables = ['SEALPOST_WEBHOOK_SECRET' => $secret, 'SEALPOST_PRIVATE_KEY_FILE' => "{$this->folder}/key.json"];
        $process = $this->start('Receiver', ['-S', '127.0.0.1:0'], $variables, $log);
        self::assertSame(1, preg_match('/\((http:\/\/127\.0\.0\.1:\d+)\) started/', (string) fgets($log), $match));
        try {
            $body = Events::body('submission.created', ['submission' => Events::sealed()]);
            self::assertSame(204, self::post($match[1], $secret, $body, $body));
            $other = Events::body('submission.created', ['submission' => [...Events::sealed(), 'keyVersion' => 9]]);
            self::assertSame(204, self::post($match[1], $secret, $other, $other));
            self::assertSame(401, self::post($match[1], $secret, $body, '{}'));
            self::assertSame(401, self::post($match[1], $secret, $large = str_repeat(' ', (4 << 20) + 1), $large));
        } finally {
            proc_terminate($process);
        }
        $said = (string) stream_get_contents($log);
        self::assertStringContainsString('dlv_1 ' . json_encode(json_decode(Vectors::read('good')[0]['plaintext'])), $said);
        self::assertStringContainsString('dlv_1 could not be opened', $said);
        self::assertStringContainsString('Refused: No signature', $said);
        self::assertStringContainsString('larger than 4 MiB', $said);
        self::assertDoesNotMatchRegularExpression('/Warning|Deprecated|Fatal/', $said);
        proc_close($process);
    }

    public function test_the_example_of_the_api_opens_what_the_service_has(): void
    {
        $live = Live::service();
        $process = $this->start('Client', ['index.php'], getenv(), $log, $output);
        $said = (string) stream_get_contents($output);
        self::assertGreaterThanOrEqual(count($live->submissions), substr_count($said, 'Zoë'));
        self::assertSame('', stream_get_contents($log));
        self::assertSame(0, proc_close($process));
    }

    /**
     * Runs PHP in a folder that has the example with this class as index.php.
     *
     * @return resource
     */
    private function start(string $class, array $parameters, array $variables, mixed &$log, mixed &$output = null)
    {
        preg_match_all('/```php\n(.*?)```/s', (string) file_get_contents(dirname(__DIR__) . '/README.md'), $blocks);
        $examples = preg_grep("/new $class\\(/", $blocks[1]) ?: [];
        self::assertCount(1, $examples);
        file_put_contents("{$this->folder}/index.php", $examples);
        $pipes = [1 => ['pipe', 'w'], 2 => ['pipe', 'w']];
        $process = proc_open([PHP_BINARY, '-d', 'log_errors=1', ...$parameters], $pipes, $ends, $this->folder, $variables);
        self::assertIsResource($process);
        [1 => $output, 2 => $log] = $ends;
        return $process;
    }

    private static function post(string $url, string $secret, string $signed, string $body): int
    {
        $lines = [];
        foreach (Events::headers($secret, $signed, time()) as $name => $value) {
            $lines[] = "$name: $value";
        }
        $options = ['method' => 'POST', 'header' => [...$lines, 'Content-Type: application/json'], 'content' => $body, 'ignore_errors' => true];
        file_get_contents($url, false, stream_context_create(['http' => $options]));
        return (int) explode(' ', $http_response_header[0])[1];
    }
}
