module rollstamp.dev/hosts/miniredis

go 1.24.6

require github.com/alicebob/miniredis/v2 v2.35.0

require github.com/yuin/gopher-lua v1.1.1 // indirect
