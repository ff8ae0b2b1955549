<?php

declare(strict_types=1);

namespace Sealpost\Internal;

/** Sizes that tell little (specification, section 4). */
final class Padding
{
    /** The size in bytes that `$length` bytes are padded to. */
    public static function size(int $length): int
    {
        foreach ([1024, 2048, 4096] as $size) {
            if ($length <= $size) {
                return $size;
            }
        }
        $exponent = strlen(decbin($length)) - 1;
        $step = 1 << ($exponent - strlen(decbin($exponent)));
        return intdiv($length + $step - 1, $step) * $step;
    }
}
