// Package envelope checks an organization's signed list of members, and opens envelopes: the private keys of a form, for several readers,
// in a file of age. The formats and the order of all checks are in sections 14, 15 and 23 of the specification. The
// service does not use them yet. A module of its own, so that sealpost-go needs the standard library alone.
package envelope
