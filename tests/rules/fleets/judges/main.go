// kingshard's router as a program. A line of standard input is a rule, the kind of a literal and its value, parted by tabs:
// "hash:6	number	-1", "range:1000:4	number	17", "month	text	2026-01-31". The answer is the number of the table, or "error …".
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/flike/kingshard/proxy/router"
)

func shard(rule string) (router.Shard, error) {
	parts := strings.Split(rule, ":")
	numbers := []int{}
	for _, part := range parts[1:] {
		number, err := strconv.Atoi(part)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, number)
	}
	switch parts[0] {
	case "hash":
		return &router.HashShard{ShardNum: numbers[0]}, nil
	case "range":
		ranges, err := router.ParseNumSharding([]int{numbers[1]}, numbers[0])
		return &router.NumRangeShard{Shards: ranges}, err
	case "day":
		return &router.DateDayShard{}, nil
	case "month":
		return &router.DateMonthShard{}, nil
	case "year":
		return &router.DateYearShard{}, nil
	}
	return nil, fmt.Errorf("no rule %s", rule)
}

func table(line string) (number int, err error) {
	defer func() {
		if said := recover(); said != nil {
			err = fmt.Errorf("%v", said)
		}
	}()
	parts := strings.SplitN(line, "\t", 3)
	rule, err := shard(parts[0])
	if err != nil {
		return 0, err
	}
	if parts[1] == "text" {
		return rule.FindForKey(parts[2])
	}
	value, err := strconv.ParseInt(parts[2], 10, 64) // as its planner reads numbers
	if err != nil {
		return 0, err
	}
	return rule.FindForKey(value)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		number, err := table(lines.Text())
		if err != nil {
			fmt.Println("error", err)
		} else {
			fmt.Println(number)
		}
	}
}
