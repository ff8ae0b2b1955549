module sealpost-go

go 1.26
