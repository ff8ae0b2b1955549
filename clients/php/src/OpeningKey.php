<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Base64;
use Sealpost\Internal\Json;
use Sealpost\Internal\Oaep;
use Sealpost\Internal\RsaKeys;
use Sealpost\Internal\TextFile;

/** A private RSA key that is ready for opening, and what it is known to belong to. Never shows the key. */
final class OpeningKey
{
    private const FILE_BYTES_MAX = 1 << 20;

    /** Members that only a key file has, and no bare JWK. */
    private const FILE_MEMBERS = ['sealpost' => 0, 'privateKey' => 0, 'hybridPrivateKey' => 0, 'hybridFingerprint' => 0];

    private function __construct(
        public readonly string $fingerprint,
        public readonly ?string $formId,
        public readonly ?int $keyVersion,
        private readonly \OpenSSLAsymmetricKey $key,
        private readonly int $modulusBytes,
    ) {
    }

    /**
     * The private key in a key file of the dashboard or the command line. Throws an InvalidArgumentException that never shows the
     * key, and a RuntimeException when the file can't be read.
     */
    public static function load(string $path): self
    {
        $data = @file_get_contents($path, length: self::FILE_BYTES_MAX);
        if ($data === false) {
            throw new \RuntimeException("$path can't be read");
        }
        $data = TextFile::asUtf8($data);
        if (str_starts_with($data, 'age-encryption.org/') || str_starts_with($data, '-----BEGIN AGE')) {
            throw new \InvalidArgumentException(
                "$path has a passphrase: open it with the command line of Sealpost or with age, and keep the result safe",
            );
        }
        try {
            $value = Json::parseObject($data, Json::LEVELS_MAX);
        } catch (\JsonException) {
            throw new \InvalidArgumentException("$path is not a key file: it is not a JSON object");
        }
        if (Json::hasDoubledNames($data)) {
            throw new \InvalidArgumentException("$path has a member twice: programs would read different keys of it");
        }
        // As an array `{}` would be `[]`, which says that nothing is critical.
        $critical = json_decode(Json::replaceLoneSurrogates($data), depth: Json::LEVELS_MAX + 1)->critical ?? null;
        if ($critical instanceof \stdClass) {
            $value['critical'] = $critical;
        }
        return self::parse($value, $path);
    }

    /**
     * A private key from the contents of a key file, or from a bare JWK, decoded from JSON to arrays. Throws an
     * InvalidArgumentException that begins with `$name` and never shows the key.
     *
     * @param array<array-key, mixed> $value
     */
    public static function parse(#[\SensitiveParameter] array $value, string $name = 'private key'): self
    {
        $isFile = array_intersect_key(self::FILE_MEMBERS, $value) !== [];
        if ($isFile) {
            self::checkFormat($value, $name);
        }
        $jwk = $isFile ? $value['privateKey'] : $value;
        [$formId, $keyVersion] = $isFile ? self::parseLabel($value, $name) : [null, null];
        if (!is_array($jwk) || !in_array($jwk['kty'] ?? null, ['RSA', 'AKP'], true)) {
            throw new \InvalidArgumentException("$name is not a private key as JWK (kty: \"RSA\")");
        }
        $key = self::import($jwk, $name);
        $fingerprint = PublicKey::fingerprint($jwk);
        if ($isFile && ($value['fingerprint'] ?? $fingerprint) !== $fingerprint) {
            throw new \InvalidArgumentException("$name holds another key than its fingerprint says");
        }
        return new self($fingerprint, $formId, $keyVersion, $key, self::modulusBytes($jwk));
    }

    /** In the order of the specification, section 2, so that each language refuses a file for the same reason. */
    private static function checkFormat(#[\SensitiveParameter] array $file, string $name): void
    {
        if (array_key_exists('sealpost', $file) && $file['sealpost'] !== 'private-key') {
            throw new \InvalidArgumentException("$name is a file of Sealpost, but not one with a private key");
        }
        $isKnown = !array_key_exists('version', $file) || self::toWhole($file['version']) === 1;
        // Names that must be understood, of what a newer program wrote. There is none yet; other extensions are ignored.
        if (!$isKnown || (array_key_exists('critical', $file) && $file['critical'] !== [])) {
            throw new \InvalidArgumentException("$name is a key file of a newer format than this version knows");
        }
        if (!isset($file['privateKey'])) {
            throw new \InvalidArgumentException("$name is half a key file: it lacks privateKey, the RSA key of the same version");
        }
    }

    /** A whole number from 1, however JSON writes it (`1.0`); null for anything else, and for what other languages would round. */
    private static function toWhole(mixed $value): ?int
    {
        $isWhole = (is_int($value) || is_float($value)) && $value >= 1 && $value < 2 ** 53 && $value == (int) $value;
        return $isWhole ? (int) $value : null;
    }

    /** The 32 bytes that were encrypted to this key; null for anything else. @internal */
    public function decrypt(string $encrypted): ?string
    {
        return Oaep::decrypt($this->key, $this->modulusBytes, $encrypted);
    }

    /** @return array<string, mixed> what var_dump shows */
    public function __debugInfo(): array
    {
        return ['fingerprint' => $this->fingerprint, 'formId' => $this->formId, 'keyVersion' => $this->keyVersion];
    }

    /** @return array{?string, ?int} */
    private static function parseLabel(#[\SensitiveParameter] array $value, string $name): array
    {
        $formId = $value['formId'] ?? null;
        $keyVersion = $value['keyVersion'] ?? null;
        if ($formId !== null && (!is_string($formId) || $formId === '')) {
            throw new \InvalidArgumentException("$name: formId is not the id of a form");
        }
        if ($keyVersion !== null && self::toWhole($keyVersion) === null) {
            throw new \InvalidArgumentException("$name: keyVersion is not a whole number from 1");
        }
        return [$formId, self::toWhole($keyVersion)];
    }

    private static function import(#[\SensitiveParameter] array $jwk, string $name): \OpenSSLAsymmetricKey
    {
        if ($jwk['kty'] === 'AKP') {
            throw new \InvalidArgumentException("$name is a hybrid key, for sp2. " . Opening::ONLY_SP1);
        }
        $missing = RsaKeys::missingMembers($jwk);
        if (in_array('d', $missing, true)) {
            throw new \InvalidArgumentException("$name is a public key: opening needs the private key of the form");
        }
        if ($missing !== []) {
            throw new \InvalidArgumentException("$name is an incomplete private key: it lacks " . implode(', ', $missing));
        }
        $key = RsaKeys::belongTogether($jwk) ? RsaKeys::importPrivate($jwk) : null;
        // The owner of a damaged key should hear it now, and not that every submission was changed.
        if ($key === null || !self::isWhole($jwk, $key)) {
            throw new \InvalidArgumentException("$name is not a usable RSA private key: its members do not fit each other");
        }
        return $key;
    }

    private static function isWhole(#[\SensitiveParameter] array $jwk, \OpenSSLAsymmetricKey $key): bool
    {
        try {
            $public = PublicKey::parse(['kty' => 'RSA', 'n' => $jwk['n'], 'e' => $jwk['e']]);
            $probe = random_bytes(Oaep::MESSAGE_BYTES);
            return Oaep::decrypt($key, self::modulusBytes($jwk), $public->encrypt($probe)) === $probe;
        } catch (\InvalidArgumentException) {
            return false;
        }
    }

    private static function modulusBytes(#[\SensitiveParameter] array $jwk): int
    {
        return strlen(Base64::decodeUrl($jwk['n']) ?? '');
    }
}
