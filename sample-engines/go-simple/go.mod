module engine

go 1.24
