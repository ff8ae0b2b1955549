<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Base64;
use Sealpost\Internal\Json;
use Sealpost\Internal\Oaep;
use Sealpost\Internal\RsaKeys;

/** A form's public RSA key (specification, section 2). */
final class PublicKey
{
    private const HYBRID_ALGORITHM = 'MLKEM768-X25519';
    private const HYBRID_BYTES = 1216;

    private function __construct(
        public readonly string $fingerprint,
        private readonly \OpenSSLAsymmetricKey $key,
        private readonly int $modulusBytes,
    ) {
    }

    /**
     * A public key as JWK, decoded from JSON to an array. Throws an InvalidArgumentException for a hybrid key, and for anything but
     * exactly `kty`, `n` and `e`: a private member means that somebody is giving away what only the owner may have.
     */
    public static function parse(mixed $jwk): self
    {
        if (self::isHybrid($jwk)) {
            throw new \InvalidArgumentException('This is a hybrid key, for sp2: this package seals sp1 only');
        }
        $modulus = self::hasExactly($jwk, ['e', 'kty', 'n']) && $jwk['kty'] === 'RSA' && $jwk['e'] === 'AQAB'
            ? Base64::decodeUrl($jwk['n'])
            : null;
        $key = $modulus !== null && self::isModulus($modulus) ? RsaKeys::importPublic($modulus) : null;
        if ($key === null) {
            throw new \InvalidArgumentException('Not a public key of a form: exactly kty, n and e');
        }
        return new self(self::fingerprint($jwk), $key, strlen($modulus));
    }

    /** Whether a JWK is exactly a public hybrid key, which seals `sp2`. */
    public static function isHybrid(mixed $jwk): bool
    {
        return self::hasExactly($jwk, ['alg', 'kty', 'pub'])
            && $jwk['kty'] === 'AKP'
            && $jwk['alg'] === self::HYBRID_ALGORITHM
            && strlen(Base64::decodeUrl($jwk['pub']) ?? '') === self::HYBRID_BYTES;
    }

    /**
     * The RFC 7638 thumbprint (SHA-256, base64url) of a public or private key, RSA or hybrid.
     *
     * @param array<string, mixed> $jwk
     */
    public static function fingerprint(#[\SensitiveParameter] array $jwk): string
    {
        $names = ($jwk['kty'] ?? null) === 'RSA' ? ['e', 'kty', 'n'] : ['alg', 'kty', 'pub'];
        $members = [];
        foreach ($names as $name) {
            $members[$name] = $jwk[$name] ?? throw new \InvalidArgumentException("Not a key as JWK: it lacks $name");
        }
        return Base64::encodeUrl(hash('sha256', Json::encode($members), true));
    }

    /** 32 bytes, encrypted to this key. @internal */
    public function encrypt(#[\SensitiveParameter] string $contentKey): string
    {
        return Oaep::encrypt($this->key, $this->modulusBytes, $contentKey);
    }

    /** @param list<string> $names in alphabetical order */
    private static function hasExactly(mixed $jwk, array $names): bool
    {
        if (!is_array($jwk)) {
            return false;
        }
        $found = array_map(strval(...), array_keys($jwk));
        sort($found);
        return $found === $names;
    }

    private static function isModulus(string $modulus): bool
    {
        $first = ord($modulus[0] ?? "\0");
        $bits = 8 * (strlen($modulus) - 1) + strlen(decbin($first));
        return $first !== 0 && $bits >= 2048 && $bits <= 4096 && (ord($modulus[-1]) & 1) === 1;
    }
}
