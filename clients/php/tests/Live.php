<?php

declare(strict_types=1);

namespace Sealpost\Tests;

use PHPUnit\Framework\Assert;
use Sealpost\Client;
use Sealpost\OpeningKey;

/** The service of `npm run test:clients`, and what it has for us: a form of our own with submissions, and a webhook that it sent. */
final class Live
{
    /** @param array<string, array<string, mixed>> $submissions fields by id, the oldest first */
    private function __construct(
        public readonly string $url,
        public readonly Client $client,
        /** Has a session token instead of an API key. */
        public readonly Client $sessionClient,
        public readonly string $formId,
        public readonly OpeningKey $key,
        public readonly array $submissions,
        public readonly string $webhookSecret,
        public readonly array $webhook,
    ) {
    }

    /** Skips the test where there is no service. */
    public static function service(): self
    {
        $url = getenv('SEALPOST_URL');
        if ($url === false) {
            Assert::markTestSkipped('needs a running service: npm run test:clients');
        }
        return new self(
            $url,
            new Client($url, (string) getenv('SEALPOST_TOKEN')),
            new Client($url, (string) getenv('SEALPOST_SESSION_TOKEN')),
            (string) getenv('SEALPOST_FORM_ID'),
            OpeningKey::load((string) getenv('SEALPOST_PRIVATE_KEY_FILE')),
            self::read('SEALPOST_SUBMISSIONS_FILE'),
            (string) getenv('SEALPOST_WEBHOOK_SECRET'),
            self::read('SEALPOST_WEBHOOK_FILE'),
        );
    }

    private static function read(string $variable): array
    {
        return json_decode((string) file_get_contents((string) getenv($variable)), true, 512, JSON_THROW_ON_ERROR);
    }
}
