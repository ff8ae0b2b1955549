<?php

declare(strict_types=1);

namespace Sealpost\Internal;

use Sealpost\ApiError;

/** Lists that the API gives in pages. */
final class Paging
{
    /**
     * All items of a list, one page fetched at a time while they are consumed.
     *
     * @template T
     * @param \Closure(?string): array{list<T>, ?string} $loadPage the page after a cursor: its items, and the next cursor
     * @return \Generator<int, T>
     */
    public static function each(\Closure $loadPage): \Generator
    {
        $cursor = null;
        do {
            [$items, $next] = $loadPage($cursor);
            foreach ($items as $item) {
                yield $item;
            }
            if ($next !== null && $next === $cursor) {
                throw new ApiError("The server's list has no end", 200);
            }
            $cursor = $next;
        } while ($cursor !== null);
    }

    /**
     * The same for a list of the API document.
     *
     * @param array<string, string> $path
     * @param array<string, int|string|null> $query
     * @return \Generator<int, array<string, mixed>>
     */
    public static function eachOf(Calls $calls, string $operation, string $member, array $path = [], array $query = []): \Generator
    {
        return self::each(static function (?string $cursor) use ($calls, $operation, $member, $path, $query): array {
            $page = $calls->call($operation, $path, ['limit' => 100, 'cursor' => $cursor, ...$query]);
            return [$page[$member], $page['nextCursor']];
        });
    }
}
