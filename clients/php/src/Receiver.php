<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Event\Event;
use Sealpost\Event\SubmissionCreated;
use Sealpost\Internal\ReceiverSecrets;

/** A receiver of webhooks: verifies and opens in one call, for the program at a form's webhook URL. */
final class Receiver
{
    public const BODY_BYTES_MAX = 4 << 20;

    private readonly ReceiverSecrets $secrets;

    /**
     * `$secrets`: the webhook secret of the only form that posts here; or the secrets of each form by its id, of which each speaks for
     * its own form alone (several of a form during a rotation). `$keys`: the private keys of those forms, of all key versions still in use; empty if all the forms have `encryption: false`. A plain submission is `NotSealed` to anyone who has keys unless `$acceptPlain`
     * is true. `$clock` gives seconds since the Unix epoch. Throws an InvalidArgumentException, which shows no secret, when the
     * receiver could not do its work.
     *
     * @param string|array<string, string|list<string>> $secrets
     * @param list<OpeningKey> $keys
     * @param (\Closure(): (int|float))|null $clock
     */
    public function __construct(
        #[\SensitiveParameter] string|array $secrets,
        private readonly array $keys,
        private readonly ?bool $acceptPlain = null,
        private readonly ?\Closure $clock = null,
    ) {
        $this->secrets = new ReceiverSecrets($secrets);
        foreach ($keys as $key) {
            if (!$key instanceof OpeningKey) {
                throw new \InvalidArgumentException('keys must be what OpeningKey::load or OpeningKey::parse made');
            }
        }
    }

    /**
     * Verifies a request and opens its submission. Never throws on what a stranger sent. Answer 401 unless `verified`, else 204 alike
     * whether a submission could be opened or not. `$body` is the raw body.
     *
     * @param iterable<string, string|list<string>> $headers
     */
    public function receive(iterable $headers, string $body): Received|NotVerified
    {
        $now = $this->clock === null ? microtime(true) : ($this->clock)();
        $found = Webhook::collectHeaders($headers); // they may be such as can be read once
        $verification = Webhook::verify($this->secrets->all, $found, $body, $now);
        if ($verification instanceof NotVerified) {
            return $verification;
        }
        try {
            $event = Event::parse($verification->body);
        } catch (\UnexpectedValueException $error) {
            return new NotVerified(NotVerifiedReason::MalformedBody, $error->getMessage());
        }
        if (!Webhook::verify($this->secrets->of($event), $found, $body, $now)->verified) {
            $message = 'No signature fits under a secret of the form that the event names';
            return new NotVerified(NotVerifiedReason::WrongForm, $message);
        }
        $opened = $event instanceof SubmissionCreated
            ? Opening::openSubmission($event->submission, $this->keys, acceptPlain: $this->acceptPlain)
            : null;
        return new Received($verification->deliveryId, $verification->sentAt, $event, $opened);
    }

    /** The same for the request that PHP is answering, under any web server. A body of more than 4 MiB is malformed. */
    public function receiveRequest(): Received|NotVerified
    {
        $body = file_get_contents('php://input', length: self::BODY_BYTES_MAX + 1);
        if ($body === false || strlen($body) > self::BODY_BYTES_MAX) {
            return new NotVerified(NotVerifiedReason::MalformedBody, 'The body can\'t be read, or is larger than 4 MiB');
        }
        $headers = [];
        foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
            $headers[$name] = $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? '';
        }
        return $this->receive($headers, $body);
    }

    /** @return array<string, mixed> what var_dump shows: no secret */
    public function __debugInfo(): array
    {
        return ['keys' => $this->keys, 'acceptPlain' => $this->acceptPlain];
    }
}
