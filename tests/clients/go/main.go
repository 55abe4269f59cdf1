// A client by go-sql-driver: logs in and works with one user's orders. Prints "ok", or what went wrong.
//
//	client DSN USER_ID
package main

import (
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"time"

	_ "github.com/go-sql-driver/mysql"
)

func check(what string, err error) {
	if err != nil {
		fmt.Printf("%s: %v\n", what, err)
		os.Exit(1)
	}
}

func expect(what string, seen, expected interface{}) {
	if fmt.Sprint(seen) != fmt.Sprint(expected) {
		fmt.Printf("%s is %v, expected %v\n", what, seen, expected)
		os.Exit(1)
	}
}

func affected(what string, result sql.Result, err error) int64 {
	check(what, err)
	rows, err := result.RowsAffected()
	check(what, err)
	return rows
}

func main() {
	if len(os.Args) != 3 {
		fmt.Println("usage: client DSN USER_ID")
		os.Exit(2)
	}
	user, err := strconv.ParseInt(os.Args[2], 10, 64)
	check("user id", err)
	db, err := sql.Open("mysql", os.Args[1])
	check("open", err)
	defer db.Close()
	check("ping", db.Ping())

	at := time.Date(2026, 1, 31, 12, 30, 45, 123456000, time.UTC)
	const insert = "INSERT INTO t_order (user_id, order_id, merchant_id, status, amount, note, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)"
	for i := int64(1); i <= 3; i++ {
		result, err := db.Exec(insert, user, user*10+i, 7, 1, "19.90", "caf\u00e9 \u4f60\u597d 'quoted' \\ back", at)
		expect("inserted rows", affected("insert", result, err), 1)
	}

	rows, err := db.Query("SELECT order_id, amount, note, created_at FROM t_order WHERE user_id = ? ORDER BY created_at DESC, order_id DESC LIMIT 100", user)
	check("select", err)
	count := int64(0)
	for rows.Next() {
		var order int64
		var amount, note string
		var created time.Time
		check("scan", rows.Scan(&order, &amount, &note, &created))
		expect("order", order, user*10+3-count)
		expect("amount", amount, "19.90")
		expect("note", note, "caf\u00e9 \u4f60\u597d 'quoted' \\ back")
		expect("created_at", created, at)
		count++
	}
	check("rows", rows.Err())
	expect("rows", count, 3)

	result, err := db.Exec("UPDATE t_order SET status = 2 WHERE user_id = ? AND order_id = ?", user, user*10+1)
	expect("updated rows", affected("update", result, err), 1)

	tx, err := db.Begin()
	check("begin", err)
	result, err = tx.Exec("DELETE FROM t_order WHERE user_id = ?", user)
	expect("deleted rows", affected("delete", result, err), 3)
	check("rollback", tx.Rollback())

	var left int64
	check("count", db.QueryRow("SELECT COUNT(*) FROM t_order WHERE user_id = ? AND status = 2", user).Scan(&left))
	expect("rows after rollback", left, 1)

	tx, err = db.Begin()
	check("begin", err)
	result, err = tx.Exec("DELETE FROM t_order WHERE user_id = ?", user)
	expect("deleted rows", affected("delete", result, err), 3)
	check("commit", tx.Commit())
	check("count", db.QueryRow("SELECT COUNT(*) FROM t_order WHERE user_id = ?", user).Scan(&left))
	expect("rows at the end", left, 0)
	fmt.Println("ok")
}
