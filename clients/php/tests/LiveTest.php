<?php

declare(strict_types=1);

namespace Sealpost\Tests;

use PHPUnit\Framework\TestCase;
use Sealpost\ApiError;
use Sealpost\Client;
use Sealpost\Event\SubmissionCreated;
use Sealpost\IdKind;
use Sealpost\Ids;
use Sealpost\OpenedSubmission;
use Sealpost\OpeningKey;
use Sealpost\PublicKey;
use Sealpost\Received;
use Sealpost\Receiver;
use Sealpost\Submission;
use Sealpost\Webhook;

/** Against a real service (`npm run test:clients`). */
final class LiveTest extends TestCase
{
    private Live $live;
    private Client $client;

    protected function setUp(): void
    {
        $this->live = Live::service();
        $this->client = $this->live->client;
    }

    public function test_a_webhook_that_the_service_sent_is_verified_and_opened(): void
    {
        ['headers' => $headers, 'body' => $encoded] = $this->live->webhook;
        $body = (string) base64_decode($encoded);
        $clock = static fn (): int => (int) $headers['webhook-timestamp'];
        $receiver = new Receiver($this->live->webhookSecret, [$this->live->key], clock: $clock);
        $result = $receiver->receive($headers, $body);
        self::assertTrue($result instanceof Received && $result->event instanceof SubmissionCreated);
        self::assertSame($this->live->formId, $result->event->form->id);
        self::assertSame($this->live->submissions[$result->event->submission->id], $result->opened->fields);
        self::assertTrue(Webhook::verifyService([$this->live->webhookSecret], $body, $headers['x-service-signature']));
        self::assertFalse($receiver->receive($headers, "$body ")->verified);
    }

    public function test_the_readmes_lines_read_the_keys_of_an_envelope_with_age(): void
    {
        if (getenv('SEALPOST_TEST_AGE') === false) {
            self::markTestSkipped('needs the program age: npm run test:clients');
        }
        preg_match('/```php\n(function readKeys.*?)```/s', (string) file_get_contents(dirname(__DIR__) . '/README.md'), $block);
        // In the global namespace, as a program of its own.
        eval($block[1]);
        $client = new Client($this->live->url, (string) getenv('SEALPOST_ENVELOPE_TOKEN'));
        $formId = (string) getenv('SEALPOST_ENVELOPE_FORM_ID');
        $keys = \readKeys($client, $formId, (string) getenv('SEALPOST_IDENTITY_FILE'));
        self::assertCount(2, $keys);
        $webhooks = json_decode((string) file_get_contents((string) getenv('SEALPOST_ENVELOPE_WEBHOOKS_FILE')), true);
        foreach ($webhooks as $place => ['headers' => $headers, 'body' => $encoded]) {
            $clock = static fn (): int => (int) $headers['webhook-timestamp'];
            $receiver = new Receiver((string) getenv('SEALPOST_ENVELOPE_SECRET'), $keys, clock: $clock);
            $result = $receiver->receive($headers, (string) base64_decode($encoded));
            self::assertTrue($result instanceof Received);
            self::assertSame(['name' => 'Zoë, version ' . ($place + 1)], $result->opened->fields);
        }
    }

    public function test_every_submission_is_listed_exported_and_opened(): void
    {
        [$form, $submissions] = [$this->live->formId, $this->client->submissions];
        self::assertGreaterThan(100, count($this->live->submissions));
        $opened = iterator_to_array($submissions->open($form, [$this->live->key]));
        $id = static fn (OpenedSubmission $each): string => $each->submission->id;
        $fields = static fn (OpenedSubmission $each): array => $each->result->fields;
        self::assertEquals($this->live->submissions, array_combine(array_map($id, $opened), array_map($fields, $opened)));
        $listed = array_map(static fn (Submission $each): string => $each->id, iterator_to_array($submissions->all($form)));
        self::assertSame(array_reverse(array_map($id, $opened)), $listed);
        $page = $submissions->list($form, limit: 2);
        self::assertSame([2, count($this->live->submissions)], [count($page->submissions), $page->total]);
        self::assertSame(count($listed) - 100, iterator_count($submissions->export($form, after: $opened[99]->submission->id)));
        self::assertEquals($page->submissions[0], $submissions->get($form, $listed[0]));
    }

    public function test_what_is_sent_is_stored_once_and_deleted_for_good(): void
    {
        $submissions = $this->client->submissions;
        $publicKey = $this->client->forms->get($this->live->formId)['publicKey'];
        self::assertSame($this->live->key->fingerprint, PublicKey::fingerprint($publicKey));
        $form = $this->client->forms->create('Made in PHP', publicKey: $publicKey)['id'];
        try {
            $prepared = $submissions->prepare($form, ['name' => 'Zoë 😀'], $this->live->key->fingerprint);
            self::assertEquals($submissions->send($prepared), $submissions->send($prepared));
            $file = json_decode((string) file_get_contents((string) getenv('SEALPOST_PRIVATE_KEY_FILE')), true);
            $opened = iterator_to_array($submissions->open($form, [OpeningKey::parse($file['privateKey'])]));
            self::assertSame([['name' => 'Zoë 😀']], array_column(array_column($opened, 'result'), 'fields'));
            self::assertSame(1, $submissions->moveToBin($form, [$prepared->id]));
            $binned = iterator_to_array($submissions->bin($form));
            self::assertSame($prepared->id, $binned[0]->id);
            self::assertGreaterThan($binned[0]->binnedAt, $binned[0]->purgeAt);
            self::assertSame(1, $submissions->restore($form, [$prepared->id]));
            self::assertSame(0, $submissions->deleteBinned($form, [$prepared->id]));
            self::assertSame(1, $submissions->deleteMany($form, [$prepared->id]));
            self::assertSame([], iterator_to_array($submissions->all($form)));
        } finally {
            self::assertSame(0, $this->client->forms->delete($form));
        }
    }

    public function test_forms_are_listed_changed_and_described(): void
    {
        [$forms, $webhooks, $form] = [$this->client->forms, $this->client->webhooks, $this->live->formId];
        self::assertContains($form, array_column(iterator_to_array($forms->all()), 'id'));
        self::assertSame(3, $forms->update($form, settings: ['binDays' => 3])['settings']['binDays']);
        self::assertSame([$this->live->key->fingerprint], array_column($forms->keys($form), 'fingerprint'));
        self::assertNotNull($forms->proveKey($form, 1)['provedAt']);
        self::assertSame([9, 9, null], [$forms->setRetention($form, 9), $forms->retention($form), $forms->setRetention($form, null)]);
        self::assertSame(count($this->live->submissions), $forms->stats($form, 'day')['stats']['totalSubmissions']);
        self::assertSame($this->live->webhookSecret, $webhooks->secret($form)['secret']);
        $deliveries = iterator_to_array($webhooks->allLogs($form, 'success'));
        self::assertSame(1, $webhooks->log($form, $deliveries[0]['id'])['attempts'][0]['number']);
        self::assertContains($form, array_column($this->client->account->usage()['forms'], 'id'));
    }

    public function test_organizations_members_and_invitations(): void
    {
        [$client, $form] = [$this->live->sessionClient, $this->live->formId];
        $council = $client->organizations->create('Council');
        self::assertSame(['owner', null, false], [$council['role'], $council['forms'], $council['current']]);
        self::assertContains($council['id'], array_column($client->organizations->list()['organizations'], 'id'));
        $meant = new Client($this->live->url, (string) getenv('SEALPOST_SESSION_TOKEN'), organization: $council['id']);
        self::assertSame('organization_changed', self::errorOf(fn () => $meant->members->list())->reason);
        $created = $client->invitations->create('php@example.com', 'reader', [$form]);
        self::assertSame([$form], $created['invitation']['forms']);
        self::assertStringContainsString('#', $created['url']);
        $invitation = $created['invitation']['id'];
        self::assertSame([$invitation], array_column($client->invitations->list()['invitations'], 'id'));
        $client->invitations->revoke($invitation);
        [$owner] = $client->members->list()['members'];
        self::assertSame($owner, $client->members->change($owner['id'], 'owner'));
        foreach ([
            fn () => $client->members->leave(),
            fn () => $client->members->remove($owner['id']),
            fn () => $client->invitations->accept('token'),
            fn () => $client->organizations->switchTo('acc_unknown'),
            fn () => $client->organizations->rename(''),
            fn () => $client->forms->handOver($form, 'acc_unknown'),
        ] as $refused) {
            self::assertNotNull(self::errorOf($refused)->reason);
        }
    }

    public function test_refusals_are_errors_with_their_codes(): void
    {
        $missing = self::errorOf(fn () => $this->client->forms->get(Ids::create(IdKind::Form)));
        self::assertSame([404, 'not_found', 'Form not found'], [$missing->status, $missing->errorCode, $missing->getMessage()]);
        $invalid = self::errorOf(fn () => $this->client->forms->update($this->live->formId, settings: ['webhookUrl' => 'http://x']));
        self::assertArrayHasKey('webhookUrl', $invalid->details);
        $unknown = self::errorOf(fn () => (new Client($this->live->url, 'sp_wrong'))->forms->list());
        self::assertSame('unauthorized', $unknown->errorCode);
        self::assertNotNull($unknown->requestId);
    }

    public function test_an_envelope_is_read_as_its_bytes(): void
    {
        $forms = $this->client->forms;
        [$listed] = $forms->envelopes($this->live->formId);
        $bytes = $forms->envelope($this->live->formId, $listed['lowestVersion']);
        self::assertStringStartsWith("age-encryption.org/v1\n", $bytes);
        self::assertSame($listed['bytes'], strlen($bytes));
        self::assertSame($listed['hash'], rtrim(strtr(base64_encode(hash('sha256', $bytes, true)), '+/', '-_'), '='));
        self::assertSame($bytes, $forms->envelope($this->live->formId, 1, 1));
        $page = $forms->envelopeRevisions($this->live->formId, 1);
        self::assertSame([[1, $listed['hash']]], array_map(fn (array $one) => [$one['revision'], $one['hash']], $page['revisions']));
        self::assertNull($page['nextCursor']);
        self::assertSame('not_found', self::errorOf(fn () => $forms->envelope($this->live->formId, 1, 2))->errorCode);
        $none = self::errorOf(fn () => $this->client->members->signedList());
        self::assertSame('This organization has no signed list of members yet', $none->getMessage());
    }

    public function test_every_operation_of_the_document_has_a_method(): void
    {
        $document = json_decode((string) file_get_contents("{$this->live->url}/api/openapi.json"), true, 512, JSON_THROW_ON_ERROR);
        $theirs = [];
        foreach ($document['paths'] as $path => $methods) {
            foreach (array_keys($methods) as $method) {
                $theirs[] = strtoupper($method) . " $path";
            }
        }
        $sources = implode('', array_map(file_get_contents(...), glob(__DIR__ . '/../src/*.php') ?: []));
        preg_match_all("/'((?:GET|POST|PUT|PATCH|DELETE) \\/api\\/[^']+)'/", $sources, $found);
        self::assertGreaterThan(30, count($found[1]));
        self::assertSame([], array_diff($found[1], $theirs));
        // Signing in, health and the document itself need no client: they have no form, account, key or organization in their paths;
        // and who asks what a link invites to is not signed in.
        $needed = preg_grep('/\w+ \/api\/(forms|usage|notifications|api-keys|audit-log|organizations?|members|invitations(?!\/find))\b/', $theirs) ?: [];
        // Nothing in PHP makes envelopes, or checks and continues key logs, so nothing here stores or removes them. Pages report refused keys.
        $writing = '/^(POST \/api\/forms\/reservations|(PUT|POST|DELETE) \/api\/forms\/\{form_id\}\/envelopes\b.*|\w+ \/api\/forms\/\{form_id\}\/keys\/log|POST \/api\/forms\/\{form_id\}\/keys\/refused)$/';
        $needed = preg_grep($writing, $needed, PREG_GREP_INVERT) ?: [];
        self::assertSame([], array_values(array_diff($needed, $found[1])));
    }

    private static function errorOf(\Closure $call): ApiError
    {
        try {
            $call();
        } catch (ApiError $error) {
            return $error;
        }
        self::fail('It was not refused');
    }
}
