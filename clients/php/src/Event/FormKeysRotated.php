<?php

declare(strict_types=1);

namespace Sealpost\Event;

/** The form has a new key pair. Earlier private keys are still needed for what was sealed to them. */
final class FormKeysRotated extends Event
{
    public function __construct(
        public readonly EventForm $form,
        public readonly int $timestamp,
        public readonly bool $test,
        public readonly int $keyVersion,
        public readonly int $previousKeyVersion,
        /** @var array<string, mixed> a JWK */
        public readonly array $publicKey,
        public readonly int $rotatedAt,
        /** @var array<string, mixed>|null a JWK; only where the new version has one */
        public readonly ?array $hybridPublicKey = null,
    ) {
    }
}
