<?php

declare(strict_types=1);

namespace Sealpost\Internal;

/** Files of text, which Windows PowerShell writes in UTF-16. */
final class TextFile
{
    private const UTF_8_MARK = "\xef\xbb\xbf";

    /** The text in UTF-8, without the byte order mark that it may begin with. */
    public static function asUtf8(#[\SensitiveParameter] string $bytes): string
    {
        $isLittle = str_starts_with($bytes, "\xff\xfe");
        if (!$isLittle && !str_starts_with($bytes, "\xfe\xff")) {
            return str_starts_with($bytes, self::UTF_8_MARK) ? substr($bytes, strlen(self::UTF_8_MARK)) : $bytes;
        }
        // Neither mbstring nor iconv is always there.
        $units = unpack($isLittle ? 'v*' : 'n*', substr($bytes, 2)) ?: [];
        $escaped = array_map(static fn (int $unit): string => sprintf('\\u%04x', $unit), $units);
        return json_decode('"' . implode('', $escaped) . '"') ?? '';
    }
}
