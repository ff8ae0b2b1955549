<?php

declare(strict_types=1);

namespace Sealpost\Tests;

use phpseclib3\Crypt\RSA;
use PHPUnit\Framework\TestCase;
use Sealpost\OpeningKey;
use Sealpost\PublicKey;

/** Our padding against another implementation, phpseclib (Debian: php-phpseclib3). */
final class OaepTest extends TestCase
{
    protected function setUp(): void
    {
        if (!class_exists(RSA::class)) {
            self::markTestSkipped('phpseclib 3 is absent');
        }
    }

    public function test_what_phpseclib_encrypts_is_decrypted_and_the_other_way_round(): void
    {
        ['publicKey' => $public, 'privateKey' => $private] = Vectors::key('small');
        $message = random_bytes(32);
        $theirs = self::theirs($private);
        self::assertSame($message, OpeningKey::parse($private)->decrypt($theirs->getPublicKey()->encrypt($message)));
        self::assertSame($message, $theirs->decrypt(PublicKey::parse($public)->encrypt($message)));
    }

    public function test_anything_but_32_bytes_padded_in_this_way_is_refused(): void
    {
        $private = Vectors::key('small')['privateKey'];
        $public = self::theirs($private)->getPublicKey();
        $ours = OpeningKey::parse($private);
        foreach ([0, 16, 31, 33, 64] as $length) {
            self::assertNull($ours->decrypt($public->encrypt(str_repeat('a', $length))), (string) $length);
        }
        $others = [
            $public->withHash('sha1'),
            $public->withHash('sha512'),
            $public->withMGFHash('sha1'),
            $public->withLabel('x'),
            $public->withPadding(RSA::ENCRYPTION_PKCS1),
        ];
        foreach ($others as $place => $other) {
            self::assertNull($ours->decrypt($other->encrypt(str_repeat('a', 32))), (string) $place);
        }
        // Textbook RSA with a block that begins with another byte, has another hash, or no one before the message.
        foreach ([str_repeat("\0", 256), "\0" . str_repeat("\1", 255), "\1" . str_repeat("\0", 255)] as $block) {
            self::assertNull($ours->decrypt($public->withPadding(RSA::ENCRYPTION_NONE)->encrypt($block)));
        }
    }

    private static function theirs(array $jwk): RSA\PrivateKey
    {
        $key = RSA::loadFormat('JWK', json_encode(['keys' => [$jwk]], JSON_THROW_ON_ERROR));
        return $key->withPadding(RSA::ENCRYPTION_OAEP)->withHash('sha256')->withMGFHash('sha256');
    }
}
