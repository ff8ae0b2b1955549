package sealpost

import (
	"context"
	"encoding/json"
	"net/url"
)

// reading is a request that only reads.
func reading(path string, query url.Values) request {
	return request{method: "GET", path: path, query: query, repeatable: true}
}

// putting is a request that sets something to a value.
func putting(path string, body any) request {
	return request{method: "PUT", path: path, body: body, repeatable: true}
}

// posting is a request that does something, and would do it twice.
func posting(path string, body any) request {
	return request{method: "POST", path: path, body: body}
}

// get sends a request and gives one member of its answer.
func get[Member any](ctx context.Context, calls *calls, request request, member string, ids ...string) (*Member, error) {
	var answer map[string]json.RawMessage
	if err := calls.at(ctx, request, &answer, ids...); err != nil {
		return nil, err
	}
	value := new(Member)
	// A nil pointer says null; other values would be taken for zero.
	if text, found := answer[member]; !found || string(text) == "null" || json.Unmarshal(text, value) != nil {
		return nil, unexpectedAnswer(200, "the answer lacks its "+member)
	}
	return value, nil
}

func pageOf[Item any](items []Item, total int, nextCursor string, err error) (*Page[Item], error) {
	if err != nil {
		return nil, err
	}
	return &Page[Item]{Items: items, Total: total, NextCursor: nextCursor}, nil
}

func orNil[Answer any](answer *Answer, err error) *Answer {
	if err != nil {
		return nil
	}
	return answer
}

func dereference[Item any](items *[]Item) []Item {
	if items == nil {
		return nil
	}
	return *items
}
