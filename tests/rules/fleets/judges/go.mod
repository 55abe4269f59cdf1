module shardway/judge

go 1.19
