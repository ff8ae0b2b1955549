module sealpost-go/envelope/example

go 1.26

require (
	sealpost-go v0.0.0
	sealpost-go/envelope v0.0.0
)

require (
	filippo.io/age v1.3.2 // indirect
	filippo.io/hpke v0.4.0 // indirect
	golang.org/x/crypto v0.55.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace (
	sealpost-go => ../..
	sealpost-go/envelope => ..
)
