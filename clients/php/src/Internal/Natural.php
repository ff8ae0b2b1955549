<?php

declare(strict_types=1);

namespace Sealpost\Internal;

/** A whole number of any size, for checking a key's numbers: neither bcmath nor gmp is everywhere. Not in constant time. */
final class Natural
{
    private const BITS = 24;
    private const BASE = 1 << self::BITS;

    /** @param list<int> $limbs the lowest first, none of value zero at the end */
    private function __construct(private readonly array $limbs)
    {
    }

    /** Reads big-endian bytes. */
    public static function of(#[\SensitiveParameter] string $bytes): self
    {
        $limbs = [];
        foreach (str_split(strrev($bytes), 3) as $part) {
            $limbs[] = (int) hexdec(bin2hex(strrev($part)));
        }
        return self::trimmed($limbs);
    }

    public function compare(#[\SensitiveParameter] self $other): int
    {
        $difference = count($this->limbs) <=> count($other->limbs);
        for ($place = count($this->limbs) - 1; $difference === 0 && $place >= 0; $place--) {
            $difference = $this->limbs[$place] <=> $other->limbs[$place];
        }
        return $difference;
    }

    public function times(#[\SensitiveParameter] self $other): self
    {
        $product = array_fill(0, count($this->limbs) + count($other->limbs), 0);
        foreach ($this->limbs as $place => $limb) {
            $carry = 0;
            foreach ($other->limbs as $offset => $factor) {
                $carry += $product[$place + $offset] + $limb * $factor;
                $product[$place + $offset] = $carry % self::BASE;
                $carry >>= self::BITS;
            }
            $product[$place + count($other->limbs)] = $carry;
        }
        return self::trimmed($product);
    }

    /** `$other` must not be larger. */
    public function minus(#[\SensitiveParameter] self $other): self
    {
        $left = $this->limbs;
        $borrow = 0;
        foreach ($left as $place => $limb) {
            $difference = $limb - ($other->limbs[$place] ?? 0) - $borrow;
            $borrow = $difference < 0 ? 1 : 0;
            $left[$place] = $difference + $borrow * self::BASE;
        }
        return self::trimmed($left);
    }

    /** The remainder of a division by `$modulus`, which is not 0. */
    public function modulo(#[\SensitiveParameter] self $modulus): self
    {
        $rest = new self([]);
        for ($place = count($this->limbs) - 1; $place >= 0; $place--) {
            for ($bit = self::BITS - 1; $bit >= 0; $bit--) {
                $rest = $rest->doubled($this->limbs[$place] >> $bit & 1);
                if ($rest->compare($modulus) >= 0) {
                    $rest = $rest->minus($modulus);
                }
            }
        }
        return $rest;
    }

    private function doubled(int $carry): self
    {
        $limbs = $this->limbs;
        foreach ($limbs as $place => $limb) {
            $limb = $limb << 1 | $carry;
            $carry = $limb >> self::BITS;
            $limbs[$place] = $limb & (self::BASE - 1);
        }
        return self::trimmed([...$limbs, $carry]);
    }

    /** @param list<int> $limbs */
    private static function trimmed(array $limbs): self
    {
        while ($limbs !== [] && end($limbs) === 0) {
            array_pop($limbs);
        }
        return new self($limbs);
    }
}
