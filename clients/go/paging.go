package sealpost

import (
	"context"
	"iter"
	"net/url"
)

// pageSize is the largest that the service makes.
const pageSize = 100

// PageOptions name a page of a list.
type PageOptions struct {
	// Limit is how many items at most; the service's own default if it is 0.
	Limit int
	// Cursor is NextCursor of the page before; empty for the first one.
	Cursor string
}

func (options PageOptions) query() url.Values {
	query := url.Values{}
	if options.Limit > 0 {
		query.Set("limit", formatInt(options.Limit))
	}
	if options.Cursor != "" {
		query.Set("cursor", options.Cursor)
	}
	return query
}

// Page is one page of a list.
type Page[Item any] struct {
	Items []Item
	// Total counts everything, not just the page; 0 where the service does not count.
	Total int
	// NextCursor names the next page; empty on the last one.
	NextCursor string
}

// each gives every item and loads page after page as they are consumed. After an error comes nothing more.
func each[Item any](ctx context.Context, load func(context.Context, PageOptions) (*Page[Item], error)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		var none Item
		options := PageOptions{Limit: pageSize}
		for {
			page, err := load(ctx, options)
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			if page.NextCursor == "" {
				return
			}
			if page.NextCursor == options.Cursor {
				yield(none, unexpectedAnswer(200, "the server's list has no end"))
				return
			}
			options.Cursor = page.NextCursor
		}
	}
}
