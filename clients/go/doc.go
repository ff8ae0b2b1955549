// Package sealpost is for programs that work with a Sealpost service: it verifies webhooks, opens sealed submissions
// (formats sp1 and sp2) and files (spf1), and calls the API. It needs nothing but the standard library.
//
// A receiver of webhooks starts with [NewReceiver], a client of the API with [NewClient]. [Open] opens a single
// payload, [OpenFile] a file, and [Seal] and [SealFile] are their counterparts.
//
// What is sealed how, and what an opener promises, is in packages/wire/SPECIFICATION.md of the Sealpost repository.
// The tests of this package hold it to the vectors there.
package sealpost
