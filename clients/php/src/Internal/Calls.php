<?php

declare(strict_types=1);

namespace Sealpost\Internal;

use Sealpost\ApiError;
use Sealpost\ConnectionError;

/** Requests to the API: one that fails for a while is repeated, where repeating can't do it twice. */
final class Calls
{
    private const ANSWER_BYTES_MAX = 1 << 28;
    private const LINE_BYTES_MAX = 1 << 22; // a submission has at most 1 MiB, sealed and in base64
    private const ERROR_BYTES_MAX = 1 << 20;
    private const LEVELS_MAX = 512;
    private const MEMBERS_MAX = 200_000; // a page has 100 submissions, of at most 1,000 fields where they are plain
    private const PAUSE_SECONDS_MAX = 8.0;
    private const DOUBT = 'is this the address of a Sealpost instance, and no older one?';

    private readonly string $baseUrl;

    /**
     * @param string|(\Closure(): string)|null $token
     * @param \Closure(float): void $sleep
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] private readonly string|\Closure|null $token,
        private readonly float $timeout,
        private readonly int $retries,
        private readonly float $waitMax,
        private readonly \Closure $sleep,
        private readonly ?string $organization = null,
        private readonly int $answerBytesMax = self::ANSWER_BYTES_MAX,
    ) {
        $this->baseUrl = Url::parseBase($baseUrl);
        if (!$token instanceof \Closure) {
            $this->headers(); // a token or an id that can't be sent is reported at once
        }
    }

    /**
     * Sends a request, named as in the API document, and gives its parsed answer. Reads and PUT are repeated after a lost connection;
     * others only if `$isRepeatable`. Throws an ApiError or a ConnectionError.
     *
     * @param array<string, string> $path
     * @param array<string, int|string|null> $query
     * @param array<string, mixed>|null $body
     * @return array<string, mixed>
     */
    public function call(
        string $operation,
        array $path = [],
        array $query = [],
        ?array $body = null,
        ?bool $isRepeatable = null,
        ?float $timeout = null,
    ): array {
        $data = $body === null ? null : Json::encode((object) $body);
        $isRepeatable ??= str_starts_with($operation, 'GET ') || str_starts_with($operation, 'PUT ');
        return $this->repeat($isRepeatable, function () use ($operation, $path, $query, $data, $timeout): array {
            $answer = $this->send($operation, $path, $query, $data, $timeout);
            $parsed = self::parse($answer, $this->readWhole($answer));
            $member = CheckAnswer::findUnexpectedMember($operation, $parsed);
            if ($member !== null) {
                throw self::unexpected($answer, "The server's answer is not one of Sealpost's ($member): " . self::DOUBT);
            }
            return $parsed;
        });
    }

    /**
     * The same for a read whose answer is not JSON: its bytes.
     *
     * @param array<string, string> $path
     * @param array<string, int|string|null> $query
     */
    public function data(string $operation, array $path = [], array $query = []): string
    {
        return $this->repeat(true, fn (): string => $this->readWhole($this->send($operation, $path, $query, null, null)));
    }

    /**
     * The same for an answer of lines, one JSON object each. It is read while the lines are consumed. The generator returns the headers
     * of the answer, by lower-case name.
     *
     * @return \Generator<int, array<string, mixed>, mixed, array<string, string>>
     */
    public function lines(string $operation, array $path, array $query): \Generator
    {
        $answer = $this->repeat(true, fn (): HttpAnswer => $this->send($operation, $path, $query, null, null));
        $rest = '';
        foreach ($answer->portions() as $portion) {
            $pieces = explode("\n", $portion);
            $last = array_pop($pieces);
            foreach ($pieces as $piece) {
                $rest .= $piece;
                self::checkLine($answer, $rest);
                yield self::parse($answer, $rest);
                $rest = '';
            }
            $rest .= $last;
            self::checkLine($answer, $rest);
        }
        if (trim($rest) !== '') {
            yield self::parse($answer, $rest);
        }
        return $answer->headers;
    }

    /**
     * @template T
     * @param \Closure(): T $attempt
     * @return T
     */
    private function repeat(bool $isRepeatable, \Closure $attempt): mixed
    {
        for ($number = 0; $number < $this->retries; $number++) {
            try {
                return $attempt();
            } catch (ApiError | ConnectionError $error) {
                $pause = $this->pause($error, $number, $isRepeatable) ?? throw $error;
            }
            ($this->sleep)($pause);
        }
        return $attempt();
    }

    /** How many seconds to wait before the next attempt; null where there is none. */
    private function pause(ApiError|ConnectionError $error, int $number, bool $isRepeatable): ?float
    {
        $status = $error instanceof ApiError ? $error->status : null;
        $retryAfter = $error instanceof ApiError ? $error->retryAfter : null;
        // A request over the limit has done nothing, whatever it is.
        $isSafe = ($status === 429 && $retryAfter !== null) || ($isRepeatable && ($status === null || $status === 503));
        if (!$isSafe) {
            return null;
        }
        $backoff = min(0.5 * 2 ** $number, self::PAUSE_SECONDS_MAX) * (1 + random_int(0, 250) / 1000);
        $pause = (float) ($retryAfter ?? $backoff);
        return $pause <= $this->waitMax ? $pause : null;
    }

    private function send(string $operation, array $path, array $query, ?string $data, ?float $timeout): HttpAnswer
    {
        [$method, $template] = explode(' ', $operation);
        $url = $this->baseUrl . Url::fill($template, $path, $query);
        $headers = $data === null ? $this->headers() : [...$this->headers(), 'Content-Type' => 'application/json'];
        $answer = Http::send($method, $url, $headers, $data, $timeout ?? $this->timeout);
        if ($answer->status >= 200 && $answer->status < 300) {
            return $answer;
        }
        $body = $answer->readWhole(self::ERROR_BYTES_MAX) ?? '';
        throw ApiError::parse($answer->status, $answer->headers, $body, microtime(true));
    }

    /** @return array<string, string> */
    private function headers(): array
    {
        $token = $this->token instanceof \Closure ? ($this->token)() : $this->token;
        $headers = ['Accept' => 'application/json, application/x-ndjson', 'User-Agent' => 'sealpost-php'];
        if ($this->organization !== null) {
            if (preg_match('/\A[!-~]+\z/', $this->organization) !== 1) {
                throw new \InvalidArgumentException('organization is not the id of an organization: it has blanks or line breaks');
            }
            $headers['Sealpost-Organization'] = $this->organization;
        }
        if ($token === null) {
            return $headers;
        }
        if (preg_match('/\A[!-~]+\z/', $token) !== 1) {
            throw new \InvalidArgumentException('token is not an API key or a session token: it has blanks or line breaks');
        }
        return [...$headers, 'Authorization' => "Bearer $token"];
    }

    private function readWhole(HttpAnswer $answer): string
    {
        return $answer->readWhole($this->answerBytesMax) ?? throw new ApiError("The server's answer is too large", $answer->status);
    }

    /** @return array<string, mixed> */
    private static function parse(HttpAnswer $answer, string $text): array
    {
        try {
            $value = Json::parseObject($text, self::LEVELS_MAX, self::MEMBERS_MAX);
            return ExactJson::addTexts($value, $text, self::LEVELS_MAX);
        } catch (\JsonException) {
            throw self::unexpected($answer, "The server's answer is not JSON: " . self::DOUBT);
        }
    }

    private static function checkLine(HttpAnswer $answer, string $line): void
    {
        if (strlen($line) > self::LINE_BYTES_MAX) {
            throw self::unexpected($answer, "The server's answer holds a line that is too long");
        }
    }

    private static function unexpected(HttpAnswer $answer, string $message): ApiError
    {
        return new ApiError($message, $answer->status, requestId: $answer->headers['x-request-id'] ?? null);
    }
}
